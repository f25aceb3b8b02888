import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transaction } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { type Database, openDatabase } from './database.ts';
import type { Tables } from './tables.ts';
import { WriteBatch } from './write-batch.ts';

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batch-'));
  database = await openDatabase(`file:${join(folder, 'shop.db')}`);
});

afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const deliver = (id: string) => (trx: Transaction<Tables>) =>
  trx
    .insertInto('webhook_deliveries')
    .values({ id, event: 'e', reference: null, body: '', received_at: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
const stored = async () => (await database.db.selectFrom('webhook_deliveries').select('id').orderBy('id').execute()).map(({ id }) => id);

test('writes asked for together are stored and answered each', async () => {
  const writes = new WriteBatch(database);

  const answers = await Promise.all(['a', 'b', 'c'].map((id) => writes.run(deliver(id))));

  expect(answers).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  expect(await stored()).toEqual(['a', 'b', 'c']);
});

test('one that fails takes none of the others with it, and leaves nothing half done', async () => {
  const writes = new WriteBatch(database);
  const failing = writes.run(async (trx) => {
    await deliver('half')(trx);
    throw new Error('no');
  });

  const answers = await Promise.allSettled([writes.run(deliver('a')), failing, writes.run(deliver('a')), writes.run(deliver('b'))]);

  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(await stored()).toEqual(['a', 'b']);
  expect(await writes.run(deliver('later'))).toEqual({ id: 'later' });
});
