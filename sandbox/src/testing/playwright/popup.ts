import { expect, type Frame, type FrameLocator, type Locator, type Page } from '@playwright/test';
import { LANGUAGES, type Language } from '@service-pay/contract/languages';
import { toPlainDigits } from '@service-pay/contract/plain-digits';
import { buildControl, type Control } from '../../control/client.ts';
import { type PhoneToPayBy, TEST_CARDS } from '../../test-numbers/named-numbers.ts';
import { ONE_TIME_CODE } from '../../test-numbers/outcomes.ts';
import { amountPattern } from './amount-pattern.ts';
import { describePopup } from './describe-popup.ts';
import { type NameKey, nameIn, namesOf, QUESTIONS, type Question, startIn } from './names.ts';
import { SuccessWatch } from './wait-for-success.ts';

export interface PaymentPopupOptions {
  /** The language the popup must be in; by default any that it supports. */
  locale?: Language;
  /**
   * The control API that approves and declines on the phone; by default that of the popup's own
   * sandbox, without a token.
   */
  control?: Pick<Control, 'approve' | 'decline'>;
  /** Timeout of each call; by default Playwright's timeout for `expect`. */
  timeoutMs?: number;
}

/**
 * Details entered beside the card number. Each has a default except the billing address, which is
 * entered only if given.
 */
export interface CardDetails {
  expiry?: string;
  securityCode?: string;
  name?: string;
  /** `country` is a two-letter code, or a name in the popup's language. */
  billing?: Partial<Record<(typeof BILLING_FIELDS)[number], string>>;
}

const BILLING_FIELDS = ['streetAddress', 'city', 'state', 'postalCode', 'country'] as const;

const UNDER_WAY = QUESTIONS.filter((about) => about !== 'typed');

const DIGITS_SHOWN = 4;

/**
 * Page object of the payment popup, found by role and accessible name in any language. Each call
 * waits as long as `expect` does; if it fails, the error says what the popup shows.
 */
export class PaymentPopup {
  /** The popup's dialog on the merchant's page. */
  readonly dialog: Locator;
  /** The checkout page inside the popup. */
  readonly frame: FrameLocator;
  readonly close: Locator;
  readonly #control: PaymentPopupOptions['control'];
  readonly #success: SuccessWatch;
  readonly #patient: typeof expect;
  #languages: readonly Language[];
  #phone: string | undefined;

  /** `place` is the page with the merchant's button, or the frame that contains it. */
  constructor(
    place: Page | Frame | FrameLocator,
    { locale, control, timeoutMs }: PaymentPopupOptions = {},
  ) {
    if (locale !== undefined && !LANGUAGES.includes(locale))
      throw new Error(`The popup supports ${LANGUAGES.join(', ')}. Use one of them as locale.`);
    this.#control = control;
    this.#patient = timeoutMs === undefined ? expect : expect.configure({ timeout: timeoutMs });
    this.#languages = locale ? [locale] : LANGUAGES;
    this.dialog = place.getByRole('dialog', { name: startIn('dialog') });
    this.close = place.getByRole('button', { name: nameIn('close') });
    this.frame = place.frameLocator(selectFrame('frame'));
    this.#success = new SuccessWatch(this.frame, () => namesOf('successTitle', this.#languages));
  }

  get payButton(): Locator {
    return this.frame.getByRole('button', { name: startIn('pay', this.#languages) });
  }

  get alert(): Locator {
    return this.frame.getByRole('alert');
  }

  /**
   * Waits for the form, and with `amount` for the button that names it: `"1500.50"`, in any
   * language's format.
   */
  async expectOpen({ amount }: { amount?: string | number } = {}): Promise<void> {
    await this.#expect('an open payment form', () => this.#patient(this.payButton).toBeVisible());
    if (amount === undefined) return;
    await this.#expect(`a form for the amount ${amount}`, () =>
      this.#patient(this.payButton).toHaveText(amountPattern(amount)),
    );
  }

  async expectClosed(): Promise<void> {
    await this.#expect('the popup to be closed', () => this.#patient(this.dialog).toHaveCount(0));
  }

  async chooseChannel(channel: 'card' | 'mobile-money'): Promise<void> {
    await this.expectOpen();
    const radio = this.#find('radio', channel === 'card' ? 'card' : 'mobileMoney');
    if (await radio.count()) await choose(radio);
  }

  /** Enters a card without paying; by default a future expiry, three digits and a name. */
  async fillCard(
    number: string,
    { expiry = '12/34', securityCode = '123', name = 'Mary Banda' }: CardDetails = {},
  ): Promise<void> {
    await this.chooseChannel('card');
    const field = this.#find('textbox', 'cardNumber');
    await this.#expect('a form for a card', () => this.#patient(field).toBeEditable());
    await field.fill(number);
    await this.#find('textbox', 'expiryDate').fill(expiry);
    await this.#find('textbox', 'securityCode').fill(securityCode);
    await this.#find('textbox', 'nameOnCard').fill(name);
  }

  /** Pays by card, by default the successful one. Enters `billing` when the popup asks for it. */
  async payByCard(
    number: string = TEST_CARDS.successful,
    details: CardDetails = {},
  ): Promise<void> {
    await this.fillCard(number, details);
    await this.#pay();
    if (details.billing) await this.#fillBilling(details.billing, details.securityCode);
  }

  /** Pays by mobile money: `payByPhone(TEST_PHONES.successful)`. */
  async payByPhone({ network, phone }: PhoneToPayBy): Promise<void> {
    await this.chooseChannel('mobile-money');
    const radio = this.frame.getByRole('radio', { name: network, exact: true });
    await this.#expect(`${network} as a choice`, () => this.#patient(radio).toBeEnabled());
    await choose(radio);
    await this.#find('textbox', 'phoneNumber').fill(phone);
    this.#phone = phone;
    await this.#pay();
  }

  /** Enters the one-time code; the right one by default. */
  async enterOneTimeCode(code: string = ONE_TIME_CODE.right): Promise<void> {
    const field = this.#find('textbox', 'oneTimeCode');
    await this.#expect('a field for the one-time code', () => this.#patient(field).toBeEditable());
    this.#success.watch();
    await field.fill(code);
    await this.#find('button', 'confirm').click();
  }

  /** Approves or declines the challenge of the card's bank. */
  async answerChallenge(answer: 'approve' | 'decline'): Promise<void> {
    const name = answer === 'approve' ? 'Approve' : 'Decline';
    const button = this.frame
      .frameLocator(selectFrame('challengeFrame'))
      .getByRole('button', { name });
    await this.#expect("the bank's question", () => this.#patient(button).toBeVisible());
    this.#success.watch();
    await button.click();
  }

  /** Waits until the popup says that it sent a request to this phone. */
  async expectPromptFor(phone: string | PhoneToPayBy): Promise<void> {
    const digits = toPlainDigits(numberOf(phone)).replace(/\D/g, '').slice(-DIGITS_SHOWN);
    const shown = this.frame.getByText(new RegExp(`(?<![\\d.,])${digits}(?![\\d.,])`)).first();
    await this.#expect(`a prompt for the phone ending ${digits}`, async () => {
      await this.#patient(this.#find('heading', 'promptTitle')).toBeVisible();
      await this.#patient(shown).toBeVisible();
    });
  }

  /**
   * Approves the prompt once it is sent: on the phone last paid with or on `phone`, and the newest
   * prompt or the one of `reference`.
   */
  async approveOnPhone(phone?: string | PhoneToPayBy, reference?: string): Promise<void> {
    await this.#answerOnPhone('approve', phone, reference);
  }

  /** Declines the prompt; the arguments are those of `approveOnPhone`. */
  async declineOnPhone(phone?: string | PhoneToPayBy, reference?: string): Promise<void> {
    await this.#answerOnPhone('decline', phone, reference);
  }

  /** Waits for a decline and for the form to try again; with `reason`, for exactly that reason. */
  async expectDeclined(reason?: string): Promise<void> {
    await this.#expect(reason ? `a decline, “${reason}”` : 'a decline', async () => {
      if (reason) await this.#patient(this.alert).toHaveAttribute('data-reason', reason);
      else
        await this.#patient(
          this.alert.filter({ hasNotText: startIn('notSent', this.#languages) }),
        ).toBeVisible();
      await this.#patient(this.payButton).toBeEnabled();
    });
  }

  /** Waits until the popup reports success. It then closes by itself. */
  async expectSuccessful(): Promise<void> {
    await this.#expect('a successful payment', () =>
      this.#patient
        .poll(() => {
          this.#success.watch();
          return this.#success.hasSucceeded;
        })
        .toBe(true),
    );
  }

  /**
   * Waits for the question before leaving; `about` says whether it concerns typed fields or a
   * payment under way.
   */
  async expectLeavingQuestion(about?: Question): Promise<void> {
    const titles = (about ? [about] : UNDER_WAY).map((one) => `leave-${one}` as const);
    await this.#expect('the question before leaving', () =>
      this.#patient(this.#find('heading', titles)).toBeVisible(),
    );
  }

  /**
   * Presses Close. `answer` answers the question that the popup asks while a payment is in
   * progress. Without it, leaves the form even if fields are filled in.
   */
  async leave(answer?: 'keep-waiting' | 'close-anyway'): Promise<void> {
    await this.#expect('a popup to leave', () => this.#patient(this.close).toBeVisible());
    await this.close.click();
    if (answer) {
      await this.expectLeavingQuestion();
      const buttons = UNDER_WAY.map((one) =>
        answer === 'keep-waiting' ? (`stay-${one}` as const) : (`go-${one}` as const),
      );
      await this.#find('button', buttons).click();
    } else {
      await this.#leaveTyped();
    }
    if (answer !== 'keep-waiting') await this.expectClosed();
  }

  /** Cancels the prompt, to pay another way. */
  async useAnotherWay(): Promise<void> {
    const button = this.#find('button', 'useAnother');
    await this.#expect('a way out of the prompt', () => this.#patient(button).toBeVisible());
    await button.click();
  }

  /** Cancels the prompt and sends it again once the popup offers that. */
  async sendAgain(): Promise<void> {
    const button = this.#find('button', 'sendAgain');
    await this.#expect('a button that sends the prompt again', () =>
      this.#patient(button).toBeVisible(),
    );
    await button.click();
  }

  /** Switches the popup to another language and reads it in that language from then on. */
  async switchLanguage(language: Language): Promise<void> {
    const choice = this.#find('combobox', 'language');
    await this.#expect('a choice of language', () => this.#patient(choice).toBeVisible());
    await choice.selectOption(language);
    this.#languages = [language];
    await this.#expect(`the popup in ${language}`, () =>
      this.#patient(this.#find('combobox', 'language')).toBeVisible(),
    );
  }

  #find(
    role: 'heading' | 'button' | 'radio' | 'combobox' | 'textbox',
    key: NameKey | readonly NameKey[],
  ): Locator {
    return this.frame.getByRole(role, { name: nameIn(key, this.#languages) });
  }

  async #leaveTyped(): Promise<void> {
    const question = this.#find('heading', 'leave-typed');
    await this.#expect('the popup to close', () =>
      this.#patient
        .poll(async () => (await this.dialog.count()) === 0 || (await question.isVisible()))
        .toBe(true),
    );
    if (await this.dialog.count()) await this.#find('button', 'go-typed').click();
  }

  async #pay(): Promise<void> {
    this.#success.beginAnew();
    await this.payButton.click();
  }

  async #fillBilling(
    billing: NonNullable<CardDetails['billing']>,
    securityCode = '123',
  ): Promise<void> {
    const street = this.#find('textbox', 'streetAddress');
    await this.#expect('fields for the billing address', () =>
      this.#patient(street).toBeEditable(),
    );
    for (const field of BILLING_FIELDS) {
      const text = billing[field];
      if (text === undefined) continue;
      if (field === 'country') await this.#find('combobox', 'billingCountry').selectOption(text);
      else await this.#find('textbox', field).fill(text);
    }
    await this.#find('textbox', 'securityCode').fill(securityCode);
    await this.#pay();
  }

  async #answerOnPhone(
    answer: 'approve' | 'decline',
    phone: string | PhoneToPayBy | undefined,
    reference?: string,
  ): Promise<void> {
    const number = phone === undefined ? this.#phone : numberOf(phone);
    if (number === undefined)
      throw new Error('Name the phone: no phone has paid in this popup yet.');
    await this.#expect('a prompt on the phone', () =>
      this.#patient(this.#find('heading', ['promptTitle', 'stuckTitle'])).toBeVisible(),
    );
    const control = this.#control ?? buildControl({ url: await this.#findService(), token: null });
    this.#success.watch();
    await control[answer](number, reference);
  }

  async #findService(): Promise<string> {
    return new URL((await this.frame.owner().getAttribute('src')) ?? '').origin;
  }

  async #expect(wanted: string, check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (cause) {
      const shown = await describePopup(this, {
        hasSucceeded: this.#success.hasSucceeded,
        languages: this.#languages,
      });
      throw new Error(`Expected ${wanted}, but ${shown}.`, { cause });
    }
  }
}

function selectFrame(key: 'frame' | 'challengeFrame'): string {
  return namesOf(key)
    .map((title) => `iframe[title=${JSON.stringify(title)}]`)
    .join(', ');
}

function numberOf(phone: string | PhoneToPayBy): string {
  return typeof phone === 'string' ? phone : phone.phone;
}

/** Chooses by key: the sheet may still be growing, and a click would miss. */
async function choose(radio: Locator): Promise<void> {
  await radio.press('Space');
  await expect(radio).toBeChecked();
}
