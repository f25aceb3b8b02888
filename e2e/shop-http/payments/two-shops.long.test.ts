import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { makeDatabaseUrl, type TestDatabase } from '@service-pay/server/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { shopEnvironment } from '../../lab/shop-launcher.ts';
import { postWebhook, TestBrowser } from '../shop.ts';
import { ShopProgram } from '../shop-program.ts';

let sandbox: Sandbox;
let database: TestDatabase;
let running: ShopProgram[];

beforeEach(async () => {
  running = [];
  sandbox = await startSandbox();
  database = await makeDatabaseUrl('sqlite');
});

afterEach(async () => {
  await Promise.all(running.map((shop) => shop.end('SIGKILL')));
  await sandbox.close();
  await database.drop();
});

function startShop(): ShopProgram {
  const shop = new ShopProgram(
    shopEnvironment({ databaseUrl: database.url, serviceUrl: sandbox.url }),
  );
  running.push(shop);
  return shop;
}

async function buy(...urls: [string, ...string[]]): Promise<string> {
  const reference = await vi.waitFor(() => new TestBrowser(urls[0]).order(), PATIENT);
  await sandbox.control.putCollection({ reference, amount: '92.50' });
  const statuses = await Promise.all(urls.map((url) => postWebhook({ url }, reference)));
  expect(statuses).toContain(200);
  return reference;
}

test('two shops on one file, started at once on an empty one, hand every order over once (T108, T110)', {
  timeout: 60_000,
}, async () => {
  const shops = [startShop(), startShop()];
  const fulfilCalls = () =>
    shops.flatMap((shop) => shop.logged('goods shipped').map(({ reference }) => reference));
  const [one, other] = (await Promise.all(shops.map((shop) => shop.url))) as [string, string];

  const paid: string[] = [];
  for (let at = 0; at < 5; at++) paid.push(await buy(one, other), await buy(other, one));

  await vi.waitFor(() => expect(new Set(fulfilCalls())).toEqual(new Set(paid)), PATIENT);
  expect(await Promise.all(shops.map((shop) => shop.end('SIGTERM')))).toEqual([0, 0]);
  expect(fulfilCalls()).toHaveLength(paid.length);
});
