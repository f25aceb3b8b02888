import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Locator } from '@playwright/test';

import { expect, look, notice, openDashboard, openDialog, test } from '../support/sandbox-pages.ts';

const run = promisify(execFile);

interface Described {
  paths: Record<string, Record<string, { tags: string[] }>>;
}

test('the dashboard shows a working command for every call of the control API', async ({
  page,
  servicePaySandbox,
  customer,
  receiver,
  context,
}) => {
  test.slow();
  const { control, url } = servicePaySandbox;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await control.putMerchant('pub_sandbox_demo', { webhookUrl: receiver.url });
  await (await customer('order-paid')).byCard('4242 4242 4242 4242');
  await control.replayWebhooks();
  for (const reference of ['order-1', 'order-2', 'order-3', 'order-4'])
    await (await customer(reference)).byPhone('0960000000');
  await control.armScenario('webhook-late');
  const ran: string[] = [];
  const copyAll = async (within: Locator) => {
    const commands: string[] = [];
    for (const button of await within.getByRole('button', { name: /^Copy curl/ }).all()) {
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await button.click();
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toMatch(/^curl /);
      commands.push(await page.evaluate(() => navigator.clipboard.readText()));
    }
    return commands;
  };
  const runAll = async (within: Locator) => {
    for (const command of await copyAll(within)) {
      const [, method = 'GET', path] =
        /^curl -sSN?(?: -X (\w+))? '[^']*?(\/_sandbox\/[^'?]*)/.exec(command) ?? [];
      ran.push(`${method} ${path}`);
      // A stream has no end of its own.
      const isStream = path === '/_sandbox/events';
      const { stdout } = await run('sh', [
        '-c',
        isStream ? `${command} --max-time 1 || true` : command,
      ]);
      if (isStream) expect(stdout).toContain('event: happening');
      else expect(JSON.parse(stdout), command).toMatchObject({ status: true });
    }
  };

  await openDashboard(page, servicePaySandbox, '#/pub_sandbox_demo/order-paid');
  await expect(page.getByRole('list', { name: 'Deliveries' })).toContainText('replay');
  await runAll(page.locator('#story'));
  await page.getByRole('button', { name: 'Replay…' }).last().click();
  await runAll(page.getByRole('dialog'));
  await page.keyboard.press('Escape');
  for (const [reference, button] of [
    ['order-1', 'Approve'],
    ['order-2', 'Decline'],
  ]) {
    await page.goto(`${url}/dashboard#/pub_sandbox_demo/${reference}`);
    await runAll(
      page
        .locator('#story .action')
        .filter({ has: page.getByRole('button', { name: button!, exact: true }) }),
    );
  }
  await page.goto(`${url}/dashboard`);
  await expect(
    page
      .getByRole('list', { name: 'What happened last, newest first' })
      .getByRole('listitem')
      .first(),
  ).toBeVisible();
  await runAll(page.getByRole('main'));
  for (const name of [
    'Phones',
    'Scenarios',
    'Merchants',
    'Place a collection',
    'Faults',
    'Clock',
  ]) {
    await runAll(await openDialog(page, name));
    await page.keyboard.press('Escape');
  }
  await runAll(await openDialog(page, 'Customer', 'Play a customer'));
  await page.keyboard.press('Escape');
  await runAll(await openDialog(page, 'Reset', 'Reset the sandbox?'));

  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Described;
  const described = Object.entries(paths).flatMap(([path, calls]) =>
    Object.entries(calls)
      .filter(([, { tags }]) => tags.includes('sandbox'))
      .map(([method]) => ({
        name: `${method.toUpperCase()} ${path}`,
        pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      })),
  );
  expect(described.length).toBeGreaterThan(20);
  const missing = described.filter(
    ({ name, pattern }) =>
      !ran.some(
        (one) => one.split(' ')[0] === name.split(' ')[0] && pattern.test(one.split(' ')[1]!),
      ),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('the dashboard arms a random delay between two limits, and shows it again', async ({
  page,
  servicePaySandbox,
}) => {
  await servicePaySandbox.control.setFaults({ webhooks: { delaySeconds: { min: 5, max: 90 } } });
  await openDashboard(page, servicePaySandbox);

  const dialog = await openDialog(page, 'Faults');
  await expect(dialog.getByLabel('Late by, in s')).toHaveValue('5');
  await expect(dialog.getByLabel('Or up to, in s')).toHaveValue('90');
  await expect(page.locator('#armed-faults')).toHaveText('1 on');
  await dialog.getByLabel('Or up to, in s').fill('120');
  await dialog.getByRole('button', { name: 'Arm these faults', exact: true }).click();
  await expect(notice(page)).toHaveText('1 fault is on.');
  expect(await look(servicePaySandbox, '/faults')).toEqual({
    webhooks: { delaySeconds: { min: 5, max: 120 } },
  });
  await dialog.getByLabel('Or up to, in s').fill('');
  await expect(dialog.locator('code')).toContainText('{"delaySeconds":5}');
  await dialog.getByLabel('Late by, in s').fill('0');
  await expect(dialog.locator('code')).toContainText('{"delaySeconds":0}');
});

test('the dashboard creates a merchant, and arms a scenario for its next payment only', async ({
  page,
  servicePaySandbox,
}) => {
  await openDashboard(page, servicePaySandbox);
  const dialog = await openDialog(page, 'Merchants');
  await dialog.getByRole('combobox', { name: 'Merchant' }).selectOption('a new merchant');
  await dialog.getByLabel('Public key').fill('pub_sandbox_third');
  await dialog.getByLabel('API token').fill('sec_of_this_test');
  await dialog.getByLabel('Name').fill('Third Shop');
  await dialog.getByLabel('Currency').fill('NGN');
  await dialog
    .getByLabel('Origins that may open its popup')
    .fill('https://a.example, https://b.example');
  await dialog.getByLabel('Logo').setInputFiles({
    name: 'logo.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'),
  });
  await expect(dialog.getByRole('img', { name: 'Logo' })).toBeVisible();
  await dialog.getByLabel('Visa').uncheck();
  await dialog.getByLabel('Verve').check();
  await dialog.getByLabel('Airtel').selectOption('slow');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();

  await expect(notice(page)).toHaveText('Saved Third Shop.');
  expect(await look<object[]>(servicePaySandbox, '/merchants')).toContainEqual(
    expect.objectContaining({
      publicKey: 'pub_sandbox_third',
      name: 'Third Shop',
      defaultCurrency: 'NGN',
      logo: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
      cardBrands: ['mastercard', 'verve'],
      networkNotices: { airtel: 'slow' },
      allowedOrigins: ['https://a.example', 'https://b.example'],
    }),
  );
  await expect.poll(() => page.content()).not.toContain('sec_of_this_test');
  const scenarios = await openDialog(page, 'Scenarios');
  await scenarios.getByLabel('For the next payment of').selectOption('pub_sandbox_third');
  await scenarios.getByRole('button', { name: 'Arm webhook-late', exact: true }).click();
  await expect(scenarios).toContainText(
    'Armed for the next payment of pub_sandbox_third: webhook-late.',
  );
  expect(await look(servicePaySandbox, '/scenarios')).toMatchObject({
    armed: 'webhook-late',
    armedFor: 'pub_sandbox_third',
  });
});

test('the dashboard stops the clock at a time', async ({ page, servicePaySandbox }) => {
  await openDashboard(page, servicePaySandbox);
  const dialog = await openDialog(page, 'Clock');

  await dialog.getByLabel('Stop it at, in UTC').fill('2040-03-12T07:06:11');
  await dialog.getByRole('button', { name: 'Stop the clock', exact: true }).click();

  await expect(page.locator('#clock-now')).toHaveText('2040-03-12 07:06:11');
  expect(await look(servicePaySandbox, '/clock')).toMatchObject({
    mode: 'virtual',
    now: '2040-03-12T07:06:11.000Z',
  });
});
