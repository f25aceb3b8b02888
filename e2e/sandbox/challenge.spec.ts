import { expect, test } from '../support/sandbox-pages.ts';

test("the bank's page keeps its buttons while the service is in trouble", async ({
  page,
  servicePaySandbox,
  customer,
  said,
}) => {
  const { control, url } = servicePaySandbox;
  const address = await (await customer('order-1')).byCard('4000 0000 0000 3220');
  const inTrouble = { checkoutApi: { kind: 'status', rate: 1, status: 503 } } as const;
  await control.setFaults(inTrouble);
  await page.goto(new URL(address!, url).href);
  await expect(page.getByRole('status')).toHaveText(/^The bank cannot be reached\./);
  await control.clearFaults();
  await page.reload();
  await control.setFaults(inTrouble);
  await page.getByRole('button', { name: 'Approve' }).click();

  await expect(page.getByRole('status')).toHaveText('The bank could not be reached. Try again.');
  await expect(page.getByRole('button', { name: 'Approve' })).toBeFocused();
  await control.clearFaults();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toHaveText(/^Thank you\./);
  expect(said.splice(0).every((text) => /status of 503/.test(text))).toBe(true);
});
