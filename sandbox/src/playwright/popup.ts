import { expect, type Frame, type FrameLocator, type Locator, type Page } from '@playwright/test';
import { LANGUAGES, type Language } from '@service-pay/contract/languages';
import { buildControl, type Control } from '../control/control.ts';
import { type PhoneToPayBy, TEST_CARDS } from '../payments/named-numbers.ts';
import { ONE_TIME_CODE } from '../payments/outcomes.ts';
import { amountPattern } from './amount-pattern.ts';
import { type NameKey, nameIn, namesOf, QUESTIONS, type Question, startIn } from './names.ts';
import { SuccessWatch } from './wait-for-success.ts';

/** What a popup is read with. */
export interface PaymentPopupOptions {
  /** The language the frame must speak. Without one, any that the popup speaks is read. */
  locale?: Language;
  /**
   * The sandbox's control API, which answers the phone. Without it, that of the sandbox the popup
   * came from is asked, without a token.
   */
  control?: Pick<Control, 'approve' | 'decline'>;
  /** How long each call waits for what it needs; as long as Playwright's `expect` unless given. */
  timeoutMs?: number;
}

/**
 * What is typed beside the card's number. Everything has a default but the billing address, which
 * is typed only where it is given.
 */
export interface CardDetails {
  expiry?: string;
  securityCode?: string;
  name?: string;
  /** `country` is its two letters, or its name in the popup's language. */
  billing?: Partial<Record<(typeof BILLING_FIELDS)[number], string>>;
}

const BILLING_FIELDS = ['streetAddress', 'city', 'state', 'postalCode', 'country'] as const;

/** What the question before leaving may be about while a payment is under way. */
const UNDER_WAY = QUESTIONS.filter((about) => about !== 'typed');

/** As many of a phone's digits as the prompt shows. */
const DIGITS_SHOWN = 4;

/**
 * The payment popup as a customer meets it, for tests with Playwright: found by role and accessible
 * name, in any language it speaks. Each call waits for what it needs, as long as `expect` does, and
 * says what the popup shows instead where that does not come.
 */
export class PaymentPopup {
  /** The popup's window, on the merchant's page. */
  readonly dialog: Locator;
  /** What is inside: the service's own page. */
  readonly frame: FrameLocator;
  /** The button that leaves. */
  readonly close: Locator;
  readonly #control: PaymentPopupOptions['control'];
  readonly #success: SuccessWatch;
  readonly #patient: typeof expect;
  #languages: readonly Language[];
  #phone: string | undefined;

  /** `place` is the page the merchant's button is on, or the frame where it is in one. */
  constructor(
    place: Page | Frame | FrameLocator,
    { locale, control, timeoutMs }: PaymentPopupOptions = {},
  ) {
    if (locale !== undefined && !LANGUAGES.includes(locale))
      throw new Error(`The popup speaks ${LANGUAGES.join(', ')}: name one as locale.`);
    this.#control = control;
    this.#patient = timeoutMs === undefined ? expect : expect.configure({ timeout: timeoutMs });
    this.#languages = locale ? [locale] : LANGUAGES;
    this.dialog = place.getByRole('dialog', { name: startIn('dialog') });
    this.close = place.getByRole('button', { name: nameIn('close') });
    this.frame = place.frameLocator(selectFrame('frame'));
    this.#success = new SuccessWatch(this.frame, () => namesOf('successTitle', this.#languages));
  }

  /** The one button that pays. */
  get payButton(): Locator {
    return this.frame.getByRole('button', { name: startIn('pay', this.#languages) });
  }

  /** What the frame says went wrong. */
  get alert(): Locator {
    return this.frame.getByRole('alert');
  }

  /**
   * Waits for the form; where `amount` is given, for the button that names it: `"1500.50"`, however
   * the language writes it.
   */
  async expectOpen({ amount }: { amount?: string | number } = {}): Promise<void> {
    await this.#expect('an open payment form', () => this.#patient(this.payButton).toBeVisible());
    if (amount === undefined) return;
    await this.#expect(`a form that takes ${amount}`, () =>
      this.#patient(this.payButton).toHaveText(amountPattern(amount)),
    );
  }

  /** Waits until the popup has gone. */
  async expectClosed(): Promise<void> {
    await this.#expect('the popup to be closed', () => this.#patient(this.dialog).toHaveCount(0));
  }

  /** Chooses how to pay, where there is a choice. */
  async chooseChannel(channel: 'card' | 'mobile-money'): Promise<void> {
    await this.expectOpen();
    const radio = this.#find('radio', channel === 'card' ? 'card' : 'mobileMoney');
    if (await radio.count()) await radio.check();
  }

  /**
   * Types a card without paying: any future expiry, any three digits and any name, unless given.
   */
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

  /**
   * Pays by card, by one that is successful unless another is given. `billing` is typed as soon as
   * it is asked for.
   */
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
    await this.#expect(`${network} to choose from`, () => this.#patient(radio).toBeEnabled());
    await radio.check();
    await this.#find('textbox', 'phoneNumber').fill(phone);
    this.#phone = phone;
    await this.#pay();
  }

  /** Enters the code that the network sent by message; the right one unless another is given. */
  async enterOneTimeCode(code: string = ONE_TIME_CODE.right): Promise<void> {
    const field = this.#find('textbox', 'oneTimeCode');
    await this.#expect('a question for the one-time code', () =>
      this.#patient(field).toBeEditable(),
    );
    this.#success.watch();
    await field.fill(code);
    await this.#find('button', 'confirm').click();
  }

  /** Answers the page of the card's bank. */
  async answerChallenge(answer: 'approve' | 'decline'): Promise<void> {
    const name = answer === 'approve' ? 'Approve' : 'Decline';
    const button = this.frame
      .frameLocator(selectFrame('challengeFrame'))
      .getByRole('button', { name });
    await this.#expect("the bank's question", () => this.#patient(button).toBeVisible());
    this.#success.watch();
    await button.click();
  }

  /** Waits until the popup says that a request was sent to this phone. */
  async expectPromptFor(phone: string | PhoneToPayBy): Promise<void> {
    const digits = numberOf(phone).replace(/\D/g, '').slice(-DIGITS_SHOWN);
    const shown = this.frame.getByText(new RegExp(`(?<![\\d.,])${digits}(?![\\d.,])`)).first();
    await this.#expect(`a prompt for the phone ending ${digits}`, async () => {
      await this.#patient(this.#find('heading', 'promptTitle')).toBeVisible();
      await this.#patient(shown).toBeVisible();
    });
  }

  /**
   * Approves on the phone, once the prompt is out: on the one paid with last, or another; the
   * newest prompt, or that of a reference.
   */
  async approveOnPhone(phone?: string | PhoneToPayBy, reference?: string): Promise<void> {
    await this.#answerOnPhone('approve', phone, reference);
  }

  /** Declines on the phone, as `approveOnPhone` approves. */
  async declineOnPhone(phone?: string | PhoneToPayBy, reference?: string): Promise<void> {
    await this.#answerOnPhone('decline', phone, reference);
  }

  /**
   * Waits for a decline, and for the form to try again with; where `reason` is given, for that one,
   * word for word as the service says it.
   */
  async expectDeclined(reason?: string): Promise<void> {
    await this.#expect(reason ? `a decline, “${reason}”` : 'a decline', async () => {
      if (reason) await this.#patient(this.alert).toContainText(reason);
      else
        await this.#patient(
          this.alert.filter({ hasNotText: startIn('notSent', this.#languages) }),
        ).toBeVisible();
      await this.#patient(this.payButton).toBeEnabled();
    });
  }

  /** Waits until the popup says that the payment was successful. It then goes by itself. */
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
   * Waits for the question that is asked before the popup is left: `about` what was typed, or about
   * what is under way.
   */
  async expectLeavingQuestion(about?: Question): Promise<void> {
    const titles = (about ? [about] : UNDER_WAY).map((one) => `leave-${one}` as const);
    await this.#expect('the question whether to leave', () =>
      this.#patient(this.#find('heading', titles)).toBeVisible(),
    );
  }

  /**
   * Presses Close. While a payment is under way the popup asks; `answer` is what the customer then
   * says. Without it only a form with something typed may ask, and is left.
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

  /** Takes the prompt back, to pay another way. */
  async useAnotherWay(): Promise<void> {
    const button = this.#find('button', 'useAnother');
    await this.#expect('a way out of the prompt', () => this.#patient(button).toBeVisible());
    await button.click();
  }

  /** Takes the prompt back and has it sent again, once the popup offers that. */
  async sendAgain(): Promise<void> {
    const button = this.#find('button', 'sendAgain');
    await this.#expect('a prompt that can be sent again', () =>
      this.#patient(button).toBeVisible(),
    );
    await button.click();
  }

  /** Chooses another language, and reads the popup in that one from here on. */
  async switchLanguage(language: Language): Promise<void> {
    const choice = this.#find('combobox', 'language');
    await this.#expect('a choice of language', () => this.#patient(choice).toBeVisible());
    await choice.selectOption(language);
    this.#languages = [language];
    await this.#expect(`the popup to speak ${language}`, () =>
      this.#patient(this.#find('combobox', 'language')).toBeVisible(),
    );
  }

  /**
   * A field, button, heading or choice of the frame, by what it is: its name is that of the
   * language.
   */
  #find(
    role: 'heading' | 'button' | 'radio' | 'combobox' | 'textbox',
    key: NameKey | readonly NameKey[],
  ): Locator {
    return this.frame.getByRole(role, { name: nameIn(key, this.#languages) });
  }

  /** Answers the question about what was typed, if it is asked before the popup has gone. */
  async #leaveTyped(): Promise<void> {
    const asked = this.#find('heading', 'leave-typed');
    await this.#expect('the popup to close', () =>
      this.#patient
        .poll(async () => (await this.dialog.count()) === 0 || (await asked.isVisible()))
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
    await this.#expect('a question for the billing address', () =>
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
      throw new Error('Name the phone: this popup was not paid with one yet.');
    await this.#expect('a prompt on the phone', () =>
      this.#patient(this.#find('heading', ['promptTitle', 'stuckTitle'])).toBeVisible(),
    );
    const control = this.#control ?? buildControl({ url: await this.#findService(), token: null });
    this.#success.watch();
    await control[answer](number, reference);
  }

  /** The origin of the service that the frame is from. */
  async #findService(): Promise<string> {
    return new URL((await this.frame.owner().getAttribute('src')) ?? '').origin;
  }

  async #expect(wanted: string, check: () => Promise<void>): Promise<void> {
    try {
      await check();
    } catch (cause) {
      throw new Error(`Expected ${wanted}, but ${await this.#describe()}.`, { cause });
    }
  }

  /** What there is instead, in a sentence that begins small. */
  async #describe(): Promise<string> {
    const isGone = (await this.dialog.count()) === 0;
    if (this.#success.hasSucceeded)
      return `the popup said “${namesOf('successTitle', this.#languages)[0]}”${isGone ? ' and has gone' : ''}`;
    if (isGone) return 'there is no popup on the page';
    const [language] = await textsOf(this.frame.locator('html'), 'lang');
    const notes = await textsOf(this.frame.locator('[aria-invalid="true"]'), 'aria-describedby');
    const said = [
      ...(await textsOf(this.dialog.getByRole('alert'))),
      ...(await textsOf(this.frame.getByRole('heading'))),
      ...(await textsOf(this.alert)),
      ...(notes.length
        ? await textsOf(this.frame.locator(notes.map((id) => `#${id}`).join(', ')))
        : []),
      ...(await textsOf(this.payButton)),
    ];
    const spoken =
      language && !this.#languages.includes(language as Language)
        ? `, in “${language}”: name that as locale`
        : '';
    return said.length
      ? `the popup says ${said.map((text) => `“${text}”`).join(', ')}${spoken}`
      : `the popup says nothing yet${spoken}`;
  }
}

async function textsOf(locator: Locator, attribute?: string): Promise<string[]> {
  const texts = await locator
    .filter({ visible: true })
    .evaluateAll(
      (nodes, name) =>
        nodes.map((node) => (name ? node.getAttribute(name) : node.textContent)) as (
          | string
          | null
        )[],
      attribute,
    )
    .catch(() => []);
  return texts.flatMap((text) => text?.replace(/\s+/g, ' ').trim() || []);
}

function selectFrame(key: 'frame' | 'challengeFrame'): string {
  return namesOf(key)
    .map((title) => `iframe[title=${JSON.stringify(title)}]`)
    .join(', ');
}

function numberOf(phone: string | PhoneToPayBy): string {
  return typeof phone === 'string' ? phone : phone.phone;
}
