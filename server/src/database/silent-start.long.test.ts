import { expect, onTestFinished, test } from 'vitest';
import { startSilentRelay } from '../../test/silent-relay.ts';
import { makeDatabaseUrl, POSTGRES_IS_MISSING } from '../testing/databases.ts';
import { openDatabase } from './open.ts';

test.skipIf(POSTGRES_IS_MISSING)(
  'a start on a PostgreSQL server that falls silent ends within seconds, and says so (T110)',
  async () => {
    const home = await makeDatabaseUrl('postgres');
    const relay = await startSilentRelay(home.url);
    onTestFinished(async () => {
      relay.close();
      await home.drop();
    });
    relay.fallSilentAt('server_version_num');

    await expect(openDatabase(relay.urlOf(home.url))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^The PostgreSQL database cannot be used: .*Query read timeout/,
      ),
    });
  },
);
