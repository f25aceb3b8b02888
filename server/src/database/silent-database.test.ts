import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestLog } from '../../test/parts.ts';
import { type SilentRelay, startSilentRelay } from '../../test/silent-relay.ts';
import { createPayments } from '../create-payments.ts';
import { testHooks } from '../support/test-hooks.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING, type TestDatabase } from '../testing/databases.ts';
import { TOKEN } from '../testing/upstream.ts';

describe.skipIf(POSTGRES_IS_MISSING)('a PostgreSQL server that falls silent (T110)', () => {
  let home: TestDatabase;
  let relay: SilentRelay;

  beforeEach(async () => {
    home = await makeDatabaseUrl('postgres');
    relay = await startSilentRelay(home.url);
  });

  afterEach(async () => {
    relay.close();
    await home.drop();
  });

  const open = () =>
    createPayments({
      apiUrl: 'http://localhost:1',
      apiToken: TOKEN,
      publicKey: 'pub_test',
      database: relay.urlOf(home.url),
      background: false,
      fulfil: async () => {},
      log: buildTestLog(),
      ...testHooks({ respondWithinMs: 1_000 }),
    });

  test('a PostgreSQL server that falls silent holds up no pass of work for longer than it has time, and its end', async () => {
    const payments = await open();
    relay.fallSilent();

    await payments.work({ forMs: 500 }).catch((error) => expect(error.code).toBe('unavailable'));
    await expect(payments.work()).rejects.toMatchObject({ code: 'unavailable' });

    await payments.close();
  });

  test('a PostgreSQL server that falls silent holds up no start while the clocks are compared', async () => {
    relay.fallSilentAt('clock_timestamp()) * 1000');

    await expect(open()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
