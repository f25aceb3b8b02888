import { sql } from 'kysely';
import { expect, test } from 'vitest';

import { openDatabase } from '../database/open.ts';
import { DATABASES, makeDatabaseUrl } from '../testing/databases.ts';
import { PollPlan } from './poll-plan.ts';

const STORED = 1_000_000;
const SEARCHES = 31;

/** Of every ten payments, nine are paid and one is due. */
test.each(DATABASES)(
  'claims the payments that are due the longest among a million, and prints the time that takes (B25, %s)',
  { timeout: 30 * 60_000 },
  async (kind) => {
    const made = await makeDatabaseUrl(kind);
    const database = await openDatabase(made.url, { respondWithinMs: 20 * 60_000 });
    await sql`
      insert into service_pay_payments (reference, order_id, owner, data, amount, currency, state,
        review_reason, created_at, moved_at, check_at, check_pause_ms)
      with recursive numbers (i) as (
        select 1 union all select i + 1 from numbers where i < ${sql.lit(STORED)}
      )
      select 'shop-' || i, 'order-' || i, 'b', '{}', '10.00', 'ZMW',
        case when i % 10 = 0 then 'awaiting-payment' else 'paid' end, null, i, i, i, 5000
      from numbers`.execute(database.db);
    if (kind === 'postgres') await sql`vacuum analyze`.execute(database.db);
    const polls = new PollPlan(database);
    const plan = () => ({ claimMs: 60_000, pauseMs: 60_000 });

    const took: number[] = [];
    const claimed: string[] = [];
    for (let search = 0; search < SEARCHES; search++) {
      const startedAt = performance.now();
      const [payment] = await polls.claimDue({ now: STORED, limit: 1, plan });
      took.push(performance.now() - startedAt);
      claimed.push(payment!.reference);
    }
    await database.close();
    await made.drop();

    const median = took.sort((one, other) => one - other)[Math.floor(SEARCHES / 2)]!;
    console.log(`B25, ${kind}: ${median.toFixed(1)} ms`);
    expect(claimed).toEqual(Array.from({ length: SEARCHES }, (_, at) => `shop-${(at + 1) * 10}`));
  },
);
