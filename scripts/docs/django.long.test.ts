import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect as expectOn, type Page } from '@playwright/test';
import { PaymentPopup, TEST_CARDS, TEST_PHONES } from '@service-pay/sandbox/playwright';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { findBrokenRules } from '../programs/check-shop.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage, type ShellProgram } from './marked-page.ts';
import { canRun } from './sample-servers.ts';
import {
  control,
  openPage,
  openQuickStart,
  PATIENT,
  PATIENT_MS,
  prepare,
  runToEnd,
  setUpReader,
  start,
} from './test-quick-start.ts';

/** A Python that has Django. A system's package is often not in the first Python of the path. */
const PYTHON = ['python3', '/usr/bin/python3'].find((python) =>
  canRun([python, '-c', 'import django']),
);

const describeWithDjango = PYTHON
  ? describe
  : (_title: string, tests: () => void) =>
      describe.skip(
        'the shop of docs/quick-start/django.md: Django is missing (python3-django)',
        tests,
      );

/** As docs/check-shop.md prints it. */
const CSRF = ['--page', '/', '--header', 'X-CSRFToken: {cookie:csrftoken}'];

const HEADERS_OF_FLOW = "createPaymentFlow({ api: '/api', headers, events: false })";

setUpReader();

describeWithDjango('the shop of docs/quick-start/django.md', () => {
  let shop: ShellProgram;
  let folder: string;
  let django: MarkedPage;
  let shopUrl: string;
  let sandboxUrl: string;

  beforeEach(async () => {
    const opened = await openQuickStart('server'); // the sandbox
    ({ folder, shopUrl, sandboxUrl } = opened);
    django = prepare('django', { ...opened.ports, python3: PYTHON! }, folder).quickStart;
    const made = await runToEnd(django.command('project'), folder);
    expect(made.exitCode, made.output).toBe(0);
    for (const [name, file] of [
      ['settings', 'mysite/settings.py'],
      ['urls', 'mysite/urls.py'],
    ] as const)
      appendFileSync(join(folder, file), django.example(name));
    opened.quickStart.write(folder, 'service_pay.py', 'payments/service_pay.py');
    django.write(folder, '');
    shop = startShop();
  }, PATIENT_MS);

  const startShop = () => {
    const commands = django.command('django').split('\n');
    const previous = 'export SERVICE_PAY_API_TOKEN_PREVIOUS=sec_before';
    const line = [previous, ...commands.slice(0, -1), `exec ${commands.at(-1)}`].join(' && ');
    return start(line, folder);
  };
  const open = async () => {
    const page = await openPage(shopUrl, sandboxUrl, {}, shop);
    return { page, popup: new PaymentPopup(page, { locale: 'en' }) };
  };
  const press = (page: Page) => page.getByRole('button', { name: 'Buy honey' }).click();
  const expectWords = (page: Page, words: string) =>
    expectOn(page.getByRole('status').first(), shop.output).toHaveText(words, PATIENT);
  const expectShipped = (times: number, output = () => shop.output) =>
    expect.poll(() => output().split('ship honey').length - 1, PATIENT).toBe(times);

  test('the Django shop is paid by card under Django’s protection against forgery, and ships once', {
    timeout: PATIENT_MS,
  }, async () => {
    const { page, popup } = await open();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));

    await press(page);
    await popup.payByCard(TEST_CARDS.successful);

    await expectWords(page, 'Order paid.');
    await vi.waitFor(async () => {
      const webhooks = await control(sandboxUrl, 'GET', 'webhooks');
      expect(webhooks).toMatchObject([{ status: 'acknowledged' }]);
    }, PATIENT);
    await expectShipped(1);
    expect(problems).toEqual([]);
    const withoutToken = await fetch(`${shopUrl}/api/orders`, { method: 'POST', body: '{}' });
    expect(withoutToken.status).toBe(403);
  });

  test('the Django shop finds a payment again after a reload, and once its customer has paid', {
    timeout: PATIENT_MS,
  }, async () => {
    const { page, popup } = await open();
    await press(page);
    await popup.payByPhone(TEST_PHONES.waits);
    await popup.expectPromptFor(TEST_PHONES.waits);

    await page.reload();
    await expectWords(page, 'You have an unfinished payment.');
    await press(page);
    await popup.expectPromptFor(TEST_PHONES.waits);
    await popup.approveOnPhone();

    await expectWords(page, 'Order paid.');
    await expectShipped(1);
  });

  test('the Django shop gives a failed order another payment, once', {
    timeout: PATIENT_MS,
  }, async () => {
    const { page, popup } = await open();
    const placed = page.waitForResponse('**/api/orders');
    await press(page);
    const { reference } = (await (await placed).json()).data;
    await popup.leave();
    const declined = { reference, amount: '92.50', card: TEST_CARDS.notEnoughFunds };
    for (let tries = 0; tries < 5; tries++) await control(sandboxUrl, 'POST', 'pay', declined);
    // the shop verifies at most every two seconds
    await expectOn(async () => {
      await page.reload({ waitUntil: 'networkidle' });
      await expectOn(page.getByRole('status').first()).toHaveText(
        'Payment failed. You can try again.',
        { timeout: 1_000 },
      );
    }).toPass(PATIENT);

    const retried = page.waitForResponse('**/retry');
    await press(page);
    expect((await (await retried).json()).data.reference).not.toBe(reference);
    await popup.payByCard(TEST_CARDS.successful);

    await expectWords(page, 'Order paid.');
    await expectShipped(1);
  });

  test('the Django shop finds a lost payment by its command, and ships it', {
    timeout: PATIENT_MS,
  }, async () => {
    const { page, popup } = await open();
    await control(sandboxUrl, 'PUT', 'faults', { webhooks: { drop: 1 } });
    await press(page);
    await popup.payByPhone(TEST_PHONES.waits);
    await popup.expectPromptFor(TEST_PHONES.waits);
    await page.close();
    await control(sandboxUrl, 'POST', `phones/${TEST_PHONES.waits.phone}/approve`);
    await vi.waitFor(async () => {
      const webhooks = await control(sandboxUrl, 'GET', 'webhooks');
      expect(webhooks).toMatchObject([{ status: 'dropped' }]);
    }, PATIENT);

    const first = await runToEnd(django.command('poll'), folder);
    const second = await runToEnd(django.command('poll'), folder);

    expect([first.exitCode, second.exitCode], first.output).toEqual([0, 0]);
    await expectShipped(1, () => first.output + second.output + shop.output);
  });

  test('the Django shop keeps every rule that check-shop can try, with its forgery token', {
    timeout: PATIENT_MS,
  }, async () => {
    await open();

    const broken = await findBrokenRules(shopUrl, sandboxUrl, {
      output: () => shop.output,
      args: [...CSRF, '--previous-token', 'sec_before'],
    });

    expect(broken, shop.output).toEqual([expect.stringContaining('The shop has not verified')]);
  });

  test('the Django shop ships what was paid if the page library sends no token, and the console names the cause once', {
    timeout: PATIENT_MS,
  }, async () => {
    const shown = django.file('payments/templates/payments/shop.html');
    expect(shown).toContain(HEADERS_OF_FLOW);
    writeFileSync(
      join(folder, 'payments/templates/payments/shop.html'),
      shown
        .replace(HEADERS_OF_FLOW, "createPaymentFlow({ api: '/api', events: false })")
        .replace('flow.start({ cart });', 'flow.start({ cart });\nwindow.flow = flow;'),
    );
    const { page, popup } = await open();
    const errors: string[] = [];
    page.on('console', (message) => {
      const text = message.text();
      // the browser itself prints one line a request
      if (message.type() === 'error' && !text.startsWith('Failed to load resource'))
        errors.push(text);
    });

    await press(page);
    await popup.payByCard(TEST_CARDS.successful);
    await expectShipped(1);
    await vi.waitFor(() => expect(errors).toHaveLength(1), PATIENT);
    await page.waitForResponse('**/verify');
    await page.waitForResponse('**/verify');

    const state = await page.evaluate(() => {
      const { screen, trouble } = (window as any).flow.state;
      return { screen, trouble };
    });
    expect(state).toEqual({ screen: 'checking', trouble: 'shop-rejects' });
    expect(errors).toEqual([expect.stringContaining('HTTP 403')]);
  });

  test.each([
    ['laravel', { 'X-XSRF-TOKEN': 'a=b' }],
    ['rails', { 'X-CSRF-Token': 'a=b' }],
  ])(
    'docs/quick-start/django.md has headers for %s that carry its token',
    { timeout: PATIENT_MS },
    async (name, headers) => {
      const { page } = await open();

      const sent = await page.evaluate(`(() => {
      document.cookie = 'XSRF-TOKEN=a%3Db';
      document.head.innerHTML += '<meta name="csrf-token" content="a=b" />';
      ${django.example(name)}
      return headers();
    })()`);

      expect(sent).toEqual(headers);
    },
  );

  test('the Django shop keeps a payment that was sent if the token goes, and goes on once it is back', {
    timeout: PATIENT_MS,
  }, async () => {
    const { page, popup } = await open();
    await press(page);
    await popup.payByPhone(TEST_PHONES.waits);
    await popup.expectPromptFor(TEST_PHONES.waits);
    const cookies = await page.context().cookies();
    await page.context().clearCookies({ name: 'csrftoken' });
    await popup.leave('close-anyway');
    await control(sandboxUrl, 'POST', `phones/${TEST_PHONES.waits.phone}/approve`);
    await expectWords(page, 'We are checking your payment.');

    await page.context().addCookies(cookies);

    await expectWords(page, 'Order paid.');
  });
});

expectEveryBlockRun(
  ['docs/quick-start/django.md'],
  PYTHON ? [] : new MarkedPage('docs/quick-start/django.md').findUncopied(),
);
