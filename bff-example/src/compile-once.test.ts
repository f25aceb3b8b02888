import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { compileOnce, type Given } from './compile-once.ts';
import { openDatabase } from './database.ts';

test('a statement is built once and runs with the values of each time, in a transaction too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compile-'));
  const database = await openDatabase(`file:${join(folder, 'shop.db')}`);
  const { db } = database;
  let built = 0;
  const add = compileOnce((on, given: Given<{ id: string; at: number; reference: string | null }>) => {
    built += 1;
    return on
      .insertInto('webhook_deliveries')
      .values({ received_at: given('at'), id: given('id'), event: given('id'), reference: given('reference'), body: 'fixed' })
      .returning(['id', 'event', 'reference', 'body', 'received_at']);
  });

  const rows = [
    ...(await add(db, { id: 'a', at: 1, reference: null })),
    ...(await db.transaction().execute((trx) => add(trx, { id: 'b', at: 2, reference: 'r' }))),
  ];

  expect(rows).toEqual([
    { id: 'a', event: 'a', reference: null, body: 'fixed', received_at: 1 },
    { id: 'b', event: 'b', reference: 'r', body: 'fixed', received_at: 2 },
  ]);
  expect(built).toBe(1);
  await database.close();
  await rm(folder, { recursive: true });
});
