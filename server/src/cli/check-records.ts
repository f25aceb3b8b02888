import type { Database } from '../database/database.ts';
import { PaymentStore } from '../payments/store.ts';
import { selectUnknownReferences } from '../payments/unknown-references.ts';
import { realClock } from '../support/clock.ts';
import type { Finding } from './finding.ts';
import { selectDeliveriesOf, selectUnfulfilled } from './records.ts';

/** A webhook should have arrived for one of the newest paid payments, if they are old enough. */
const NEWEST_PAID = 5;
const WEBHOOK_WITHIN_MS = 60_000;

export async function checkDeliveries(database: Database): Promise<Finding> {
  const paid = await new PaymentStore(database).findPaymentsIn('paid', NEWEST_PAID);
  const since = paid.at(-1)?.createdAt ?? 0;
  if (!paid.length || realClock.now() - since < WEBHOOK_WITHIN_MS)
    return ['No webhook is missing yet.'];
  const references = paid.map(({ reference }) => reference);
  const webhooks = await selectDeliveriesOf(database.db, references, since).execute();
  const reported = new Set(webhooks.map(({ reference }) => reference)).size;
  if (reported)
    return [`Webhooks arrived for ${reported} of the ${paid.length} most recent paid payments.`];
  return [
    `No webhook arrived for any of the ${paid.length} most recent paid payments.`,
    'Give the provider your address: <PUBLIC_URL>/webhooks/service-pay',
  ];
}

export async function checkReview(database: Database): Promise<Finding> {
  const [newest] = await new PaymentStore(database).findPaymentsIn('needs-review', 1);
  if (!newest) return ['No payment waits for a decision.'];
  return [
    `A payment was made, but not as ordered: ${newest.reference}, ${newest.reason}.`,
    'Decide about each: npx --no -- service-pay orders needs-review',
  ];
}

export async function checkUnknown({ db }: Pick<Database, 'db'>): Promise<Finding> {
  const [unknown, ...more] = await selectUnknownReferences(db, realClock.now()).execute();
  if (!unknown) return ['No money was received for an unknown reference.'];
  const others = more.length ? ` and ${more.length} more` : '';
  return [
    `Money was received in the last day for unknown references: ${unknown.reference}${others}.`,
    'Look each up at the service, then refund it or fulfil it yourself. A transaction was rolled back, a backup was restored, or the order is in another database. If another shop of yours made it, ignore it.',
  ];
}

/** Warns from the first failure on, before an order is parked after the tenth. */
export async function checkFulfilment({ db }: Pick<Database, 'db'>): Promise<Finding> {
  const [failing] = await selectUnfulfilled(db, 'waiting')
    .where('last_error', 'is not', null)
    .limit(1)
    .execute();
  const [parked] = await selectUnfulfilled(db, 'parked').limit(1).execute();
  if (!failing && !parked) return ['No paid order waits because fulfil failed.'];
  return [
    `Paid orders ${parked ? 'are parked: fulfil failed ten times, and is not tried again' : 'wait, because fulfil fails'}. The last error: ${(failing ?? parked)?.lastError ?? 'not known'}`,
    'Fix the cause. To list the orders, and what to do about each: npx --no -- service-pay orders waiting',
  ];
}
