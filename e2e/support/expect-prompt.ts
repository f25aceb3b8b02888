import { expect } from '@playwright/test';
import { type PaymentPopup, TEST_PHONES } from '@service-pay/sandbox/playwright';

/** The phone that shows a prompt until a test approves or declines it. */
export const HANDSET = TEST_PHONES.waits.phone;

/** Waits until the popup says that the customer's phone shows a prompt. */
export async function expectPrompt({ frame }: Pick<PaymentPopup, 'frame'>): Promise<void> {
  await expect(
    frame.getByRole('heading', { name: 'Approve the payment on your phone' }),
  ).toBeVisible();
}

/** Pays by the phone that waits to be approved or declined, until it shows the prompt. */
export async function reachPrompt(popup: PaymentPopup): Promise<void> {
  await popup.payByPhone(TEST_PHONES.waits);
  await expectPrompt(popup);
}
