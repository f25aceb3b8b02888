import type { Kysely } from 'kysely';

import type { Tables } from '../database/schema.ts';

/** What a browser sends with an order, so that the same order sent again is no second one (T67). */
export interface Once {
  key: string;
  requestHash: string;
}

/** What came of a key when it was used before. */
export interface KeyUse {
  reference: string;
  isSameRequest: boolean;
}

/** Uses a key for an order, or gives what it was used for before. */
export async function takeKey(
  trx: Kysely<Tables>,
  owner: string,
  once: Once,
  { reference, now }: { reference: string; now: number },
): Promise<KeyUse | undefined> {
  const isNew = await trx
    .insertInto('service_pay_idempotency_keys')
    .values({
      owner,
      key: once.key,
      request_hash: once.requestHash,
      reference,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (isNew) return undefined;
  const earlier = await findKeyUse(trx, owner, once);
  if (!earlier) throw new Error('A key was used before and is there no more.');
  return earlier;
}

/** What this browser used a key for, if it did. */
export async function findKeyUse(
  db: Kysely<Tables>,
  owner: string,
  { key, requestHash }: Once,
): Promise<KeyUse | undefined> {
  const used = await db
    .selectFrom('service_pay_idempotency_keys')
    .select(['reference', 'request_hash'])
    .where('owner', '=', owner)
    .where('key', '=', key)
    .executeTakeFirst();
  return used && { reference: used.reference, isSameRequest: used.request_hash === requestHash };
}
