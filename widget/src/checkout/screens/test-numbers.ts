import type { Channel } from '@service-pay/contract/payment-request-schema';
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Payable } from '../flow/payment-state.ts';
import { channelsOf } from '../flow/payment-state.ts';
import { ENGLISH_WORDS, type Messages } from '../language/messages/all-words.ts';
import { reactive } from '../parts/reactive.ts';
import { base } from '../styles/base.ts';
import type { Drafts } from './drafts.ts';

interface TestNumber {
  channel: Channel;
  outcome: keyof Messages['testNumbers'];
  number: string;
  operator?: string;
}

const CARDS: readonly TestNumber[] = [
  { channel: 'card', outcome: 'successful', number: '4242 4242 4242 4242' },
  { channel: 'card', outcome: 'challenged', number: '4000 0000 0000 3220' },
  { channel: 'card', outcome: 'declined', number: '4000 0000 0000 0002' },
  { channel: 'card', outcome: 'notEnough', number: '4000 0000 0000 9995' },
  { channel: 'card', outcome: 'billing', number: '4000 0000 0000 0010' },
  { channel: 'card', outcome: 'slow', number: '4000 0000 0000 0077' },
];

const phone = (operator: string, outcome: TestNumber['outcome'], number: string): TestNumber => ({
  channel: 'mobile-money',
  outcome,
  number,
  operator,
});

const PHONES: Readonly<Record<string, readonly TestNumber[]>> = {
  zm: [
    phone('mtn', 'successful', '096 111 1111'),
    phone('airtel', 'successful', '097 111 1111'),
    phone('mtn', 'notEnough', '096 222 2222'),
    phone('mtn', 'code', '096 999 9999'),
    phone('mtn', 'waiting', '096 000 0000'),
    phone('mtn', 'unanswered', '096 666 6666'),
  ],
  mw: [
    phone('tnm', 'successful', '088 111 1111'),
    phone('airtel', 'successful', '099 111 1111'),
    phone('tnm', 'notEnough', '088 333 3333'),
  ],
};

const TEST_CARD = { expiry: '12/34', securityCode: '123' } as const;

export class TestNumbers extends LitElement {
  static override styles = [
    base,
    css`
      section {
        background: var(--waiting-tint);
        color: var(--waiting);
        display: grid;
        font-size: 0.8125rem;
        gap: 8px;
        margin-block-start: 12px;
        padding: 12px 20px;
      }
      h2 {
        font-size: 0.8125rem;
        font-weight: 600;
        margin: 0;
      }
      div {
        display: grid;
        gap: 8px;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, max(140px, 12ch)), 1fr));
      }
      button.second {
        background: var(--surface);
        border-color: color-mix(in srgb, var(--waiting) 55%, transparent);
        color: var(--text);
        display: block;
        font-size: 0.8125rem;
        font-weight: 500;
        line-height: 1.3;
        min-block-size: 44px;
        overflow-wrap: anywhere;
        padding: 6px 12px;
        text-align: start;
      }
      small {
        color: var(--quiet);
        display: block;
        font-size: 0.75rem;
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  @reactive words: Messages = ENGLISH_WORDS;
  @reactive payable!: Payable;
  @reactive drafts!: Drafts;
  @reactive fill: (drafts: Drafts) => void = () => {};

  protected override render(): TemplateResult {
    const { words, payable } = this;
    const channels = channelsOf(payable);
    const phones = PHONES[payable.networks[0]?.country ?? ''] ?? [];
    const { card, 'mobile-money': phone } = words.channels;
    return html`
      <section aria-label=${words.testMode}>
        <p>${words.testExplained}</p>
        ${channels.includes('card') ? this.#renderGroup(card, CARDS) : nothing}
        ${channels.includes('mobile-money') ? this.#renderGroup(phone, phones) : nothing}
      </section>
    `;
  }

  #renderGroup(title: string, numbers: readonly TestNumber[]): TemplateResult {
    const { words, payable } = this;
    const nameOf = (operator: string) =>
      payable.networks.find((network) => network.operator === operator)?.name ?? '';
    const describe = ({ operator, number }: TestNumber) =>
      operator ? `${nameOf(operator)} ${number}` : `•••• ${number.slice(-4)}`;
    return html`
      <h2>${title}</h2>
      <div>
        ${numbers.map(
          (each) => html`
            <button type="button" class="second" @click=${() => this.#choose(each)}>
              ${words.testNumbers[each.outcome]}
              <small><bdi dir="ltr">${describe(each)}</bdi></small>
            </button>
          `,
        )}
      </div>
    `;
  }

  #choose({ channel, number, operator = '' }: TestNumber): void {
    const { card, phone } = this.drafts;
    const name = card.name || 'Test Customer';
    this.fill(
      channel === 'card'
        ? { channel, card: { ...card, ...TEST_CARD, number, name }, phone }
        : { channel, card, phone: { phone: number, operator, isChosen: true } },
    );
  }
}

customElements.define('test-numbers', TestNumbers);
