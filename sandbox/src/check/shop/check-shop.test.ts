import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../start.ts';
import { startTinyShop, type Ways } from '../../test/tiny-shop.ts';
import { checkShop } from './run-check-shop.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

async function check(changed: Partial<Ways> = {}, isWanted?: (title: string) => boolean) {
  const shop = await startTinyShop(sandbox.url, changed);
  onTestFinished(() => shop.close());
  const options = {
    url: shop.url,
    orderBody: '{"sku":"honey"}',
    placePath: '/api/orders',
    webhookPath: '/webhooks/service-pay',
    pageHeaders: [],
    token: 'sec_sandbox_demo',
    previousToken: 'sec_previous',
    readFulfilled: async () => (await fetch(`${shop.url}/fulfilled`)).text(),
    sleep: (ms: number) => pause(ms / 20),
  };
  const { results, giveBack } = checkShop(options, sandbox, isWanted);
  const found = [];
  for await (const result of results) found.push(result);
  await giveBack();
  return found;
}

describe('a good shop', () => {
  test('keeps every rule', { timeout: 120_000 }, async () => {
    const results = await check();

    expect(results.filter(({ result }) => result !== 'ok')).toEqual([]);
  });
});
