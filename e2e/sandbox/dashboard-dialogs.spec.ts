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
