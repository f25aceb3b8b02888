import { expect, notice, openDashboard, openDialog, test } from '../support/sandbox-pages.ts';

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('the open dialog shows and announces what an action did, and why it failed', async ({
    page,
    servicePaySandbox,
    said,
  }) => {
    await openDashboard(page, servicePaySandbox);

    const clock = await openDialog(page, 'Clock');
    await clock.getByRole('button', { name: '+30 s', exact: true }).click();
    await expect(clock.getByRole('status')).toHaveText(/^It is .+ UTC in the sandbox\.$/);
    await expect(clock.getByRole('status')).toBeInViewport({ ratio: 1 });
    await clock.getByRole('button', { name: 'Close' }).click();
    const phones = await openDialog(page, 'Phones');
    await phones.getByRole('button', { name: 'Approve newest prompt', exact: true }).click();

    await expect(phones.getByRole('status')).toHaveText('No prompt is waiting on this phone.');
    expect(said.splice(0).every((text) => /status of 404/.test(text))).toBe(true);
  });

  test('a long dialog scrolls to its error', async ({ page, servicePaySandbox, said }) => {
    await openDashboard(page, servicePaySandbox);
    const merchant = await openDialog(page, 'Merchants');

    await merchant.getByLabel('Origins that may open its popup').fill('nonsense');
    await merchant.getByRole('button', { name: 'Save', exact: true }).click();

    const alert = merchant.getByRole('alert');
    await expect(alert).toContainText('allowedOrigins');
    const buttons = await merchant.locator('.buttons').boundingBox();
    await expect.poll(async () => (await alert.boundingBox())!.y).toBeLessThan(buttons!.y);
    expect(said.splice(0).every((text) => /status of 400/.test(text))).toBe(true);
  });
});

test('the dashboard hides a notice after ten seconds, because it lies on top of the page', async ({
  page,
  servicePaySandbox,
}) => {
  await page.clock.install();
  await openDashboard(page, servicePaySandbox);
  const place = await openDialog(page, 'Place a collection');
  await place.getByRole('button', { name: 'Place it', exact: true }).click();
  await expect(notice(page)).toHaveText(/ is placed\.$/);

  await page.clock.fastForward(10_000);

  await expect(notice(page)).toHaveCount(0);
});

test('the clock dialog shows what is due, also while a customer pays', async ({
  page,
  servicePaySandbox,
  customer,
}) => {
  await openDashboard(page, servicePaySandbox);
  await (await customer('order-1')).byPhone('0960000000');

  const clock = await openDialog(page, 'Clock');
  await expect(clock.getByText('Next due:')).toContainText(/, in [23] min/);
  await servicePaySandbox.control.approve('0960000000');
  await (await customer('order-2')).byCard('4000 0000 0000 0077');

  await expect(clock.getByText('Next due:')).toContainText(/, in (?:1\d|20) sec/);
});

test('the clock dialog says why the clock cannot stop at a time', async ({
  page,
  servicePaySandbox,
  said,
}) => {
  await openDashboard(page, servicePaySandbox);
  const clock = await openDialog(page, 'Clock');

  await clock.getByLabel('Stop it at, in UTC').fill('12345-01-01T00:00');
  await clock.getByRole('button', { name: 'Stop the clock', exact: true }).click();

  await expect(notice(page)).toContainText('now must be an ISO 8601 time in UTC');
  expect(said.splice(0).every((text) => /status of 400/.test(text))).toBe(true);
});

test('the faults dialog shows the command that its button sends', async ({
  page,
  servicePaySandbox,
}) => {
  await openDashboard(page, servicePaySandbox);
  const faults = await openDialog(page, 'Faults');
  const script = faults.getByRole('group', { name: 'Script' });
  await script.getByRole('combobox').selectOption('error status');
  await script.getByLabel('HTTP status').fill('503');
  await expect(faults.locator('code')).toContainText('503');

  await script.getByRole('combobox').selectOption('late response');

  await expect(faults.locator('code')).not.toContainText('503');
});

test('the faults dialog says whether faults are on, and forgets an error once they are cleared', async ({
  page,
  servicePaySandbox,
  said,
}) => {
  await openDashboard(page, servicePaySandbox);
  const faults = await openDialog(page, 'Faults');
  const arm = faults.getByRole('button', { name: 'Arm these faults', exact: true });

  await arm.click();
  await expect(notice(page)).toHaveText('No fault is on.');
  await faults.getByLabel('Lost').fill('0.5');
  await arm.click();
  await expect(notice(page)).toHaveText('1 fault is on.');
  await faults.getByRole('combobox', { name: 'Script' }).selectOption('changed fields');
  await faults.getByRole('group', { name: 'Script' }).getByLabel('Changes').fill('no JSON');
  await arm.click();
  await expect(faults.getByRole('alert')).not.toBeEmpty();
  await faults.getByRole('button', { name: 'Clear all faults', exact: true }).click();

  await expect(notice(page)).toHaveText('All faults are off.');
  await expect(faults.getByRole('alert')).toBeEmpty();
  expect(said.splice(0).every((text) => /status of 400/.test(text))).toBe(true);
});

test('the dashboard says that a call takes long, and then what it did', async ({
  page,
  servicePaySandbox,
}) => {
  await page.clock.install();
  await openDashboard(page, servicePaySandbox);
  let respond = () => {};
  await page.route('**/_sandbox/pay', async (route) => {
    await new Promise<void>((resolve) => {
      respond = resolve;
    });
    await route.continue();
  });
  const pay = await openDialog(page, 'Customer', 'Play a customer');
  await pay.getByLabel('Reference').fill('played-1');

  await pay.getByRole('button', { name: 'Pay now', exact: true }).click();
  await page.clock.fastForward(2_000);
  await expect(pay.getByRole('status')).toHaveText('Still waiting for the sandbox.');
  respond();

  await expect(notice(page)).toHaveText('played-1: Paid.');
});

test('the faults dialog ignores what was typed for another kind of fault', async ({
  page,
  servicePaySandbox,
}) => {
  await openDashboard(page, servicePaySandbox);
  const faults = await openDialog(page, 'Faults');
  const script = faults.getByRole('group', { name: 'Script' });
  const kind = script.getByRole('combobox', { name: 'Script' });

  await kind.selectOption('error status');
  await script.getByLabel('HTTP status').fill('200'); // not an error
  await kind.selectOption('garbage');
  await faults.getByRole('button', { name: 'Arm these faults', exact: true }).click();

  await expect(notice(page)).toHaveText('1 fault is on.');
});
