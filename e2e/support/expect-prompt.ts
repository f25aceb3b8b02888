import { expect } from '@playwright/test';
import type { PaymentPopup } from '@service-pay/sandbox/playwright';

/** Waits until the popup says that the customer's phone shows a prompt. */
export async function expectPrompt({ frame }: Pick<PaymentPopup, 'frame'>): Promise<void> {
  await expect(
    frame.getByRole('heading', { name: 'Approve the payment on your phone' }),
  ).toBeVisible();
}
