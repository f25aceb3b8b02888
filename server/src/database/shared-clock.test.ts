import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { expect, test, vi } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import type { Tables } from './schema.ts';
import { startDatabaseClock } from './shared-clock.ts';

test('the time of the database is measured again every half a minute, and kept while the database is away (T111)', async () => {
  const machine = Object.assign(new ManualClock(), { isOfMachine: true });
  let aheadMs = 5_000;
  const query = vi.fn(async () => ({ rows: [{ now: machine.now() + aheadMs }] }));
  const client = { query, release: () => {} };
  const pool = { connect: async () => client } as unknown as PostgresPool;
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const warn = vi.fn();
  const { clock, stop } = await startDatabaseClock({ kind: 'postgres', db }, machine, { warn });
  const readAhead = () => clock.now() - machine.now();

  expect(readAhead()).toBe(5_000);
  expect(warn).toHaveBeenCalledOnce();

  aheadMs = 70;
  await machine.advance(30_000);
  expect(readAhead()).toBe(70);

  query.mockRejectedValueOnce(new Error('The database is away.'));
  await machine.advance(30_000);
  expect(readAhead()).toBe(70);

  aheadMs = -9;
  await machine.advance(30_000);
  expect(readAhead()).toBe(-9);
  await stop();
});
