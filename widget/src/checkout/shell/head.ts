import type { MerchantFacts } from '@service-pay/contract/checkout-api';
import { FULL_SIZE_FITS } from '@service-pay/contract/money-format';
import { cutToShown } from '@service-pay/contract/payment-request';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { html, nothing, type TemplateResult } from 'lit';

import type { Payable, Screen } from '../flow/payment-state.ts';
import type { FirstWords } from '../language/messages/messages.ts';
import { isLogo } from '../parts/icons.ts';

/** The most characters at the next size. */
const SMALL_FITS = 20;

export type ShopFacts = Pick<MerchantFacts, 'merchantName' | 'merchant' | 'isTest'>;

interface Head {
  screen: Screen;
  words: FirstWords;
  request: PaymentRequest;
  facts?: ShopFacts | undefined;
  payable: Payable | undefined;
  /** Formatted, and empty while it is not known. */
  amount: string;
  /** Shown in place of the label during a wait. */
  wait: string | undefined;
  isTestOpen: boolean;
  toggleTest: () => void;
}

/** Renders who is paid, for what and how much. */
export function renderHead(head: Head): TemplateResult {
  const { screen, request, facts, payable, amount, wait } = head;
  const shop = payable ?? facts;
  const isBrief = !['form', 'code', 'loading', 'unreachable'].includes(screen);
  const name = cutToShown(shop?.merchantName ?? '');
  // Success shows the amount in its receipt, and an end takes none.
  const isWait = isBrief && !['success', 'over', 'rejected'].includes(screen);
  const label = isWait ? wait : payable?.label || request.label;
  return html`
    <div class="head ${isBrief ? 'brief' : sizeOf(amount)}">
      <div class="who">
        ${name ? renderTile(name, shop?.merchant?.logo) : nothing}
        <div class="names">
          ${name ? html`<p class="merchant"><bdi>${name}</bdi></p>` : nothing}
          ${label ? html`<p class="label"><bdi>${cutToShown(label)}</bdi></p>` : nothing}
        </div>
      </div>
      ${shop?.isTest ? renderBadge(head) : nothing}
      ${isBrief ? nothing : renderTotal(head)}
    </div>
  `;
}

function renderTile(name: string, logo?: string): TemplateResult {
  return isLogo(logo)
    ? html`<img class="tile" src=${logo} alt="" />`
    : html`<span class="tile" aria-hidden="true">${[...name][0]}</span>`;
}

function renderBadge({ screen, words, isTestOpen, toggleTest }: Head): TemplateResult {
  const badge = html`<span class="badge">${words.testMode}</span>`;
  if (screen !== 'form') return html`<span class="test">${badge}</span>`;
  return html`
    <button class="test" type="button" aria-expanded=${isTestOpen} @click=${toggleTest}>
      ${badge}
    </button>
  `;
}

function renderTotal({ payable, request, words, amount }: Head): TemplateResult {
  if (!amount) return html`<p class="total"><span class="bone line"></span></p>`;
  const currency = payable?.currency ?? request.currency ?? '';
  const [before, after] = amount.split(currency);
  const of = html`<span class="of">${words.total}</span> `;
  return html`
    <p class="total">
      ${payable?.bearer === 'customer' ? of : nothing}
      <span>${before}<small>${currency}</small>${after}</span>
    </p>
  `;
}

function sizeOf(amount: string): string {
  if (amount.length > SMALL_FITS) return 'wide widest';
  return amount.length > FULL_SIZE_FITS ? 'wide' : 'usual';
}
