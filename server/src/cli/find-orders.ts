import { type Kysely, sql } from 'kysely';
import type { Tables } from '../database/schema.ts';

/** Few enough to be read within the time limit of a statement. */
const ROWS_AT_ONCE = 2_000;

const MOST_FOUND = 50;

/**
 * Finds payments by their reference, the id of their order, their owner, or a text in what was
 * ordered, such as an e-mail address, in any case of its letters. The newest first, 50 at most.
 */
export async function findOrders(db: Kysely<Tables>, text: string) {
  const exact = await selectFound(db)
    .where((has) =>
      has.or([has('reference', '=', text), has('order_id', '=', text), has('owner', '=', text)]),
    )
    .orderBy('created_at', 'desc')
    .limit(MOST_FOUND)
    .execute();
  if (exact.length) return exact;
  const found: typeof exact = [];
  let before = { created_at: Number.MAX_SAFE_INTEGER, reference: '' };
  for (;;) {
    const page = db
      .selectFrom('service_pay_orders')
      .select('reference')
      .where(sql<boolean>`(created_at, reference) < (${before.created_at}, ${before.reference})`)
      .orderBy('created_at', 'desc')
      .orderBy('reference', 'desc');
    const last = await page
      .select('created_at')
      .offset(ROWS_AT_ONCE - 1)
      .limit(1)
      .executeTakeFirst();
    const rows = await selectFound(db)
      .where('reference', 'in', page.limit(ROWS_AT_ONCE))
      .where(sql<boolean>`lower(data) like ${toPattern(text)} escape '!'`)
      .orderBy('created_at', 'desc')
      .limit(MOST_FOUND - found.length)
      .execute();
    found.push(...rows);
    if (!last || found.length >= MOST_FOUND) return found;
    before = last;
  }
}

function selectFound(db: Kysely<Tables>) {
  return db
    .selectFrom('service_pay_orders')
    .select(['reference', 'state', 'fulfilment', 'amount', 'currency', 'created_at as createdAt'])
    .select('owner');
}

/** Returns a pattern for text within JSON. Databases lower the letters A to Z only. */
function toPattern(text: string): string {
  const within = JSON.stringify(text).slice(1, -1);
  const lowered = within.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `%${lowered.replace(/[!%_]/g, '!$&')}%`;
}
