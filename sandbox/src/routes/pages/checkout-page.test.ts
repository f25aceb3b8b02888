import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { merchantFactsSchema } from '@service-pay/contract/checkout-api';
import { parse } from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../../app/start.ts';
import { TestClient } from '../../test/client.ts';
import { NETWORKS_BY_CURRENCY } from '../../test-numbers/phones.ts';

let sandbox: Sandbox;
let dist: string;
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'checkout-page-'));
  await mkdir(join(dist, 'checkout/v1'), { recursive: true });
  await writeFile(
    join(dist, 'checkout/v1/index.html'),
    '<!doctype html><script type="application/json" id="merchant"></script><script type="module" src="/main.js"></script>',
  );
  sandbox = await startSandbox({ widgetDist: dist });
});
afterAll(async () => {
  await sandbox.close();
  await rm(dist, { recursive: true });
});
beforeEach(() => sandbox.control.reset());

const load = (key: string, headers = {}) =>
  client.call(`/checkout/v1/?key=${key}&origin=http://localhost:3000`, { headers });

const factsIn = (page: string) => /id="merchant">(.*?)<\/script>/.exec(page)?.[1];

describe('the checkout page', () => {
  test("the checkout page contains the merchant's public facts, so that its form need not wait for the session (B7)", async () => {
    const { text } = await load('pub_sandbox_demo');

    const facts = parse(merchantFactsSchema, JSON.parse(factsIn(text)!));
    expect(facts).toMatchObject({
      merchantName: 'Kabwata Market',
      bearer: null,
      defaultCurrency: 'ZMW',
      channels: ['card', 'mobile-money'],
      merchant: { cardBrands: ['visa', 'mastercard'] },
    });
    expect(
      facts.networks.filter(({ currency }) => currency === 'ZMW').map(({ name }) => name),
    ).toEqual(NETWORKS_BY_CURRENCY.get('ZMW')!.map(({ name }) => name));
  });

  test('the checkout page contains no private facts: no token, no webhook URL', async () => {
    const { text } = await load('pub_sandbox_demo');

    expect(text).not.toContain('sec_');
    expect(Object.keys(JSON.parse(factsIn(text)!)).sort()).toEqual(
      Object.keys(merchantFactsSchema.entries).sort(),
    );
  });

  test('the checkout page escapes names so that they cannot close the script element (T56)', async () => {
    const name = '</script><script>alert(1)</script>';
    await client.control('PUT', '/merchants/pub_sandbox_demo', { name });

    const { text } = await load('pub_sandbox_demo');

    expect(text).not.toContain('<script>alert');
    expect(JSON.parse(factsIn(text)!).merchantName).toBe(name);
  });

  test.each(['pub_unknown', '__proto__', ''])(
    'the checkout page contains nothing for the key "%s"',
    async (key) => {
      expect(factsIn((await load(key)).text)).toBe('');
    },
  );

  test.each(['br', 'gzip', 'identity'])(
    'the checkout page is compressed as the browser accepts: %s',
    async (encoding) => {
      const response = await load('pub_sandbox_demo', { 'accept-encoding': encoding });

      expect(response.headers['content-encoding']).toBe(
        encoding === 'identity' ? undefined : encoding,
      );
      expect(response.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
      });
    },
  );
});
