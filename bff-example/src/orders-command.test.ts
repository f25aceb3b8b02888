import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { collectionAnswer, startTestShop, startUpstream, type TestShop, TOKEN } from './test-shop.ts';

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let shop: TestShop;

beforeAll(async () => {
  upstream = await startUpstream((req, res) => res.end(collectionAnswer(req.url ?? '', { amount: '1.00' })));
  shop = await startTestShop(upstream.url);
});

afterAll(async () => {
  await shop.close();
  await upstream.close();
});

/** What `npm run orders` does, from another process than the shop's. */
async function orders(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = fileURLToPath(new URL('orders-command.ts', import.meta.url));
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: shop.config.databaseUrl,
    SERVICE_PAY_API_TOKEN: TOKEN,
    SESSION_SECRET: shop.config.sessionSecret,
  };
  return promisify(execFile)(process.execPath, [program, ...words], { env }).then(
    (output) => ({ code: 0, ...output }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
}

describe('npm run orders', () => {
  test('lists what needs review, and a person accepts or refuses it while the shop runs (D51)', async () => {
    const browser = shop.browser();
    const [accepted, refused] = [await browser.order(), await browser.order()];
    for (const reference of [accepted, refused]) await browser.verify(reference);

    const listed = await orders('needs-review');
    const decided = [await orders('accept', accepted), await orders('refuse', refused), await orders('accept', refused)];

    expect(listed.stdout).toContain(`${accepted}\tZMW\t92.50`);
    expect(listed.stdout).toContain('amount differs');
    expect(decided.map(({ code }) => code)).toEqual([0, 0, 1]);
    expect(decided[0]?.stdout).toContain('a person decided');
    expect([await shop.stateOf(accepted), await shop.stateOf(refused)]).toEqual(['paid', 'refused']);
    expect((await browser.verify(refused)).json.data.status).toBe('failed');
    expect((await browser.verify(accepted)).json.data.status).toBe('successful');
  });

  test.each([[[]], [['paidd']], [['accept']], [['redrive', 'unknown']]])('%j ends with a sentence and exit 1', async (words) => {
    const { code, stderr } = await orders(...words);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^Usage: npm run orders|^No parked order/);
  });
});
