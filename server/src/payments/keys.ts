import { sql } from 'kysely';
import type { Writer } from '../database/database.ts';

/** Owns the package's own marks among the keys. No owner of a shop is empty. */
export const OWN_MARKS = '';

/** Prevents a second order for the same key and request of one owner (T67). */
export interface Once {
  key: string;
  requestHash: string;
  /** The hash of the same request in rows of version 0.2.0 and older. */
  olderHash?: string;
}

/** Stores a key, and returns false if its owner has already used it. */
export async function takeKey(
  trx: Writer,
  taken: Omit<Once, 'olderHash'> & { owner: string; reference: string; now: number },
): Promise<boolean> {
  const { owner, key, requestHash, reference, now } = taken;
  const { rows } = await sql`
    insert into service_pay_idempotency_keys (owner, key, request_hash, reference, created_at)
    values (${owner}, ${key}, ${requestHash}, ${reference}, ${now})
    on conflict do nothing returning key`.execute(trx);
  return rows.length > 0;
}

/**
 * Finds the order for which an owner used a key: its reference, or undefined inside if that was
 * another request.
 */
export async function findKeyUse(
  db: Writer,
  owner: string,
  { key, requestHash, olderHash }: Once,
): Promise<{ reference: string | undefined } | undefined> {
  const used = await db
    .selectFrom('service_pay_idempotency_keys')
    .select(['reference', 'request_hash'])
    .where('owner', '=', owner)
    .where('key', '=', key)
    .executeTakeFirst();
  const isSame = used?.request_hash === requestHash || used?.request_hash === olderHash;
  return used && { reference: isSame ? used.reference : undefined };
}
