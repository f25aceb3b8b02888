import type { Writer } from '../database/database.ts';
import type { Tables } from '../database/schema.ts';

/** A person's decision about a payment. */
export interface ByPerson {
  reference: string;
  who: string;
  now: number;
}

/** Stores who decided what about a payment, for the history of its order. */
export async function recordDecision(
  trx: Writer,
  decision: Omit<Tables['service_pay_decisions'], 'reason'> & { reason?: string },
): Promise<void> {
  const { reason = null } = decision;
  await trx
    .insertInto('service_pay_decisions')
    .values({ ...decision, reason })
    .execute();
}
