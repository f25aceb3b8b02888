import { setTimeout as pause } from 'node:timers/promises';
import type { Sandbox } from '../app/start.ts';
import type { RuleResult } from '../check/run-rules.ts';
import { checkShop } from '../check/shop/run-check-shop.ts';
import type { ShopOptions } from '../check/shop/shop.ts';
import { startTinyShop, type Ways } from './tiny-shop.ts';

/** Checks a tiny shop that differs from a good one in these ways, with short pauses. */
export async function checkTinyShop(
  sandbox: Sandbox,
  ways: Partial<Ways> = {},
  changed: Partial<ShopOptions> = {},
  isWanted?: (title: string) => boolean,
): Promise<RuleResult[]> {
  const shop = await startTinyShop(sandbox.url, ways);
  const { results, giveBack } = checkShop(
    {
      url: shop.url,
      orderBody: '{"sku":"honey"}',
      placePath: '/api/orders',
      webhookPath: '/webhooks/service-pay',
      pageHeaders: [],
      token: 'sec_sandbox_demo',
      previousToken: 'sec_previous',
      readFulfilled: async () => (await fetch(`${shop.url}/fulfilled`)).text(),
      sleep: (ms) => pause(ms / 20),
      ...changed,
    },
    sandbox,
    isWanted,
  );
  try {
    return await collect(results);
  } finally {
    await shop.close();
    await giveBack();
  }
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
