import { expect, type FrameLocator, type Locator, type Page } from '@playwright/test';

/** The payment window as a person sees it: found by role and name alone. */
export class PaymentPopup {
  readonly page: Page;
  readonly dialog: Locator;
  readonly frame: FrameLocator;
  readonly close: Locator;

  /** `within` is the frame the merchant's page is in, where it is in one. */
  constructor(page: Page, within: Page | FrameLocator = page) {
    this.page = page;
    this.dialog = within.getByRole('dialog', { name: /^Payment/ });
    this.close = within.getByRole('button', { name: 'Close payment' });
    this.frame = within.frameLocator('iframe[title="Secure payment"]');
  }

  /** The one button that pays. */
  get payButton(): Locator {
    return this.frame.getByRole('button', { name: /^Pay/ });
  }

  get alert(): Locator {
    return this.frame.getByRole('alert');
  }

  heading(name: string): Locator {
    return this.frame.getByRole('heading', { name });
  }

  async chooseChannel(name: 'Card' | 'Mobile money'): Promise<void> {
    await this.frame.getByRole('radio', { name, exact: true }).check();
  }

  async fillCard(number: string, { expiry = '12/34', securityCode = '123', name = 'Mary Banda' } = {}): Promise<void> {
    await this.frame.getByLabel('Card number').fill(number);
    await this.frame.getByLabel('Expiry date').fill(expiry);
    await this.frame.getByLabel('Security code').fill(securityCode);
    await this.frame.getByLabel('Name on card').fill(name);
  }

  async payByCard(number: string): Promise<void> {
    await this.fillCard(number);
    await this.payButton.click();
  }

  async payByPhone(network: string, phone: string): Promise<void> {
    await this.frame.getByRole('radio').first().waitFor();
    if (await this.frame.getByRole('radio', { name: 'Mobile money' }).count()) await this.chooseChannel('Mobile money');
    await this.frame.getByRole('radio', { name: network, exact: true }).check();
    await this.frame.getByLabel('Phone number').fill(phone);
    await this.payButton.click();
  }

  async enterOneTimeCode(code: string): Promise<void> {
    await this.frame.getByLabel('One-time code').fill(code);
    await this.frame.getByRole('button', { name: 'Confirm' }).click();
  }

  async answerChallenge(answer: 'Approve' | 'Decline'): Promise<void> {
    await this.frame.frameLocator('iframe[title="Card verification"]').getByRole('button', { name: answer }).click();
  }

  /** A person can type: the form is there. */
  async expectReady(): Promise<void> {
    await expect(this.payButton).toBeVisible();
  }

  async expectDeclined(reason: string): Promise<void> {
    await expect(this.alert).toContainText(reason);
    await expect(this.payButton).toBeEnabled();
  }

  async expectGone(): Promise<void> {
    await expect(this.dialog).toHaveCount(0);
  }

  async expectAsking(): Promise<void> {
    await expect(this.heading('Your payment is still being confirmed')).toBeVisible();
  }
}
