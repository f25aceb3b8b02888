import type { Network } from '@service-pay/contract/checkout-api';
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import type { AttemptOf } from '../card/draft.ts';
import { ENGLISH, type Messages } from '../language/messages/messages.ts';
import {
  type FieldProblems,
  focusFirstProblem,
  listProblems,
  renderField,
  renderList,
  renderNote,
  wordsFor,
} from '../parts/field.ts';
import { checkIcon } from '../parts/icons.ts';
import { reactive } from '../parts/property.ts';
import { renderFormFoot } from '../parts/submit-bar.ts';
import { base } from '../styles/base.ts';
import { choiceStyles, formStyles } from '../styles/form.ts';
import { PHONE_FIELDS, type PhoneDraft } from './draft.ts';
import { findNationalNumber, findNetwork } from './number.ts';

/** Takes a mobile money account: the network, which the number suggests, and the phone number. */
@customElement('mobile-money-form')
export class MobileMoneyForm extends LitElement {
  static override styles = [base, formStyles, choiceStyles];

  @reactive words: Messages = ENGLISH.words;
  @reactive networks: readonly Network[] = [];
  /** What is typed so far; written to as the customer types, and kept by whoever gave it. */
  @reactive draft!: PhoneDraft;
  /** What the service could not take. */
  @reactive problems: FieldProblems = {};
  /** The total, as text. */
  @reactive amount = '';
  @reactive merchant = '';
  @reactive isSending = false;
  /** Given the attempt, each time the customer submits a form in which every field can be sent. */
  @reactive pay: (attempt: AttemptOf<'mobile-money'>) => void = () => {};

  @reactive private found: FieldProblems = {};
  /** What was wrong when it was last sent. */
  #listed: readonly string[] = [];

  /** Puts the focus where typing begins. */
  focusStart(): void {
    if (!focusFirstProblem(this.renderRoot))
      this.renderRoot.querySelector<HTMLInputElement>('#phone')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('problems')) this.#find(this.problems);
    if (changed.has('draft') || changed.has('networks')) this.#suggest();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('problems')) focusFirstProblem(this.renderRoot);
  }

  #suggest(): void {
    // One choice is no choice.
    const network =
      this.networks.length === 1 ? this.networks[0] : findNetwork(this.draft.phone, this.networks);
    if (network && !this.draft.isChosen) this.draft.operator = network.operator;
  }

  readonly #type = ({ target }: { target: HTMLInputElement }): void => {
    this.draft.phone = target.value;
    this.#suggest();
    const { phone: _, ...others } = this.found;
    if (this.draft.operator) delete others['operator'];
    this.found = others;
    this.requestUpdate();
  };

  #choose(operator: string): void {
    this.draft.operator = operator;
    this.draft.isChosen = true;
    const { phone } = this.found;
    this.found = phone && phone.code !== 'phone-other-network' ? { phone } : {};
    this.requestUpdate();
  }

  #find(found: FieldProblems): void {
    this.found = found;
    this.#listed = listProblems(PHONE_FIELDS, found);
  }

  readonly #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (this.isSending) return;
    const { phone, operator } = this.draft;
    const found: FieldProblems = {};
    if (!this.networks.some((network) => network.operator === operator))
      found['operator'] = { code: 'network-missing' };
    if (!phone.trim()) found['phone'] = { code: 'phone-missing' };
    else if (!findNationalNumber(phone, this.networks)) found['phone'] = { code: 'phone-invalid' };
    this.#find(found);
    await this.updateComplete;
    if (!focusFirstProblem(this.renderRoot))
      this.pay({ channel: 'mobile-money', mobileMoney: { operator, phone: phone.trim() } });
  };

  protected override render(): TemplateResult {
    const { words, draft, networks } = this;
    const suggested = findNetwork(draft.phone, networks);
    const problem = wordsFor(words, this.found['operator']);
    return html`
      <form novalidate @submit=${this.#submit}>
        <div class="fields">
          ${renderList(words, this.#listed, (name) => (name === 'phone' ? words.phoneNumber : words.network), this.found)}
          <fieldset role="radiogroup" aria-describedby="operator-note" aria-invalid=${problem ? 'true' : nothing}>
            <legend>${words.network}</legend>
            <div class="choices">
              ${networks.map(
                ({ operator, name }) => html`
                  <label class=${operator === draft.operator ? 'choice chosen' : 'choice'}>
                    <input
                      type="radio"
                      name="operator"
                      value=${operator}
                      .checked=${operator === draft.operator}
                      ?disabled=${this.isSending && operator !== draft.operator}
                      @change=${() => this.#choose(operator)}
                    />
                    ${operator === draft.operator ? checkIcon : nothing}<span>${name}</span>
                  </label>
                `,
              )}
            </div>
            ${renderNote('operator-note', problem)}
          </fieldset>
          ${renderField({
            name: 'phone',
            label: words.phoneNumber,
            value: draft.phone,
            autocomplete: 'tel',
            inputMode: 'tel',
            maxLength: 40,
            isLast: true,
            isReadOnly: this.isSending,
            problem: wordsFor(words, this.found['phone']),
            hint:
              suggested && draft.operator !== suggested.operator
                ? words.networkFound(suggested.name)
                : words.phoneHint,
            onInput: this.#type,
          })}
        </div>
        ${renderFormFoot(words, this.amount, this.merchant, this.isSending)}
      </form>
    `;
  }
}
