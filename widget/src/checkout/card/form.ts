import {
  type AttemptOf,
  type BillingField,
  toWireExpiry,
} from '@service-pay/contract/typed-attempt';
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { FieldProblems } from '../flow/call-failure.ts';
import { ENGLISH, type FirstWords } from '../language/messages/messages.ts';
import {
  type FieldEvent,
  type FieldOptions,
  focusFirstProblem,
  listProblems,
  renderField,
  SayEvent,
  selectIf,
  wordsFor,
} from '../parts/field.ts';
import { renderFormFoot } from '../parts/form-foot.ts';
import { reactive } from '../parts/reactive.ts';
import { submitListener } from '../parts/submit-listener.ts';
import { showTyped, typedIn } from '../parts/typed.ts';
import { base } from '../styles/base.ts';
import { formStyles } from '../styles/form.ts';
import type { renderBilling } from './billing.ts';
import { brandsToShow, findBrand, fullLengthOf, loadBrands } from './brand.ts';
import {
  buildCardAttempt,
  CARD_FIELDS,
  CARD_FORM_FIELDS,
  type CardDraft,
  type CardField,
  checkCard,
  findNumberProblem,
  requireBilling,
} from './draft.ts';
import { findExpiryProblem, findPastedExpiry, formatExpiry } from './expiry.ts';
import { type Deletion, digitsOf, findPastedCard, formatCardNumber } from './number.ts';

/** The marks shown if the service does not say which brands are accepted. */
const USUAL_BRANDS: readonly string[] = ['visa', 'mastercard'];
const MOST_MARKS = 3;

/** A Tab within this time after the automatic jump meant that jump, and is ignored. */
const LATE_TAB_MS = 500;

const LABELS = {
  number: 'cardNumber',
  expiry: 'expiryDate',
  securityCode: 'securityCode',
  name: 'nameOnCard',
  streetAddress: 'streetAddress',
  city: 'city',
  state: 'state',
  postalCode: 'postalCode',
  country: 'country',
} as const;

export class CardForm extends LitElement {
  static override styles = [base, formStyles];

  @reactive words: FirstWords & { [label in BillingField]?: string } = ENGLISH.words;
  /** Written to as the customer types; its owner keeps it. */
  @reactive draft!: CardDraft;
  @reactive problems: FieldProblems = {};
  @reactive amount = '';
  @reactive accepted: readonly string[] | undefined;
  @reactive locale = 'en';
  @reactive now = '';
  @reactive isSending = false;
  @reactive isOffline = false;
  /** Loaded with the session: few cards need a billing address. */
  @reactive renderBilling: typeof renderBilling | undefined;
  @reactive pay: (attempt: AttemptOf<'card'>) => void = () => {};

  @reactive found: FieldProblems = {};
  /** Fields that were wrong when the form was last submitted. */
  listed: readonly string[] = [];
  #firstRequired: BillingField | undefined;
  /** The field left with a problem that has not been announced. */
  #unsaid: CardField | BillingField | undefined;
  #numberBefore = '';
  #isComposing = false;
  /** When the focus moved on by itself, until something is typed. */
  #ledOnAt = -Infinity;

  focusStart(): void {
    if (!focusFirstProblem(this.renderRoot)) this.renderRoot.querySelector('input')?.focus();
  }

  focusPay(): void {
    this.renderRoot.querySelector('button')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('draft') && this.draft.number) this.#wantBrands();
    if (!changed.has('problems')) return;
    const { needed } = this.draft;
    requireBilling(this.draft, this.problems);
    // Newly requested fields are not mistakes.
    this.#firstRequired = this.draft.needed.find((field) => !needed.includes(field));
    const mistakes = Object.entries(this.problems).filter(
      ([, { code }]) => !(this.#firstRequired && code === 'billing-required'),
    );
    this.#find(Object.fromEntries(mistakes));
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('problems')) return;
    if (!this.#focusProblem() && this.#firstRequired) this.#input(this.#firstRequired)?.focus();
  }

  readonly #submit = submitListener(async () => {
    if (this.isSending || this.isOffline) return;
    this.#find(checkCard(this.draft, this.now, this.accepted));
    await this.updateComplete;
    if (this.#focusProblem()) return;
    this.draft.sentNumber = this.draft.number;
    this.pay(buildCardAttempt(this.draft));
  });

  #find(found: FieldProblems): void {
    this.found = found;
    this.#unsaid = undefined;
    this.listed = listProblems(CARD_FORM_FIELDS, found);
  }

  #focusProblem(): boolean {
    return focusFirstProblem(this.renderRoot, this.listed.length ? this.words.checkFields : '');
  }

  #input(field: CardField | BillingField): HTMLInputElement | null {
    return this.renderRoot.querySelector(`#${field}`);
  }

  #check(field: CardField | BillingField): void {
    const problem = this.draft[field].trim()
      ? checkCard(this.draft, this.now, this.accepted)[field]
      : undefined;
    if (!problem || this.found[field]?.code === problem.code) return;
    this.found = { ...this.found, [field]: problem };
    this.#unsaid = field;
  }

  /**
   * Announces the problem of the field that was left, unless the form is being submitted, which
   * leads back to it.
   */
  readonly #goOn = ({ target }: Event): void => {
    const problem = this.#unsaid && wordsFor(this.words, this.found[this.#unsaid]);
    if (problem && target instanceof HTMLInputElement) this.dispatchEvent(new SayEvent(problem));
    this.#unsaid = undefined;
  };

  readonly #press = (event: KeyboardEvent): void => {
    if (event.key === 'Backspace') this.#goBack(event);
    if (event.key !== 'Tab' || event.shiftKey) return;
    if (event.timeStamp - this.#ledOnAt < LATE_TAB_MS) event.preventDefault();
    this.#ledOnAt = -Infinity;
  };

  /** Backspace in an empty field leads to the end of the one before it. */
  #goBack(event: KeyboardEvent): void {
    const { target, repeat } = event;
    if (repeat || !(target instanceof HTMLInputElement) || target.value) return;
    const before = CARD_FIELDS[CARD_FIELDS.indexOf(target.id as CardField) - 1];
    const input = before && this.#input(before);
    if (!input) return;
    event.preventDefault();
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  }

  keep(field: CardField | BillingField, value: string): void {
    this.#ledOnAt = -Infinity;
    const { number, typedFor } = this.draft;
    this.draft[field] = value;
    this.draft.typedFor = { ...typedFor, [field]: digitsOf(number) };
    const { [field]: _, ...others } = this.found;
    this.found = others;
    this.requestUpdate();
  }

  readonly #typeNumber = ({ target, inputType }: FieldEvent): void => {
    this.#isComposing = false;
    const pasted = inputType === 'insertFromPaste' && findPastedCard(target.value);
    if (pasted) {
      const { number, expiry, securityCode } = pasted;
      target.value = number;
      this.keep('number', number);
      this.keep('expiry', toWireExpiry(expiry));
      if (securityCode) this.keep('securityCode', securityCode);
    }
    this.#takeNumber(target, inputType, deletionOf(inputType));
    this.#wantBrands(inputType);
  };

  #takeNumber(input: HTMLInputElement, inputType: string, deletion?: Deletion): void {
    const codeBefore = this.found['number']?.code;
    this.#group(input, deletion);
    this.keep('number', input.value);
    const code = this.#judgeNumber(input, inputType);
    if (!code) return;
    this.found = { ...this.found, number: { code } };
    if (code !== codeBefore) this.dispatchEvent(new SayEvent(wordsFor(this.words, { code })!));
  }

  /**
   * Takes the number again once its brand is known, which may be after its last digit. A problem
   * found in the meantime stays: the customer has not typed since.
   */
  #wantBrands(inputType = ''): void {
    loadBrands()?.then(
      () => {
        const input = this.#input('number');
        this.requestUpdate();
        if (!input || this.#isComposing) return;
        const isFound = this.found['number'] !== undefined;
        if (input.matches(':focus') && !isFound) return this.#takeNumber(input, inputType);
        this.#group(input);
        this.draft.number = input.value;
      },
      () => {},
    );
  }

  /**
   * Checks a number while it is typed: its brand after four digits, its check digit at the last. A
   * complete one moves the focus on.
   */
  #judgeNumber(input: HTMLInputElement, inputType: string): string | undefined {
    const digits = digitsOf(input.value);
    const problem = findNumberProblem(input.value, this.accepted);
    if (digits.length < fullLengthOf(digits))
      return problem === 'card-brand-not-accepted' ? problem : undefined;
    if (!problem) this.#leadOn(input, inputType, this.#nextAfterNumber());
    return problem;
  }

  /** Skips a date that was pasted with the number, but none of another number. */
  #nextAfterNumber(): CardField {
    const { expiry } = this.draft;
    const isOpen = this.#isOfAnother('expiry') || findExpiryProblem(expiry, this.now);
    return isOpen ? 'expiry' : 'securityCode';
  }

  /** Moves the focus on if this field was typed into and the caret is at its end. */
  #leadOn(input: HTMLInputElement, inputType: string, next: CardField): void {
    const isTyped = inputType === 'insertText' || inputType === 'insertFromPaste';
    const isAtEnd = input.selectionStart === input.value.length;
    if (!isTyped || !isAtEnd || !input.matches(':focus')) return;
    this.#input(next)?.focus();
    this.#ledOnAt = performance.now();
  }

  /** Inserts the gaps and keeps the caret after the same digit. */
  #group(input: HTMLInputElement, deletion?: Deletion): void {
    showTyped(input, formatCardNumber(typedIn(input), this.#numberBefore, deletion));
    this.#numberBefore = input.value;
  }

  readonly #typeExpiry = ({ target, inputType }: FieldEvent): void => {
    const pasted = inputType === 'insertFromPaste' && findPastedExpiry(target.value);
    if (pasted) target.value = pasted.expiry;
    else showTyped(target, formatExpiry(typedIn(target), deletionOf(inputType) !== undefined));
    this.keep('expiry', target.value);
    if (pasted) this.keep('securityCode', pasted.securityCode);
    // After a year, one digit may be half a month.
    if (!/^[01]/.test(target.value)) return;
    const code = findExpiryProblem(target.value, this.now);
    if (!code) this.#leadOn(target, inputType, pasted ? 'name' : 'securityCode');
    // A year of two digits is complete, one of four may still be typed.
    if (code !== 'expiry-past' || target.value.endsWith('/20')) return;
    this.found = { ...this.found, expiry: { code } };
    this.dispatchEvent(new SayEvent(wordsFor(this.words, { code })!));
  };

  readonly #typeCode = ({ target, inputType }: FieldEvent): void => {
    const length = findBrand(digitsOf(this.draft.number))?.codeLength;
    const code = digitsOf(target.value).slice(0, length ?? 4);
    if (code !== target.value) target.value = code;
    this.keep('securityCode', code);
    if (code.length === length) this.#leadOn(target, inputType, 'name');
  };

  readonly #selectNumber = selectIf(
    () => this.draft.sentNumber !== '' && this.draft.number === this.draft.sentNumber,
  );
  readonly #selectExpiry = selectIf(() => this.#isOfAnother('expiry'));
  readonly #selectCode = selectIf(() => this.#isOfAnother('securityCode'));

  /** Checks if a field was typed for another number than the one in the form. */
  #isOfAnother(field: CardField): boolean {
    const { number, sentNumber, typedFor } = this.draft;
    const typed = typedFor[field] || digitsOf(sentNumber);
    return typed !== '' && typed !== digitsOf(number);
  }

  protected override render(): TemplateResult {
    const { words, draft } = this;
    const digits = digitsOf(draft.number);
    const codeLength = findBrand(digits)?.codeLength ?? 3;
    const marks = brandsToShow(digits, this.accepted ?? USUAL_BRANDS).slice(0, MOST_MARKS);
    return html`
      <form
        novalidate
        @submit=${this.#submit}
        @click=${this.#submit}
        @focusin=${this.#goOn}
        @keydown=${this.#press}
      >
        <div class="fields">
          ${this.#field('number', {
            knownAs: 'cardnumber',
            autocomplete: 'cc-number',
            inputMode: 'numeric',
            placeholder: '1234 1234 1234 1234',
            onInput: this.#typeNumber,
            onEnter: this.#selectNumber,
            mark: html`<card-marks class="mark" .brands=${marks}></card-marks>`,
          })}
          <div class="pair">
            ${this.#field('expiry', {
              knownAs: 'exp-date',
              autocomplete: 'cc-exp',
              inputMode: 'numeric',
              placeholder: words.expiryPlaceholder,
              onInput: this.#typeExpiry,
              onEnter: this.#selectExpiry,
            })}
            ${this.#field('securityCode', {
              knownAs: 'cvc',
              autocomplete: 'cc-csc',
              inputMode: 'numeric',
              placeholder: 'CVC',
              hint: codeLength === 4 ? words.securityCodeHint(4) : undefined,
              onInput: this.#typeCode,
              onEnter: this.#selectCode,
              maxLength: 8,
              mark: renderCodeSign(words.securityCodeHint(codeLength)),
            })}
          </div>
          ${this.#field('name', {
            knownAs: 'ccname',
            autocomplete: 'cc-name',
            capitalize: 'words',
            isLast: !draft.needed.length,
          })}
          ${
            draft.needed.length
              ? this.renderBilling!(this, (field, options) => this.#field(field, options))
              : nothing
          }
        </div>
        ${renderFormFoot(words, this.amount, this.isSending, this.isOffline)}
      </form>
    `;
  }

  labelOf(field: string): string {
    return this.words[LABELS[field as keyof typeof LABELS]] ?? '';
  }

  #field(
    name: CardField | BillingField,
    options: Pick<FieldOptions, 'autocomplete'> & Partial<FieldOptions>,
  ): TemplateResult {
    return renderField({
      name,
      label: this.labelOf(name),
      value: this.draft[name],
      problem: wordsFor(this.words, this.found[name]),
      isReadOnly: this.isSending,
      onInput: ({ target }) => {
        showTyped(target, typedIn(target));
        this.keep(name, target.value);
      },
      onCompose: ({ target }) => {
        this.#isComposing = name === 'number';
        this.keep(name, target.value);
      },
      onChange: () => this.#check(name),
      ...options,
    });
  }
}

customElements.define('card-form', CardForm);

function renderCodeSign(text: string): TemplateResult {
  return html`<svg class="mark code" role="img" aria-label=${text}
    width="30" height="20" viewBox="0 0 30 20"
    ><rect x=".5" y=".5" width="29" height="19" rx="3" /><path d="M0 6h30M5 13h6"
    /><circle cx="21.5" cy="13" r="5" /><path d="M19 13h.1M21.5 13h.1M24 13h.1" /></svg>`;
}

function deletionOf(inputType: string): Deletion {
  if (inputType === 'deleteContentBackward') return 'backward';
  return inputType === 'deleteContentForward' ? 'forward' : undefined;
}
