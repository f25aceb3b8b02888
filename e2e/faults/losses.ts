import { setTimeout as pause } from 'node:timers/promises';

import type { Findings } from './harness.ts';
import type { Scene } from './scene.ts';
import type { Delivery } from './shopping.ts';

/** An order by the references of its payments that the service says are paid: usually one, two where a customer paid twice. */
export type PaidOrder = readonly string[];

/** Waits until every paid order stands where it has to and was handed over, and gives the milliseconds it took; the wait is bounded. */
export async function untilSettled(scene: Scene, paid: readonly PaidOrder[], withinMs: number): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < withinMs && (await findUnsettled(scene, paid)).length) await pause(50);
  return Math.round(performance.now() - began);
}

/**
 * Counts what must never be: acknowledged webhooks that are not stored, paid orders that are not paid or not handed over, orders
 * handed over twice by key, and one call made twice by one process, which had no reason to.
 */
export async function countLosses(
  scene: Scene,
  findings: Findings,
  paid: readonly PaidOrder[],
  deliveries: readonly Delivery[],
): Promise<void> {
  const stored = new Set((await scene.database.rows<{ id: string }>('select id from webhook_deliveries')).map(({ id }) => id));
  const acknowledged = deliveries.filter(({ isAcknowledged }) => isAcknowledged);
  findings.figures.acknowledged = acknowledged.length;
  findings.limit('acknowledged and lost', acknowledged.filter(({ id }) => !stored.has(id)).length, 0);
  findings.limit('never acknowledged', deliveries.length - acknowledged.length, 0);
  findings.limit('paid orders lost', (await findUnsettled(scene, paid)).length, 0);

  const calls = await scene.handedOver();
  const keysOf = Map.groupBy(calls, ({ orderId }) => orderId);
  const ofPaid = new Set(paid.flat());
  findings.figures['handed over'] = keysOf.size;
  findings.figures['called again with the same key'] = calls.length - new Set(calls.map(({ key }) => key)).size;
  findings.limit('fulfilled twice', [...keysOf.values()].filter((of) => new Set(of.map(({ key }) => key)).size > 1).length, 0);
  findings.limit('called twice by one process', calls.length - new Set(calls.map(({ key, pid }) => `${key} ${pid}`)).size, 0);
  findings.limit('handed over without being paid', calls.filter(({ key }) => !ofPaid.has(key)).length, 0);

  const damage = await scene.database.damage();
  findings.limit('damage to the database', damage.length, 0);
}

/** Orders without exactly one payment that is paid, any payment of theirs still open, or no handing over of the one that is paid. */
async function findUnsettled(scene: Scene, paid: readonly PaidOrder[]): Promise<PaidOrder[]> {
  const payments = await scene.database.rows<{ reference: string; state: string }>('select reference, state from payments');
  const stateOf = new Map(payments.map(({ reference, state }) => [reference, state]));
  const done = await scene.database.rows<{ reference: string }>("select reference from fulfilments where state = 'done'");
  const isDone = new Set(done.map(({ reference }) => reference));
  const isWritten = new Set((await scene.handedOver()).map(({ key }) => key));
  return paid.filter((references) => {
    const [first, ...others] = references.filter((reference) => stateOf.get(reference) === 'paid');
    const rest = references.filter((reference) => reference !== first).every((reference) => stateOf.get(reference) === 'needs-review');
    return !first || others.length > 0 || !rest || !isDone.has(first) || !isWritten.has(first);
  });
}
