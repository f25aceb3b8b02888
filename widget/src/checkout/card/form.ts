import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { ENGLISH, type Messages } from '../language/messages/messages.ts';
import {
  type FieldOptions,
  type FieldProblems,
  focusFirstProblem,
  listProblems,
  renderField,
  renderList,
  SayEvent,
  wordsFor,
} from '../parts/field.ts';
import { cardIcon } from '../parts/icons.ts';
import { reactive } from '../parts/property.ts';
import { renderFormFoot } from '../parts/submit-bar.ts';
import { base } from '../styles/base.ts';
import { formStyles } from '../styles/form.ts';
import { findBrand, loadBrands } from './brand.ts';
import {
  type AttemptOf,
  askForBilling,
  BILLING_FIELDS,
  type BillingField,
  buildCardAttempt,
  CARD_FIELDS,
  type CardDraft,
  type CardField,
  checkCard,
} from './draft.ts';
import { formatExpiry } from './expiry.ts';
import { type Deletion, digitsOf, formatCardNumber } from './number.ts';

/** What each field is called, by the name of its word; in the order they stand in. */
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
} as const satisfies Record<CardField | BillingField, keyof Messages>;

/**
 * Takes a card: number, expiry date, security code, name, and the billing address where the card
 * needs it.
 */
@customElement('card-form')
export class CardForm extends LitElement {
  static override styles = [base, formStyles];

  @reactive words: Messages = ENGLISH.words;
  /** What is typed so far; written to as the customer types, and kept by whoever gave it. */
  @reactive draft!: CardDraft;
  /** What the service could not take. */
  @reactive problems: FieldProblems = {};
  /** The total, as text. */
  @reactive amount = '';
  @reactive merchant = '';
  /** The service's time, for expiry dates. */
  @reactive now = '';
  @reactive isSending = false;
  /** Given the attempt, each time the customer submits a form in which every field can be sent. */
  @reactive pay: (attempt: AttemptOf<'card'>) => void = () => {};

  @reactive private found: FieldProblems = {};
  /** What was wrong when it was last sent. */
  #listed: readonly string[] = [];
  /** The field that was just left with a problem, of which nothing has been said yet. */
  #unsaid: CardField | BillingField | undefined;
  #numberBefore = '';

  /** Puts the focus where typing begins. */
  focusStart(): void {
    if (!focusFirstProblem(this.renderRoot)) this.renderRoot.querySelector('input')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('problems')) return;
    const { length } = this.draft.needed;
    askForBilling(this.draft, this.problems);
    this.#find(this.problems, this.draft.needed.length === length);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('problems')) focusFirstProblem(this.renderRoot);
  }

  readonly #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (this.isSending) return;
    this.#find(checkCard(this.draft, this.now));
    await this.updateComplete;
    if (!focusFirstProblem(this.renderRoot)) this.pay(buildCardAttempt(this.draft));
  };

  /** Fields that are asked for only now are no mistakes to list. */
  #find(found: FieldProblems, areMistakes = true): void {
    this.found = found;
    this.#unsaid = undefined;
    this.#listed = areMistakes ? listProblems(CARD_FORM_FIELDS, found) : [];
  }

  /** A field that was left is checked at once, unless it is still empty. */
  #check(field: CardField | BillingField): void {
    const problem = this.draft[field].trim() ? checkCard(this.draft, this.now)[field] : undefined;
    if (!problem) return;
    this.found = { ...this.found, [field]: problem };
    this.#unsaid = field;
  }

  /**
   * Whoever goes on to another field hears what is wrong with the last; whoever sends the form is
   * led back to it.
   */
  readonly #goOn = ({ target }: Event): void => {
    const problem = this.#unsaid && wordsFor(this.words, this.found[this.#unsaid]);
    if (problem && target instanceof HTMLInputElement) this.dispatchEvent(new SayEvent(problem));
    this.#unsaid = undefined;
  };

  #keep(field: CardField | BillingField, value: string): void {
    this.draft[field] = value;
    const { [field]: _, ...others } = this.found;
    this.found = others;
    this.requestUpdate();
  }

  readonly #typeNumber = ({
    target,
    inputType,
  }: InputEvent & { target: HTMLInputElement }): void => {
    this.#group(target, deletionOf(inputType));
    this.#keep('number', target.value);
    loadBrands()?.then(
      () => this.#regroup(target),
      () => {},
    );
  };

  /** Puts the gaps in, and leaves the caret where it was among the digits. */
  #group(input: HTMLInputElement, deletion?: Deletion): void {
    const typed = { text: input.value, caret: input.selectionStart ?? input.value.length };
    const { text, caret } = formatCardNumber(typed, this.#numberBefore, deletion);
    if (text !== input.value) {
      input.value = text;
      if (input.matches(':focus')) input.setSelectionRange(caret, caret);
    }
    this.#numberBefore = text;
  }

  /** A brand that is known only now may have other gaps. */
  #regroup(input: HTMLInputElement): void {
    this.#group(input);
    this.draft.number = input.value;
    this.requestUpdate();
  }

  readonly #typeExpiry = ({
    target,
    inputType,
  }: InputEvent & { target: HTMLInputElement }): void => {
    const typed = { text: target.value, caret: target.selectionStart ?? target.value.length };
    const { text } = formatExpiry(typed, deletionOf(inputType) !== undefined);
    if (text !== target.value) target.value = text;
    this.#keep('expiry', text);
  };

  protected override render(): TemplateResult {
    const { words, draft } = this;
    const brand = findBrand(digitsOf(draft.number));
    return html`
      <form novalidate @submit=${this.#submit} @focusin=${this.#goOn}>
        <div class="fields">
          ${renderList(words, this.#listed, (name) => words[LABELS[name as keyof typeof LABELS]], this.found)}
          ${this.#field('number', {
            autocomplete: 'cc-number',
            inputMode: 'numeric',
            placeholder: '1234 5678 9012 3456',
            onInput: this.#typeNumber,
            mark: html`<span class="mark">${cardIcon}${brand?.name ?? nothing}</span>`,
          })}
          ${this.#field('expiry', {
            autocomplete: 'cc-exp',
            inputMode: 'numeric',
            placeholder: '12/34',
            hint: words.expiryHint,
            onInput: this.#typeExpiry,
          })}
          ${this.#field('securityCode', {
            autocomplete: 'cc-csc',
            inputMode: 'numeric',
            hint: words.securityCodeHint(brand?.codeLength ?? 3),
            maxLength: 8,
          })}
          ${this.#field('name', { autocomplete: 'cc-name', capitalize: 'words', isLast: !draft.needed.length })}
          ${draft.needed.length ? this.#renderBilling() : nothing}
        </div>
        ${renderFormFoot(words, this.amount, this.merchant, this.isSending)}
      </form>
    `;
  }

  #renderBilling(): TemplateResult {
    const { words } = this;
    return html`
      <p class="introduction">${words.billingIntroduction}</p>
      ${this.#field('streetAddress', { autocomplete: 'billing address-line1', capitalize: 'words' })}
      ${this.#field('city', { autocomplete: 'billing address-level2', capitalize: 'words' })}
      ${this.#field('state', { autocomplete: 'billing address-level1', hint: words.stateHint, capitalize: 'words' })}
      ${this.#field('postalCode', { autocomplete: 'billing postal-code', capitalize: 'characters' })}
      ${this.#field('country', { autocomplete: 'billing country', hint: words.countryHint, capitalize: 'words', isLast: true })}
    `;
  }

  #field(
    name: CardField | BillingField,
    options: Pick<FieldOptions, 'autocomplete'> & Partial<FieldOptions>,
  ): TemplateResult {
    return renderField({
      name,
      label: this.words[LABELS[name]],
      value: this.draft[name],
      problem: wordsFor(this.words, this.found[name]),
      isReadOnly: this.isSending,
      onInput: ({ target }) => this.#keep(name, target.value),
      onChange: () => this.#check(name),
      ...options,
    });
  }
}

/** Every name a problem of this form may have. */
export const CARD_FORM_FIELDS: readonly string[] = [...CARD_FIELDS, ...BILLING_FIELDS];

function deletionOf(inputType: string): Deletion {
  if (inputType === 'deleteContentBackward') return 'backward';
  return inputType === 'deleteContentForward' ? 'forward' : undefined;
}
