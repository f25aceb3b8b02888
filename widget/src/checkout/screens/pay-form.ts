import type { Channel } from '@service-pay/contract/payment-request-schema';
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { CardForm } from '../card/form.ts';
import '../card/form.ts';
import type { FieldProblems } from '../flow/call-failure.ts';
import type { NewAttempt } from '../flow/new-attempt.ts';
import { channelsOf, type Payable } from '../flow/payment-state.ts';
import type { Catalogue, Messages } from '../language/messages/messages.ts';
import { formatMoney } from '../language/money-text.ts';
import { cardIcon, phoneIcon } from '../parts/icons.ts';
import { reactive } from '../parts/reactive.ts';
import { base } from '../styles/base.ts';
import { choiceStyles } from '../styles/form.ts';
import type { Drafts } from './drafts.ts';

interface ChannelRow {
  readonly icon: TemplateResult;
  /** Advises after a decline. */
  advice(words: Messages, isOnlyChannel: boolean): string;
  form(of: PayForm, problems: FieldProblems, amount: string): TemplateResult;
}

/** Everything that differs by channel before there is an attempt, and after a declined one. */
export const CHANNEL_TABLE: Record<Channel, ChannelRow> = {
  card: {
    icon: cardIcon,
    advice: (words, isOnly) => (isOnly ? words.tryAnotherCard : words.tryCardOrPhone),
    form: (of, problems, amount) => html`<card-form
      .words=${of.catalogue.words}
      .draft=${of.drafts.card}
      .problems=${problems}
      .amount=${amount}
      .accepted=${of.payable.merchant?.cardBrands}
      .locale=${of.catalogue.locale}
      .now=${of.payable.now}
      .isSending=${of.isSending}
      .isOffline=${of.isOffline}
      .renderBilling=${of.renderBilling}
      .pay=${of.pay}
    ></card-form>`,
  },
  'mobile-money': {
    icon: phoneIcon,
    advice: (words, isOnly) => (isOnly ? words.tryAnotherPhone : words.tryPhoneOrCard),
    form: (of, problems, amount) => html`<mobile-money-form
      .words=${of.catalogue.words}
      .networks=${of.payable.networks}
      .draft=${of.drafts.phone}
      .problems=${problems}
      .amount=${amount}
      .isSending=${of.isSending}
      .isOffline=${of.isOffline}
      .pay=${of.pay}
      .useCard=${of.payable.channels.includes('card') ? () => void of.useCard() : undefined}
    ></mobile-money-form>`,
  },
};

const NO_PROBLEMS: FieldProblems = {};

export class PayForm extends LitElement {
  static override styles = [
    base,
    choiceStyles,
    css`
      .lead {
        display: grid;
        gap: 12px;
        padding: 16px 20px 0;
      }
      .lead:not(:has(dl, fieldset)) {
        padding: 0;
      }
      .fees {
        color: var(--quiet);
        display: grid;
        font-size: 0.875rem;
        gap: 2px 16px;
        grid-template-columns: 1fr auto;
      }
      .fees dd {
        text-align: end;
      }
    `,
  ];

  @reactive catalogue!: Catalogue;
  @reactive payable!: Payable;
  @reactive drafts!: Drafts;
  @reactive problems: FieldProblems = {};
  @reactive isSending = false;
  @reactive isOffline = false;
  @reactive renderBilling: CardForm['renderBilling'];
  @reactive pay: (attempt: NewAttempt) => void = () => {};

  /** The problems of a form that the customer has left for another. */
  #problemsOfOtherForm: FieldProblems | undefined;

  focusStart(atHeading = false): void {
    if (atHeading) this.renderRoot.querySelector('h1')?.focus();
    else this.#form?.focusStart?.();
  }

  focusPay(): void {
    this.#form?.focusPay?.();
  }

  protected override async getUpdateComplete(): Promise<boolean> {
    const isComplete = await super.getUpdateComplete();
    if (this.#form) await customElements.whenDefined(this.#form.localName);
    await this.#form?.updateComplete;
    return isComplete;
  }

  /** The form's element; for mobile money it may not be defined yet. */
  get #form(): (LitElement & { focusStart?(): void; focusPay?(): void }) | null {
    return this.renderRoot.querySelector('card-form, mobile-money-form');
  }

  protected override render(): TemplateResult {
    const { catalogue, payable } = this;
    const { words } = catalogue;
    const problems = this.problems === this.#problemsOfOtherForm ? NO_PROBLEMS : this.problems;
    const channels = channelsOf(payable);
    const channel = channels.find((one) => one === this.drafts.channel) ?? channels[0]!;
    return html`
      <div class="lead">
        <h1 class="unseen" tabindex="-1">${words.chooseHowToPay(payable.merchantName)}</h1>
        ${payable.bearer === 'customer' ? this.#renderFees() : nothing}
        ${channels.length > 1 ? this.#renderChannels(channels, channel) : nothing}
      </div>
      ${CHANNEL_TABLE[channel].form(this, problems, this.#money(payable.total))}
    `;
  }

  #renderChannels(channels: readonly Channel[], chosen: Channel): TemplateResult {
    const { words } = this.catalogue;
    return html`
      <fieldset>
        <legend class="unseen">${words.howToPay}</legend>
        <div class="choices">
          ${channels.map(
            (channel) => html`
              <label class=${channel === chosen ? 'choice chosen' : 'choice'}>
                <input
                  type="radio"
                  name="channel"
                  value=${channel}
                  .checked=${channel === chosen}
                  ?disabled=${this.isSending && channel !== chosen}
                  @change=${() => this.#choose(channel)}
                />
                ${CHANNEL_TABLE[channel].icon}<span>${words.channels[channel]}</span>
              </label>
            `,
          )}
        </div>
      </fieldset>
    `;
  }

  async useCard(): Promise<void> {
    this.#choose('card');
    await this.updateComplete;
    this.focusStart();
  }

  #choose(channel: Channel): void {
    this.drafts.channel = channel;
    this.#problemsOfOtherForm = this.problems;
    this.requestUpdate();
  }

  #renderFees(): TemplateResult {
    const { words } = this.catalogue;
    const { amount, fee } = this.payable;
    return html`
      <dl class="fees">
        <dt>${words.amount}</dt>
        <dd class="amount-text">${this.#money(amount)}</dd>
        <dt>${words.fee}</dt>
        <dd class="amount-text">${this.#money(fee)}</dd>
      </dl>
    `;
  }

  #money(decimal: string): string {
    return formatMoney(decimal, this.payable.currency, this.catalogue.locale);
  }
}

customElements.define('pay-form', PayForm);
