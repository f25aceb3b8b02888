import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../../app/start.ts';
import { PRINTED_ERROR, pay, TestClient } from '../../test/client.ts';

let sandbox: Sandbox;
let dist: string;
const client = new TestClient(() => sandbox);
const script = `var made = '${'x'.repeat(500)}';`;
const inventory = '{"scripts":[]}';
const words = '{"pay":"Payer"}';
const MOVING = 'public, max-age=60, stale-while-revalidate=3600';
const IMMUTABLE = 'public, max-age=31536000, immutable';
const integrity = '{"version":"1.2.3","file":"/js/1.2.3/inline.js","integrity":"sha384-x"}';

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'widget-dist-'));
  await put('js/v1/inline.js', script);
  await put('js/1.2.3/inline.js', script);
  await put('js/v1/flow.js', script);
  await put('js/1.2.3/flow.js', script);
  await put('js/v1/integrity.json', integrity);
  await put('js/v1/scripts.json', inventory);
  await put('js/v1/words/fr.json', words);
  await put('js/1.2.3/words/fr.json', words);
  await put('checkout/v1/index.html', '<!doctype html><title>Secure payment</title>');
  await put('checkout/v1/assets/main-abc123.js', 'export {};');
  await put('secret.env', 'SECRET=1');
  for (const version of ['v1', '1.2.3']) {
    await put(`js/${version}/inline.js.br`, brotliCompressSync(script));
    await put(`js/${version}/inline.js.gz`, gzipSync(script));
  }
  sandbox = await startSandbox({ widgetDist: dist });
});
afterAll(async () => {
  await sandbox.close();
  await rm(dist, { recursive: true });
});
beforeEach(() => sandbox.control.reset());

async function put(file: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(dist, file)), { recursive: true });
  await writeFile(join(dist, file), content);
}

describe('the script', () => {
  test.each([
    ['/js/v1/inline.js', 'text/javascript', MOVING, script],
    ['/js/1.2.3/inline.js', 'text/javascript', IMMUTABLE, script],
    ['/js/v1/flow.js', 'text/javascript', MOVING, script],
    ['/js/1.2.3/flow.js', 'text/javascript', IMMUTABLE, script],
    ['/js/v1/integrity.json', 'application/json', MOVING, integrity],
    ['/js/v1/scripts.json', 'application/json', MOVING, inventory],
    ['/js/v1/words/fr.json', 'application/json', MOVING, words],
    ['/js/1.2.3/words/fr.json', 'application/json', IMMUTABLE, words],
  ])(
    'any page may load, read and time %s, and caches keep it as long as possible (U2)',
    async (path, type, cacheControl, text) => {
      const response = await client.call(path);

      expect(response).toMatchObject({ status: 200, text });
      expect(response.headers).not.toHaveProperty('server-timing');
      expect(response.headers).toMatchObject({
        'content-type': `${type}; charset=utf-8`,
        'access-control-allow-origin': '*',
        'timing-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
        'cache-control': cacheControl,
        vary: 'Accept-Encoding',
      });
      const again = await client.call(path, {
        headers: { 'if-none-match': `${response.headers['etag']}` },
      });
      expect(again).toMatchObject({ status: 304, text: '' });
      const head = await client.call(path, { method: 'HEAD' });
      expect(head).toMatchObject({
        status: 200,
        text: '',
        headers: { etag: response.headers['etag'], 'cache-control': cacheControl },
      });
    },
  );

  test('an unknown version of the script is rejected with a message that nothing caches', async () => {
    const response = await client.call('/js/9.9.9/inline.js');

    expect(response).toMatchObject({
      status: 404,
      text: expect.stringContaining('does not have version 9.9.9'),
    });
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
  });

  test.each<[what: string, path: string, call?: object]>([
    ['a typo', '/js/v1/inlin.js'],
    ['another case', '/js/v1/INLINE.js'],
    ['a folder', '/js/v1/'],
    ['the root', '/js/'],
    ['an unknown version', '/js/9.9.9/inline.js'],
    ['no version', '/js/v2/inline.js'],
    ['a missing file of a version', '/js/1.2.3/integrity.json'],
    ['an unknown language', '/js/v1/words/xx.json'],
    ['a language without its ending', '/js/v1/words/fr'],
    ['a source map', '/js/v1/inline.js.map'],
    ['a broken path', '/js/%zz/inline.js'],
    ['another method', '/js/v1/integrity.json', { method: 'DELETE' }],
    [
      'a preflight',
      '/js/v1/inline.js',
      { method: 'OPTIONS', headers: { origin: 'http://x.example' } },
    ],
    ['a foreign host', '/js/v1/inline.js', { headers: { host: 'evil.example' } }],
    ['an injected fault', '/js/1.2.3/inline.js'],
  ])('pages of any origin may read why %s failed', async (what, path, call = {}) => {
    if (what === 'an injected fault')
      await sandbox.control.setFaults({ script: { rate: 1, kind: 'status' } });

    const response = await client.call(path, call);

    expect(response.status).toBeGreaterThanOrEqual(400);
    if (path.endsWith('.json')) expect(response.json).toMatchObject({ status: false });
    else expect(response.text).toMatch(PRINTED_ERROR);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'timing-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      // Browsers block a script of another type without a word in the console.
      'content-type': expect.stringMatching(
        path.endsWith('.json') ? /^application\/json/ : /^text\/javascript/,
      ),
    });
  });

  test.each(['/js/v1/inlin.js', '/js/v1/INLINE.js', '/js/v2/inline.js', '/js/inline.js'])(
    'an error names %s and the address to load instead',
    async (path) => {
      expect((await client.call(path)).text).toBe(
        `console.error("ServicePay: There is no script at ${path}. Load /js/v1/inline.js, or /js/v1/flow.js for the page library.");\n`,
      );
    },
  );

  test('the script is compressed if the browser supports it', async () => {
    const encodings = async (accepted: string) =>
      (await client.call('/js/v1/inline.js', { headers: { 'accept-encoding': accepted } })).headers[
        'content-encoding'
      ];

    expect(await encodings('gzip, deflate, br')).toBe('br');
    expect(await encodings('gzip')).toBe('gzip');
    expect(await encodings('identity')).toBeUndefined();
    expect(await encodings('br;q=0, gzip')).toBe('gzip');
  });

  test.each([
    '/js/..%2f..%2fsecret.env',
    '/js/..%2fsecret.env/inline.js',
    '/js/..%2f..%2f..%2fpackage.js',
  ])('the sandbox serves nothing outside its folders at %s (T65)', async (path) => {
    const { status, text } = await client.call(path);

    expect(status).toBe(404);
    expect(text).toContain('There is no ');
    expect(text).not.toContain('secret');
  });

  test.each([
    '/js/v1/words/xx.json',
    '/js/v1/words/..%2fintegrity.json',
    '/js/1.2.3/integrity.json',
    '/checkout/v1/assets/..%2findex.html',
    '/checkout/v1/assets/other.js',
    '/assets/..%2fsandbox.ts',
  ])('the path %s is rejected with 404·11 (T65)', async (path) => {
    expect(await client.call(path)).toMatchObject({
      status: 404,
      json: { status: false, errorCode: '11' },
    });
  });

  test('an error explains how to build a missing widget', async () => {
    const bare = await startSandbox({ widgetDist: join(dist, 'nowhere') });

    const response = await new TestClient(() => bare).call('/js/v1/inline.js');
    await bare.close();

    expect(response).toMatchObject({ status: 500, text: expect.stringContaining('npm run build') });
  });
});

describe('the checkout page', () => {
  const page = (query: string) => client.call(`/checkout/v1/${query}`);
  const ancestors = async (query: string) =>
    directive((await page(query)).headers['content-security-policy'], 'frame-ancestors');
  const shop = encodeURIComponent('https://shop.example');

  test('the checkout page has a policy without unsafe-*, Trusted Types, no cache, no referrer, no X-Frame-Options (T53, D26)', async () => {
    const { headers, status } = await page(`?key=pub_sandbox_demo&origin=${shop}`);

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'cross-origin',
    });
    const policy = `${headers['content-security-policy']}`;
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(directive(policy, 'default-src')).toBe("'none'");
    expect(directive(policy, 'script-src')).toBe("'self'");
    expect(directive(policy, 'require-trusted-types-for')).toBe("'script'");
    expect(directive(policy, 'trusted-types')).toBe('lit-html');
    expect(Object.keys(headers)).not.toContain('x-frame-options');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  test('the checkout page lets the origins that the merchant registered frame it (T26)', async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', {
      allowedOrigins: ['https://shop.example', 'http://localhost:3000'],
    });

    expect(await ancestors(`?key=pub_sandbox_demo&origin=${shop}`)).toBe(
      'https://shop.example http://localhost:3000',
    );
    expect(await ancestors(`?key=pub_sandbox_other&origin=${shop}`)).toBe('*');
    expect(await ancestors(`?key=pub_nobody&origin=${shop}`)).toBe('*');
  });

  test.each([
    '',
    'origin=*',
    'origin=null',
    `origin=${shop}.evil.example`,
    `origin=${shop}:8443`,
    `origin=${shop}/path`,
    'origin=https://user@shop.example',
    `origin=${shop}&origin=${shop}`,
    `origin=${shop};%20script-src%20*`,
    `origin=${shop}%0d%0aX-Evil:%201`,
    'origin=javascript:alert(1)',
    'origin[]=https://shop.example',
  ])(
    'the checkout page lets nobody frame it for an invalid or unregistered origin: %s (T27)',
    async (query) => {
      await sandbox.control.putMerchant('pub_sandbox_demo', {
        allowedOrigins: ['https://shop.example'],
      });

      const response = await page(`?key=pub_sandbox_demo&${query}`);

      expect(directive(response.headers['content-security-policy'], 'frame-ancestors')).toBe(
        "'none'",
      );
      expect(directive(response.headers['content-security-policy'], 'script-src')).toBe("'self'");
      expect(response.headers['x-evil']).toBeUndefined();
    },
  );

  test('the checkout page lets only its own origin load its files, and caches keep them for good', async () => {
    const response = await client.call('/checkout/v1/assets/main-abc123.js');

    expect(response).toMatchObject({ status: 200, text: 'export {};' });
    expect(response.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'same-origin',
    });
  });
});

describe("the sandbox's own pages", () => {
  test.each(['/phone/0961111111', '/phone/%3Cscript%3Ealert(1)%3C%2Fscript%3E'])(
    '%s has no inline code and cannot be framed (T56)',
    async (path) => {
      const { status, text, headers } = await client.call(path);

      expect(status).toBe(200);
      expect(text).not.toMatch(/alert|<style|style="|onclick|<script>/);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
    },
  );

  test.each([
    '/assets/dashboard.css',
    '/assets/handset.js',
    '/assets/challenge.js',
    '/favicon.ico',
  ])('the sandbox serves %s', async (path) => {
    expect((await client.call(path)).status).toBe(200);
  });

  test('only the checkout page within a registered page may frame a challenge', async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', {
      allowedOrigins: ['https://shop.example'],
    });
    const { challengeUrl } = (
      await client.attempt(await client.visit('challenged'), pay.card('4000000000003220'))
    ).json.data.attempt;

    const { headers } = await client.call(challengeUrl);

    expect(directive(headers['content-security-policy'], 'frame-ancestors')).toBe(
      "'self' https://shop.example",
    );
    expect(headers['cross-origin-embedder-policy']).toBe('require-corp');
  });
});

function directive(policy: unknown, name: string): string | undefined {
  return `${policy}`
    .split(';')
    .find((one) => one.startsWith(`${name} `))
    ?.slice(name.length + 1);
}
