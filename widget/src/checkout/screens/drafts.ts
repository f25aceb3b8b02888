import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { BILLING_FIELDS } from '@service-pay/contract/typed-attempt';

import { buildCardDraft, CARD_FIELDS, type CardDraft } from '../card/draft.ts';
import { digitsOf } from '../card/number.ts';
import { isNotArrived, type Known } from '../flow/payment-state.ts';
import type { PhoneDraft } from '../mobile-money/draft.ts';

/** The customer's choices and typed fields. Lives in memory only, and outlives the forms. */
export interface Drafts {
  channel: string;
  card: CardDraft;
  phone: PhoneDraft;
}

/** The drafts of one payment, from what the shop knew to what was sent. */
export class KeptDrafts {
  now: Drafts;
  readonly #request: PaymentRequest;
  /** The forms' content when an attempt was last sent, without the security code. */
  #sent: Drafts | undefined;

  constructor(request: PaymentRequest) {
    this.#request = request;
    this.now = buildDrafts(request);
  }

  /** Notes that the content is being sent. */
  send(): void {
    const { card, phone } = this.now;
    this.#sent = { ...this.now, card: { ...card, securityCode: '' }, phone: { ...phone } };
  }

  /** Forgets what was sent if it did not arrive. */
  learn(known: Known): void {
    if (known.wire.unsent || isNotArrived(known)) this.#sent = undefined;
  }

  /**
   * Returns true if they contain something that the shop did not know. If the customer is `sure` to
   * leave, what was sent and declined does not count (D16).
   */
  isTyped(sure: boolean): boolean {
    const start = (sure && this.#sent) || buildDrafts(this.#request);
    const { card, phone } = this.now;
    const fields = [...CARD_FIELDS, ...BILLING_FIELDS];
    return (
      fields.some((field) => card[field].trim() !== start.card[field].trim()) ||
      numberOf(phone) !== numberOf(start.phone)
    );
  }
}

function buildDrafts(request: PaymentRequest): Drafts {
  return {
    channel: '',
    card: buildCardDraft(request),
    phone: { phone: request.customer?.phone ?? '', operator: '', isChosen: false },
  };
}

/** Returns the end of a phone number, which grouping and country code do not change. */
function numberOf({ phone }: PhoneDraft): string {
  return digitsOf(phone).slice(-9);
}
