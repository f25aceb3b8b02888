import type { Network } from '@service-pay/contract/checkout-api';
import { findNetwork, findPhone } from '@service-pay/contract/phone';
import { type AttemptOf, toPhoneAttempt } from '@service-pay/contract/typed-attempt';
import { findPastedPhone, groupPhone, isOfOtherCountry } from '@service-pay/contract/typed-phone';
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { FieldProblems } from '../flow/call-failure.ts';
import { ENGLISH_WORDS, type Messages } from '../language/messages/all-words.ts';
import { type Action, renderButton } from '../parts/button.ts';
import {
  type FieldEvent,
  focusFirstProblem,
  listProblems,
  renderField,
  SayEvent,
  selectIf,
  wordsFor,
} from '../parts/field.ts';
import { renderFormFoot } from '../parts/form-foot.ts';
import { networkStyles, renderNetworkMark } from '../parts/marks.ts';
import { reactive } from '../parts/reactive.ts';
import { submitListener } from '../parts/submit-listener.ts';
import { showTyped, typedIn } from '../parts/typed.ts';
import { base } from '../styles/base.ts';
import { choiceStyles, formStyles } from '../styles/form.ts';
import { PHONE_FIELDS, type PhoneDraft } from './draft.ts';
import { durationOf, networkFieldStyles, noticeOf, renderNetworkField } from './network-field.ts';

export class MobileMoneyForm extends LitElement {
  static override styles = [
    base,
    formStyles,
    choiceStyles,
    networkStyles,
    networkFieldStyles,
    css`
      /* A phone number and its prefix run from left to right in every language. */
      .prefix {
        block-size: 24px;
        border-right: 1px solid var(--hairline);
        inset-inline: auto;
        left: 12px;
        padding-right: 10px;
      }
      .box > .prefix + input {
        padding-inline: calc(4.4ch + 28px) 40px;
        text-align: left;
      }
      .prefix ~ .mark {
        inset-inline: auto;
        right: 12px;
      }
      .offer {
        margin-block-start: 8px;
      }
      .next {
        color: var(--quiet);
        font-size: 0.8125rem;
        text-wrap: balance;
      }
    `,
  ];

  @reactive words: Messages = ENGLISH_WORDS;
  @reactive networks: readonly Network[] = [];
  /** Written to as the customer types; its owner keeps it. */
  @reactive draft!: PhoneDraft;
  @reactive problems: FieldProblems = {};
  @reactive amount = '';
  @reactive isSending = false;
  @reactive isOffline = false;
  @reactive pay: (attempt: AttemptOf<'mobile-money'>) => void = () => {};
  /** Leads to the card form, if cards are offered. */
  @reactive useCard: (() => void) | undefined;

  @reactive private found: FieldProblems = {};
  #saidNotice = '';

  focusStart(): void {
    if (!focusFirstProblem(this.renderRoot))
      this.renderRoot.querySelector<HTMLInputElement>('#phone')?.focus();
  }

  focusPay(): void {
    this.renderRoot.querySelector<HTMLButtonElement>('[type=submit]')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('problems')) this.found = this.problems;
    if (changed.has('draft') || changed.has('networks')) {
      this.draft.phone = groupPhone({ text: this.draft.phone, caret: 0 }, this.#callingCode).text;
      this.#suggest();
    }
    const notice = noticeOf(this.words, this.#chosen) ?? '';
    // Read with its group when a form begins, which has other news to say.
    if (notice !== this.#saidNotice && this.hasUpdated) this.dispatchEvent(new SayEvent(notice));
    this.#saidNotice = notice;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('problems')) focusFirstProblem(this.renderRoot);
  }

  get #callingCode(): string {
    return this.networks[0]?.callingCode.replace(/[^0-9]/g, '') ?? '';
  }

  get #isForeign(): boolean {
    return isOfOtherCountry(this.draft.phone, this.#callingCode);
  }

  get #hint(): string | undefined {
    if (this.#isForeign) return this.words.phoneOtherCountry(this.#callingCode);
    const other = this.#otherNetwork;
    return other && this.words.phoneOtherNetwork(other.name);
  }

  #suggest(): void {
    const network =
      this.networks.length === 1 ? this.networks[0] : findNetwork(this.draft.phone, this.networks);
    if (network && !this.draft.isChosen) this.draft.operator = network.operator;
  }

  get #chosen(): Network | undefined {
    return this.networks.find(({ operator }) => operator === this.draft.operator);
  }

  /** The first way around a network that is down. */
  get #detour(): Action | undefined {
    const { words, networks, useCard } = this;
    if (this.#chosen?.notice !== 'down') return undefined;
    if (useCard) return { name: words.useCard, act: useCard };
    const other = networks.find(({ notice }) => notice !== 'down');
    return other && { name: words.useNetwork(other.name), act: () => void this.#useOther(other) };
  }

  /** Chooses a network for another number, which replaces this one as it is typed. */
  async #useOther({ operator }: Network): Promise<void> {
    this.#choose(operator);
    this.draft.isChosen = false;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>('#phone')?.select();
  }

  get #otherNetwork(): Network | undefined {
    const { operator, phone } = this.draft;
    const network = findNetwork(phone, this.networks);
    return operator && network?.operator !== operator ? network : undefined;
  }

  readonly #type = ({ target, inputType }: FieldEvent): void => {
    if (inputType === 'insertFromPaste') {
      const pasted = findPastedPhone(target.value);
      if (pasted) target.value = pasted;
    }
    const typed = typedIn(target);
    if (!inputType?.startsWith('delete') || typed.caret < typed.text.length)
      showTyped(target, groupPhone(typed, this.#callingCode));
    this.draft.phone = target.value;
    this.#suggest();
    const { phone: _, ...others } = this.found;
    if (this.draft.operator) delete others['operator'];
    this.found = others;
    this.requestUpdate();
  };

  readonly #selectSent = selectIf(() => this.draft.phone === this.draft.sentPhone);

  readonly #check = (): void => {
    const { phone } = this.#findProblems();
    if (!phone || !this.draft.phone.trim()) return;
    this.found = { ...this.found, phone };
    this.dispatchEvent(new SayEvent(this.#wordsForPhone() ?? ''));
  };

  #choose(operator: string): void {
    this.draft.operator = operator;
    this.draft.isChosen = true;
    const { phone } = this.found;
    this.found = phone && phone.code !== 'phone-other-network' ? { phone } : {};
    this.requestUpdate();
  }

  #findProblems(): FieldProblems {
    const { phone, operator } = this.draft;
    const found: FieldProblems = {};
    if (!phone.trim()) found['phone'] = { code: 'phone-missing' };
    else if (!findPhone(phone, this.networks)) found['phone'] = { code: 'phone-invalid' };
    else if (this.#otherNetwork) found['phone'] = { code: 'phone-other-network' };
    if (!this.networks.some((network) => network.operator === operator))
      found['operator'] = { code: 'network-missing' };
    return found;
  }

  /** Chooses the network of the number; the pressed button goes, so the network gets the focus. */
  async #useNetwork(operator: string): Promise<void> {
    this.#choose(operator);
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>('.chosen input')?.focus();
  }

  readonly #submit = submitListener(async () => {
    if (this.isSending || this.isOffline) return;
    this.found = this.#findProblems();
    const areSeveral = listProblems(PHONE_FIELDS, this.found).length > 0;
    await this.updateComplete;
    if (focusFirstProblem(this.renderRoot, areSeveral ? this.words.checkFields : '')) return;
    const { phone, operator } = this.draft;
    this.draft.sentPhone = phone;
    this.pay(toPhoneAttempt(operator, phone));
  });

  #wordsForPhone(): string | undefined {
    const { words } = this;
    const problem = this.found['phone'];
    const other = this.#otherNetwork;
    if (problem?.code === 'phone-invalid' && this.#isForeign)
      return words.phoneOtherCountry(this.#callingCode);
    return problem?.code === 'phone-other-network' && other
      ? words.phoneOtherNetwork(other.name)
      : wordsFor(words, problem);
  }

  protected override render(): TemplateResult {
    const { words, draft, networks } = this;
    const suggested = findNetwork(draft.phone, networks);
    const other = this.#otherNetwork;
    const problem = this.#wordsForPhone();
    return html`
      <form novalidate @submit=${this.#submit} @click=${this.#submit}>
        <div class="fields">
          ${renderField({
            name: 'phone',
            label: words.phoneNumber,
            value: draft.phone,
            autocomplete: 'tel',
            inputMode: 'tel',
            maxLength: 40,
            isLast: true,
            isReadOnly: this.isSending,
            problem,
            hint: problem ? undefined : this.#hint,
            onInput: this.#type,
            onCompose: ({ target }) => {
              this.draft.phone = target.value;
            },
            onChange: this.#check,
            onEnter: this.#selectSent,
            offer: other
              ? renderButton({
                  name: words.useNetwork(other.name),
                  act: () => void this.#useNetwork(other.operator),
                  className: 'second offer',
                })
              : nothing,
            prefix:
              this.#callingCode && !this.#isForeign
                ? html`<span class="prefix" dir="ltr" aria-hidden="true"
                    >+${this.#callingCode}</span>`
                : nothing,
            mark: suggested
              ? html`<span class="mark">${renderNetworkMark(suggested)}</span>`
              : nothing,
          })}
          ${renderNetworkField(
            this,
            this.#chosen,
            wordsFor(words, this.found['operator']),
            this.#detour,
            (operator) => this.#choose(operator),
          )}
          <p class="next">${words.beforePrompt}${durationOf(words, this.#chosen)}</p>
        </div>
        ${renderFormFoot(words, this.amount, this.isSending, this.isOffline)}
      </form>
    `;
  }
}

customElements.define('mobile-money-form', MobileMoneyForm);
