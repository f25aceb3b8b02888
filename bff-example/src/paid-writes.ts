import type { Kysely } from 'kysely';

import type { buildShopStatements } from './shop-statements.ts';
import type { PaymentState, Tables } from './tables.ts';
import type { WriteGroup } from './write-batch.ts';

/** What became of a payment that was paid: its order was paid for the first time, or before. */
export type Paid = 'paid' | 'needs-review';

/** A payment to move to `paid`, and what it becomes where its order was paid before. */
export interface NewPaid {
  reference: string;
  moveToPaid: Statements['payOpen'];
  otherwise: { state: Paid; reviewReason: string | null };
  now: number;
}

type Statements = ReturnType<typeof buildShopStatements>;

/**
 * Payments that are paid at the same time are moved by a few statements for all of them, each with its fulfilment. Gives the new
 * state of each, or undefined where it could not be moved any more.
 */
export function buildPaidWrites(statements: Statements): WriteGroup<NewPaid, Paid | undefined> {
  return {
    async run(trx, items, mayBeDone) {
      const states = new Map<string, Paid>();
      for (const moveToPaid of new Set(items.map((item) => item.moveToPaid))) {
        const some = items.filter((item) => item.moveToPaid === moveToPaid);
        for (const { reference, state } of await moveAll(trx, statements, moveToPaid, some)) states.set(reference, state);
      }
      const results: (Paid | undefined)[] = [];
      for (const { reference } of items) {
        results.push(states.get(reference) ?? (mayBeDone ? await findDecision(trx, reference) : undefined));
        states.delete(reference); // who asked for the same with it came second
      }
      return results;
    },
  };
}

/** The order of rows is the same for everybody, so that two instances with the same payments do not wait for each other in a circle. */
async function moveAll(
  trx: Kysely<Tables>,
  { takeOrders, addFulfilments, handleDeliveries }: Statements,
  moveToPaid: NewPaid['moveToPaid'],
  items: readonly NewPaid[],
): Promise<{ reference: string; state: Paid }[]> {
  const asked = new Map(items.map((item) => [item.reference, item]));
  const references = [...asked.keys()].sort().map((reference) => ({ reference }));
  const now = Math.max(...items.map((item) => item.now));
  const moved = (await moveToPaid(trx, references, { now })).sort((one, other) => (one.reference < other.reference ? -1 : 1));
  if (!moved.length) return [];
  await handleDeliveries(trx, moved, { now });
  const taken = new Set((await takeOrders(trx, moved, {})).map(({ reference }) => reference));
  const toHandOver = moved.filter(({ reference }) => taken.has(reference));
  if (toHandOver.length) await addFulfilments(trx, toHandOver, { now });
  const states: { reference: string; state: Paid }[] = [];
  for (const { reference } of moved) {
    const { state, reviewReason } = taken.has(reference) ? { state: 'paid' as const, reviewReason: null } : asked.get(reference)!.otherwise;
    if (state !== 'paid') {
      await trx.updateTable('payments').set({ state, review_reason: reviewReason }).where('reference', '=', reference).execute();
    }
    states.push({ reference, state });
  }
  return states;
}

async function findDecision(trx: Kysely<Tables>, reference: string): Promise<Paid | undefined> {
  const state = await findState(trx, reference);
  return state === 'paid' || state === 'needs-review' ? state : undefined;
}

export async function findState(trx: Kysely<Tables>, reference: string): Promise<PaymentState | undefined> {
  return (await trx.selectFrom('payments').select('state').where('reference', '=', reference).executeTakeFirst())?.state;
}
