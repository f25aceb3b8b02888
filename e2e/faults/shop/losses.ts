import { setTimeout as pause } from 'node:timers/promises';

import type { Findings } from '../harness.ts';
import type { Scene } from './scene.ts';
import type { Delivery } from './shopping.ts';

/** The references of an order's paid payments: one, or two if the customer paid twice. */
export type PaidOrder = readonly string[];

export interface Traffic {
  readonly paid: readonly PaidOrder[];
  readonly deliveries: readonly Delivery[];
}

interface Losses {
  notStored: number;
  withoutFulfilment: number;
  doneUnreported: number;
  twice: number;
}

/**
 * Waits until every paid order is stored as paid and fulfilled, and returns how many milliseconds
 * that took. Stops as soon as something is lost for good. `meanwhile` runs between two checks, to
 * move a stopped clock.
 */
export async function untilSettled(
  scene: Scene,
  traffic: Traffic,
  withinMs: number,
  meanwhile: () => Promise<unknown> = () => pause(50),
): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < withinMs) {
    const lost = await countLost(scene, traffic);
    if (
      Object.values(lost).some((count) => count > 0) ||
      !(await findUnsettled(scene, traffic.paid)).length
    )
      break;
    await meanwhile();
  }
  return Math.round(performance.now() - began);
}

/**
 * Counts losses: acknowledged webhooks that are not stored, paid orders that are not stored as paid
 * or not fulfilled, and orders fulfilled under two keys. The same key may be passed twice, if a
 * process died or its lease expired before it recorded the success.
 */
export async function countLosses(
  scene: Scene,
  findings: Findings,
  traffic: Traffic,
): Promise<void> {
  const { notStored, withoutFulfilment, doneUnreported, twice } = await countLost(scene, traffic);
  const lostForGood = withoutFulfilment + doneUnreported;
  const isOver = lostForGood + notStored + twice > 0; // the rest was not waited for
  const acknowledged = traffic.deliveries.filter(({ isAcknowledged }) => isAcknowledged).length;
  findings.figures.acknowledged = acknowledged;
  findings.limit('acknowledged and lost', notStored, 0);
  findings.limit('never acknowledged', traffic.deliveries.length - acknowledged, 0);
  findings.limit(
    'paid orders lost',
    isOver ? lostForGood : (await findUnsettled(scene, traffic.paid)).length,
    0,
  );

  const calls = await scene.fulfilCalls();
  const ofPaid = new Set(traffic.paid.flat());
  findings.figures['fulfilled'] = new Set(calls.map(({ orderId }) => orderId)).size;
  findings.figures['called again with the same key'] =
    calls.length - new Set(calls.map(({ key }) => key)).size;
  findings.figures['of them by the same process'] =
    calls.length - new Set(calls.map(({ key, pid }) => `${key} ${pid}`)).size;
  findings.limit('fulfilled twice', twice, 0);
  findings.limit(
    'fulfilled without being paid',
    calls.filter(({ key }) => !ofPaid.has(key)).length,
    0,
  );
  findings.limit('damage to the database', (await scene.database.damage()).length, 0);
}

/**
 * Reads each table before what is written after it, so that a shop at work never seems to have lost
 * something.
 */
async function countLost(scene: Scene, { paid, deliveries }: Traffic): Promise<Losses> {
  const acknowledged = deliveries.filter(({ isAcknowledged }) => isAcknowledged);
  const stored = await readColumn(scene, 'select id as value from service_pay_webhook_deliveries');
  const paidReferences = await readColumn(
    scene,
    "select reference as value from service_pay_payments where state = 'paid'",
  );
  const done = await readColumn(
    scene,
    "select reference as value from service_pay_fulfilments where state = 'done'",
  );
  const written = await readColumn(scene, 'select reference as value from service_pay_fulfilments');
  const calls = await scene.fulfilCalls();
  const called = new Set(calls.map(({ key }) => key));
  const keysOf = Map.groupBy(calls, ({ orderId }) => orderId);
  return {
    notStored: acknowledged.filter(({ id }) => !stored.has(id)).length,
    withoutFulfilment: paid.filter(
      (order) =>
        order.some((one) => paidReferences.has(one)) && !order.some((one) => written.has(one)),
    ).length,
    doneUnreported: [...done].filter((reference) => !called.has(reference)).length,
    twice: [...keysOf.values()].filter((of) => new Set(of.map(({ key }) => key)).size > 1).length,
  };
}

/**
 * Finds orders without exactly one paid payment, with one that is still open, or that were not
 * fulfilled.
 */
async function findUnsettled(scene: Scene, paid: readonly PaidOrder[]): Promise<PaidOrder[]> {
  const payments = await scene.database.rows<{ reference: string; state: string }>(
    'select reference, state from service_pay_payments',
  );
  const stateOf = new Map(payments.map(({ reference, state }) => [reference, state]));
  const done = await readColumn(
    scene,
    "select reference as value from service_pay_fulfilments where state = 'done'",
  );
  const called = new Set((await scene.fulfilCalls()).map(({ key }) => key));
  return paid.filter((references) => {
    const [first, ...others] = references.filter((reference) => stateOf.get(reference) === 'paid');
    const areReviewed = references.every(
      (reference) => reference === first || stateOf.get(reference) === 'needs-review',
    );
    return !first || others.length > 0 || !areReviewed || !done.has(first) || !called.has(first);
  });
}

async function readColumn(scene: Scene, statement: string): Promise<Set<string>> {
  return new Set(
    (await scene.database.rows<{ value: string }>(statement)).map(({ value }) => value),
  );
}
