import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { OWN_MARKS, takeKey } from './keys.ts';

/** Inserts and deletes a row. Fails if the database rejects writes (T122). */
export async function ping({ write }: Database): Promise<void> {
  const key = `readyz ${randomUUID()}`;
  await write(async (trx) => {
    await takeKey(trx, { owner: OWN_MARKS, key, requestHash: '', reference: '', now: 0 });
    await sql`delete from service_pay_idempotency_keys
      where owner = ${OWN_MARKS} and key = ${key}`.execute(trx);
  });
}
