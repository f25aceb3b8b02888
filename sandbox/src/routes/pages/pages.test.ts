import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../../app/start.ts';
import { TestClient } from '../../test/client.ts';

const PAGES = new URL('../../../pages/', import.meta.url);
const { curlFor, quoteForShell } = await import(new URL('parts/curl.ts', PAGES).href);
const run = promisify(execFile);

describe('pages', () => {
  let sandbox: Sandbox;
  const client = new TestClient(() => sandbox);
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  test.each(['/dashboard', '/phone/0960000000', '/phone/%3Cscript%3E'])(
    '%s has a policy that runs nothing but our files (T56)',
    async (path) => {
      const { status, headers } = await client.call(path, { headers: { accept: 'text/html' } });

      expect(status).toBe(200);
      expect(headers['content-type']).toMatch(/^text\/html/);
      expect(headers['content-security-policy']).toContain("script-src 'self'");
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
      expect(headers['content-security-policy']).toMatch(/trusted-types lit-html(?:;|$)/);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers['cache-control']).toBe('no-store');
    },
  );

  test('the pages are found by a browser at the address that the sandbox prints; an API client gets its envelope', async () => {
    for (const accept of ['text/html', '*/*']) {
      const { status, headers } = await client.call('/', { headers: { accept } });
      expect([status, headers.location], accept).toEqual([302, '/dashboard']);
    }
    const headers = { accept: 'application/json' };
    expect((await client.call('/', { headers })).status).toBe(404);
  });

  test.each(['/dashboard', '/phone/0960000000'])(
    '%s has no inline script, style or handler, and loads only served files',
    async (page) => {
      const seen = new Set<string>();
      const follow = async (path: string): Promise<void> => {
        if (seen.has(path)) return;
        seen.add(path);
        const { status, text } = await client.call(path);
        expect({ path, status }).toEqual({ path, status: 200 });
        const loaded = text.matchAll(
          /(?:\bsrc|\bhref)="(\/assets\/[^"]+)"|\b(?:from|import)\s*["'`]([^"'`\s]+)["'`]/g,
        );
        for (const [, file, module] of loaded)
          await follow(file ?? new URL(module!, `${sandbox.url}${path}`).pathname);
      };
      const { text } = await client.call(page);

      await follow(page);

      expect(text).not.toMatch(/<style|style=|\son[a-z]+=|<script(?![^>]* src=)/);
      expect(seen.size).toBeGreaterThan(4);
      expect(seen).toContain('/assets/formats.js');
    },
  );

  test('the pages serve no other kinds of files, and nothing outside their folder (T65)', async () => {
    for (const name of [
      'dashboard.html',
      'parts/lit.ts',
      'none.js',
      '..%2fpackage.json',
      '..%2fsrc%2fpages.ts',
      '%2e%2e',
      'constructor',
    ]) {
      expect(await client.call(`/assets/${name}`)).toMatchObject({
        status: 404,
        json: { errorCode: '11' },
      });
    }
  });
});

describe('the command of an action', () => {
  const TEXTS = [
    "it's",
    '$(id)',
    '`id`',
    '"',
    '\\',
    '\n',
    '!',
    '-n',
    '*',
    '~',
    ' ',
    'ü😀',
    "'; id #",
    '',
    '\t',
    '%s',
    '{a,b}',
  ];

  test('the command of an action quotes any text as one word of a real shell', async () => {
    const texts = [
      ...TEXTS,
      ...fc.sample(
        fc
          .string({ unit: 'binary', maxLength: 20 })
          .filter((text) => !/[\0\ud800-\udfff]/.test(text)),
        { numRuns: 200, seed: 1 },
      ),
    ];

    const { stdout } = await run('sh', [
      '-c',
      `printf '%s\\0' ${texts.map(quoteForShell).join(' ')}`,
    ]);

    expect(stdout.split('\0').slice(0, -1)).toEqual(texts);
  });

  test('the command of an action names the token without containing it, and sends exactly the body', async () => {
    const body = { reference: `it's $HOME \`id\` "\\n"`, nested: ["'"] };
    const command: string = curlFor(
      { method: 'PUT', path: "/merchants/it's", body },
      { origin: 'http://localhost:4010', needsToken: true },
    );

    // A shell function replaces curl and prints its arguments.
    const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
      env: { SANDBOX_TOKEN: 'a b' },
    });

    expect(stdout.split('\0').slice(0, -1)).toEqual([
      '-sS',
      '-X',
      'PUT',
      "http://localhost:4010/_sandbox/merchants/it's",
      '-H',
      'X-Sandbox-Token: a b',
      '-H',
      'Content-Type: application/json',
      '-d',
      JSON.stringify(body),
    ]);
    expect(
      curlFor(
        { method: 'GET', path: '/clock' },
        { origin: 'http://localhost:4010', needsToken: false },
      ),
    ).toBe("curl -sS 'http://localhost:4010/_sandbox/clock'");
  });
});
