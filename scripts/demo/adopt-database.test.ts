import { startSandbox } from '@service-pay/sandbox';
import { createPayments, type PaymentsOptions } from '@service-pay/server';
import { makeDatabaseUrl } from '@service-pay/server/testing';
import SqliteFile from 'better-sqlite3';
import { expect, test } from 'vitest';
import { adoptDatabase } from './adopt-database.ts';

const KEY = 'pub_sandbox_demo';
const ORDER = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };

test('the demo goes on with its database of an older version, whose payments its sandbox has forgotten', async () => {
  const { url, drop } = await makeDatabaseUrl('sqlite');
  const file = url.slice('file:'.length);
  const sandbox = await startSandbox({ port: 0 });
  const open = (options: Partial<PaymentsOptions<object>> = {}) =>
    createPayments({
      apiUrl: sandbox.url,
      apiToken: 'sec_sandbox_demo',
      publicKey: KEY,
      database: url,
      background: false,
      fulfil: async () => {},
      log: console,
      ...options,
    });
  await adoptDatabase(file, KEY); // where there is none yet
  const before = await open({ log: { info() {}, warn() {}, error() {} } });
  const { reference } = await before.create(ORDER);
  await before.close();
  new SqliteFile(file)
    .exec(`update service_pay_payments set state = 'paid'; drop table service_pay_environments;
      delete from service_pay_migrations where name >= '0011'`)
    .close();
  await expect(open()).rejects.toThrow(/does not know its newest paid payment/);

  await adoptDatabase(file, KEY);
  await adoptDatabase(file, KEY);
  const after = await open();

  expect(await after.find(reference, ORDER)).toMatchObject({ state: 'paid' });
  await Promise.all([after.close(), sandbox.close(), drop()]);
});
