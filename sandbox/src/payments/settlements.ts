import { randomUUID } from 'node:crypto';
import type { Settlement } from '@service-pay/contract/collection';
import type { Channel } from '@service-pay/contract/payment-request-schema';
import type { EventName } from '@service-pay/contract/webhook';
import type { History } from '../storage/history.ts';
import { keyOf, nameOf } from '../storage/payment-key.ts';
import type { Clock } from '../time/clock.ts';
import { CHANNEL_TABLE } from './channels.ts';
import type { Session } from './session.ts';
import type { CollectionStore } from './store.ts';
import { recordSteps, settlementPaid, settlementPlanned } from './story.ts';

export type Notify = (merchant: string, event: EventName, collection: object) => void;

export interface SettlementsDeps {
  clock: Clock;
  history: History;
  store: CollectionStore;
  notify: Notify;
}

export class Settlements {
  readonly #clock: Clock;
  readonly #history: History;
  readonly #store: CollectionStore;
  readonly #notify: Notify;

  constructor({ clock, history, store, notify }: SettlementsDeps) {
    this.#clock = clock;
    this.#history = history;
    this.#store = store;
    this.#notify = notify;
    clock.handle('settlement', (key) => this.#payOut(key));
  }

  /** Sets the fee of a successful session, notifies the merchant and plans the payout. */
  begin(session: Session, channel: Channel): void {
    const { merchant, currency, charge, accountId } = session;
    const collection = session.collection!;
    const { type, afterMs } = CHANNEL_TABLE[channel].settlement;
    const dueAt = this.#clock.now() + afterMs;
    const settlement: Settlement = {
      id: randomUUID(),
      amountSettled: charge.settled,
      currency,
      createdAt: this.#clock.timestamp(),
      settledAt: null,
      status: 'pending',
      type,
      accountId,
    };
    collection.fee = charge.fee;
    collection.settlementStatus = 'pending';
    collection.settlement = settlement;
    if (collection.mobileMoneyDetails) {
      const operatorTransactionId = this.#store.newOperatorTransactionId();
      collection.mobileMoneyDetails = {
        ...collection.mobileMoneyDetails,
        accountName: 'TEST PAYER',
        operatorTransactionId,
      };
    }
    const planned = settlementPlanned({
      amount: charge.settled,
      currency,
      type,
      dueAt: this.#clock.timestamp(dueAt),
    });
    recordSteps(this.#history, session, planned);
    this.#notify(merchant, 'collection.successful', collection);
    this.#clock.plan(dueAt, 'settlement', keyOf(session));
  }

  #payOut(key: string): void {
    const session = this.#store.findSession(nameOf(key));
    const { collection } = session ?? {};
    if (!session || !collection?.settlement) return;
    const { amountSettled, currency } = collection.settlement;
    collection.settlement.status = 'settled';
    collection.settlement.settledAt = this.#clock.timestamp();
    collection.settlementStatus = 'settled';
    recordSteps(this.#history, session, settlementPaid({ amount: amountSettled, currency }));
    this.#notify(session.merchant, 'collection.settled', collection);
    this.#store.markChanged(session);
  }
}
