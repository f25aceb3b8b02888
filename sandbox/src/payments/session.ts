import type { Network } from '@service-pay/contract/checkout-api';
import type { CardDetails, Collection, MobileMoneyDetails } from '@service-pay/contract/collection';
import type { Bearer, Channel } from '@service-pay/contract/payment-request-schema';
import type { Outcome } from '../test-numbers/outcomes.ts';
import type { MobilePhone } from '../test-numbers/phones.ts';
import type { Charge } from './fees.ts';
import type { Life } from './session-life.ts';

/**
 * One attempt with one instrument; its state is in the session's life. Holds no card number and no
 * code.
 */
export interface Attempt {
  readonly id: string;
  readonly channel: Channel;
  /** The visit that submitted it: no other visit may answer it (D25). */
  readonly visit: string;
  readonly outcome: Outcome;
  readonly cardDetails: CardDetails | null;
  readonly mobileMoneyDetails: MobileMoneyDetails | null;
  readonly phone: MobilePhone | null;
  /** The unguessable end of the challenge page's URL. */
  readonly challenge: string | null;
  codesLeft: number | null;
  isWithdrawalRefused: boolean;
  expiresAt: number | null;
  planned: number | null;
}

/** A customer's decision about a prompt or a challenge. */
export type Answer = 'approve' | 'decline';

export interface SessionTerms {
  readonly merchant: string;
  readonly accountId: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly bearer: Bearer;
  readonly email: string | null;
  readonly label: string | null;
  readonly channels: readonly Channel[];
  readonly networks: readonly Network[];
  readonly charge: Charge;
}

/**
 * One reference of one merchant: terms, life, attempts, and a collection from the first attempt on
 * (D35).
 */
export interface Session extends SessionTerms {
  readonly attempts: Attempt[];
  /** Digest and visit of every token issued, oldest first. Only the newest begins attempts. */
  readonly tokens: { readonly digest: string; readonly visit: string }[];
  /**
   * Ids of attempts that got a response without starting, newest last. None of them may start
   * later.
   */
  readonly passedOver: string[];
  life: Life;
  expiresAt: number;
  extensions: number;
  collection: Collection | null;
  endedAt: number | null;
  planned: number | null;
}

/**
 * A customer at the checkout page, known by a token. Reopening the page continues the same visit.
 */
export interface Visit {
  readonly id: string;
  readonly session: Session;
  readonly token: string;
}
