import type { Network } from '@service-pay/contract/checkout-api';
import type { CardDetails, Collection, MobileMoneyDetails } from '@service-pay/contract/collection';
import type { Bearer, Channel } from '@service-pay/contract/payment-request-schema';
import type { Charge } from './fees.ts';
import type { Outcome } from './outcomes.ts';
import type { MobilePhone } from './phones.ts';
import type { Life } from './session-life.ts';

/**
 * One try with one instrument, beside its state in the session's life. Holds no card number and no
 * code.
 */
export interface Attempt {
  readonly id: string;
  readonly channel: Channel;
  /** The visit that submitted it: nobody else may answer it (D25). */
  readonly visit: string;
  readonly outcome: Outcome;
  readonly cardDetails: CardDetails | null;
  readonly mobileMoneyDetails: MobileMoneyDetails | null;
  readonly phone: MobilePhone | null;
  /** The unguessable end of the challenge page's address. */
  readonly challenge: string | null;
  codesLeft: number | null;
  /** The network was asked to take the prompt back and refused (D47). */
  isWithdrawalRefused: boolean;
  /** When what is waited for gives up by itself. */
  expiresAt: number | null;
  /** The number under which the end of this wait is planned. */
  planned: number | null;
}

/** What a session is made of: one merchant's reference, amount and terms. */
export interface SessionTerms {
  readonly merchant: string;
  readonly accountId: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly bearer: Bearer;
  /** The customer's address, for the receipt and the story (D29). Null for a placed collection. */
  readonly email: string | null;
  readonly label: string | null;
  readonly channels: readonly Channel[];
  readonly networks: readonly Network[];
  readonly charge: Charge;
  expiresAt: number;
}

/**
 * One reference of one merchant: its terms, its life, its attempts, and from the first attempt on
 * its collection (D35).
 */
export interface Session extends SessionTerms {
  /** In order of beginning, as in its life. */
  readonly attempts: Attempt[];
  /**
   * Of every token given out: its digest and whose visit it is, oldest first. Only the newest
   * begins attempts.
   */
  readonly tokens: { readonly digest: string; readonly visit: string }[];
  /**
   * Ids of attempts that were answered and did not begin, newest last: none of them begins later.
   */
  readonly passedOver: string[];
  life: Life;
  /** How often the customer has asked for more time. */
  extensions: number;
  collection: Collection | null;
  endedAt: number | null;
  /** The number under which the end of its time is planned. */
  planned: number | null;
}

/**
 * Somebody at the checkout page of a session, known by a token. It stays the same visit when it is
 * opened again.
 */
export interface Visit {
  readonly id: string;
  readonly session: Session;
  /** The digest of the token in hand. */
  readonly token: string;
}
