import type { Kysely } from 'kysely';

import type { Paid, Pay } from './paid-statements.ts';
import type { PaymentState, Tables } from './tables.ts';
import type { WriteGroup } from './write-batch.ts';

/** A payment to move to `paid`, and how. */
export interface NewPaid {
  reference: string;
  pay: Pay;
  now: number;
}

/**
 * Payments that are paid at the same time are moved together. Gives the new state of each, or
 * undefined where it could not be moved any more.
 */
export const PAID_WRITES: WriteGroup<NewPaid, Paid | undefined> = {
  async run(trx, items, mayBeDone) {
    const states = new Map<string, Paid>();
    for (const pay of new Set(items.map((item) => item.pay))) {
      const some = items.filter((item) => item.pay === pay);
      const references = [...new Set(some.map(({ reference }) => reference))].sort();
      const now = Math.max(...some.map((item) => item.now));
      const moved = await pay(
        trx,
        references.map((reference) => ({ reference })),
        { now },
      );
      for (const { reference, state } of moved) states.set(reference, state);
    }
    const results: (Paid | undefined)[] = [];
    for (const { reference } of items) {
      results.push(
        states.get(reference) ?? (mayBeDone ? await findDecision(trx, reference) : undefined),
      );
      states.delete(reference); // who asked for the same with it came second
    }
    return results;
  },
};

async function findDecision(trx: Kysely<Tables>, reference: string): Promise<Paid | undefined> {
  const state = await findState(trx, reference);
  return state === 'paid' || state === 'needs-review' ? state : undefined;
}

export async function findState(
  trx: Kysely<Tables>,
  reference: string,
): Promise<PaymentState | undefined> {
  return (
    await trx
      .selectFrom('payments')
      .select('state')
      .where('reference', '=', reference)
      .executeTakeFirst()
  )?.state;
}
