import {
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ONE_HONEY, startTestShop } from '../../test/shop.ts';
import { PaymentStore } from '../payments/store.ts';
import { FOLDER_OF_DATABASES } from '../testing/databases.ts';
import { openDatabase } from './open.ts';

const WRITE_VERSION_AT = 18;

let home: string;
let file: string;

beforeEach(async () => {
  home = await mkdtemp(join(FOLDER_OF_DATABASES, 'sqlite-'));
  file = join(home, 'data', 'shop.db');
});

afterEach(() => rm(home, { recursive: true }));

test.skipIf(process.platform === 'win32')('a folder it makes is open to nobody else', async () => {
  await makeFile();

  expect((await stat(dirname(file))).mode & 0o077).toBe(0);
});

async function makeFile(): Promise<void> {
  const database = await openDatabase(`file:${file}`);
  const order = {
    id: 'o',
    owner: 'b',
    data: {},
    amount: '10.00',
    currency: 'ZMW',
  };
  await new PaymentStore(database).placeOrder(order, 'r', { checkAt: 5, now: 1 });
  await database.close();
}

async function makeReadOnly(): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(Buffer.of(9), 0, 1, WRITE_VERSION_AT);
  await handle.close();
}

async function cut(): Promise<void> {
  await truncate(file, (await stat(file)).size / 2);
}

describe('the database file', () => {
  test.each([
    ['that may only be read', makeReadOnly, /readonly/],
    ['that was cut', cut, /malformed/],
  ])(
    'the database file %s is rejected in a sentence, and left byte for byte as it is (T109)',
    async (_what, harm, reason) => {
      await makeFile();
      await harm();
      const before = await readFile(file);

      const error = await openDatabase(`file:${file}`).catch((thrown: unknown) => thrown as Error);

      expect(error).toMatchObject({ code: 'unavailable', message: reason });
      expect((error as Error).message).toMatch(
        /^The database file cannot be used: .+ It was left as it is\. Check its address\.$/,
      );
      expect(await readFile(file)).toEqual(before);
      expect(await readdir(dirname(file))).toEqual(['shop.db']);
    },
  );

  test('the database file that was removed during a write commits nothing, and says so instead of success (T92)', async () => {
    await makeFile();
    const failpoint = async (name: string) => {
      if (name === 'before-commit') await unlink(file);
    };
    const database = await openDatabase(`file:${file}`, { failpoint });

    const written = new PaymentStore(database).markPaid('r', 9);

    await expect(written).rejects.toThrow('The file was removed or replaced');
    await database.close();
  });

  test('the database file that cannot be looked at for a while is away that long: 503, never 500 (T92)', async () => {
    const shop = await startTestShop('http://127.0.0.1:1', {}, { DATABASE_URL: `file:${file}` });
    const browser = shop.browser();
    const folder = dirname(file);
    await rename(folder, `${folder}-elsewhere`);
    await symlink('data', folder); // leads nowhere, which is no file that is not there

    const [order, ready] = [
      await browser.post('/api/orders', ONE_HONEY),
      await browser.get('/readyz'),
    ];
    await unlink(folder);
    await rename(`${folder}-elsewhere`, folder);
    const again = await browser.post('/api/orders', ONE_HONEY);

    expect(order).toMatchObject({ status: 503, json: { errorCode: '10' } });
    expect(ready.status).toBe(503);
    expect(again.status).toBe(201);
    await shop.close();
  });
});
