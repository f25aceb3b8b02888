import { sql } from 'kysely';

import type { Database } from '../database/database.ts';
import { rejectProblems } from '../errors.ts';
import { findOwnerProblem } from './order-problems.ts';

/**
 * Moves the orders of one owner to another, with the idempotency keys that find them again. Under a
 * key that both used, the new owner's order stays (D64). Returns how many payments it moved.
 */
export async function changeOwner(
  { write }: Database,
  { from, to }: { from: string; to: string },
): Promise<number> {
  rejectProblems({ from: findOwnerProblem(from), to: findOwnerProblem(to) });
  if (from === to) return 0;
  return write(async (trx) => {
    const { numAffectedRows } = await sql`
      update service_pay_payments set owner = ${to} where owner = ${from}`.execute(trx);
    // copied and deleted, because an update would fail at a key that both used
    await sql`
      insert into service_pay_idempotency_keys (owner, key, request_hash, reference, created_at)
      select ${to}, key, request_hash, reference, created_at
      from service_pay_idempotency_keys where owner = ${from}
      on conflict do nothing`.execute(trx);
    await sql`delete from service_pay_idempotency_keys where owner = ${from}`.execute(trx);
    return Number(numAffectedRows);
  });
}
