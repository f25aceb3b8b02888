import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ConfigError, parseConfig, paymentSettings, readEnvironment } from './settings.ts';

const GOOD = { SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo' };
const LIVE = {
  SERVICE_PAY_API_URL: 'https://pay.example',
  SERVICE_PAY_SCRIPT_URL: 'https://pay.example/inline.js',
  SERVICE_PAY_API_TOKEN: 'sec_live_12',
};

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    parseConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  return [];
}

describe('settings', () => {
  test('settings are rejected by name and without a value, also a spoiled one (T78)', () => {
    const starts = [
      '',
      'http://',
      'https://[',
      'postgres://u:',
      'file:',
      'sec_',
      'pub_',
      '-',
      '\0',
      '%',
    ];
    const ends = ['', '@localhost/x', ':99999', '?x=1', '#', '\n', '%00', '@h:5432/d?host=/x'];
    const spoiled = fc.oneof(
      fc
        .tuple(fc.constantFrom(...starts), fc.constantFrom(...ends))
        .map(([start, end]) => `${start}s3cret${end}`),
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `${text}s3cret`),
      fc.constantFrom('', ' ', '0', '-1', '1e3', '٣', 'true', 'https://', 'postgres://'),
    );
    const name = fc.constantFrom(...Object.keys(paymentSettings.entries));

    fc.assert(
      fc.property(fc.dictionary(name, spoiled, { maxKeys: 6 }), (given) => {
        expect(problemsOf({ ...GOOD, ...given }).join()).not.toContain('s3cret');
      }),
      { numRuns: process.env.DRAW_ANEW ? 10_000 : 1_000 },
    );
  });

  test.each([
    [
      'a public key as token',
      { SERVICE_PAY_API_TOKEN: 'pub_sandbox_demo' },
      /^SERVICE_PAY_API_TOKEN/,
    ],
    [
      'the demo token with a service elsewhere',
      {
        SERVICE_PAY_API_URL: 'https://pay.example',
        SERVICE_PAY_SCRIPT_URL: 'https://pay.example/inline.js',
      },
      /^SERVICE_PAY_API_TOKEN/,
    ],
    [
      'the demo token as the one before, with a service elsewhere',
      { ...LIVE, SERVICE_PAY_API_TOKEN_PREVIOUS: 'sec_sandbox_demo' },
      /^SERVICE_PAY_API_TOKEN_PREVIOUS must be your own token\. Every sandbox has this one/,
    ],
    [
      'a service elsewhere with the popup of this machine',
      { SERVICE_PAY_API_URL: 'https://pay.example', SERVICE_PAY_API_TOKEN: 'sec_live_12' },
      /^SERVICE_PAY_SCRIPT_URL is required if SERVICE_PAY_API_URL is on another/,
    ],
    [
      'a popup from elsewhere with the service of this machine',
      { SERVICE_PAY_SCRIPT_URL: 'https://pay.example/inline.js' },
      /^SERVICE_PAY_API_URL is required if SERVICE_PAY_SCRIPT_URL is on another/,
    ],
    [
      'a free port for the sandbox without the address of its script',
      { SANDBOX_PORT: '0', SERVICE_PAY_API_URL: 'http://localhost:4010' },
      /^SERVICE_PAY_SCRIPT_URL is required if .* SANDBOX_PORT is 0/,
    ],
    [
      'a token with a blank within',
      { SERVICE_PAY_API_TOKEN: 'sec_live 12' },
      /^SERVICE_PAY_API_TOKEN/,
    ],
    [
      'a token of two lines',
      { SERVICE_PAY_API_TOKEN: 'sec_live_12\nsec_live_34' },
      /^SERVICE_PAY_API_TOKEN/,
    ],
    ['no token', { SERVICE_PAY_API_TOKEN: '' }, /^SERVICE_PAY_API_TOKEN is required/],
    ['a port with a fraction', { PORT: '80.5' }, /^PORT/],
    ['a negative port', { PORT: '-1' }, /^PORT/],
    [
      'plain http to a service elsewhere',
      { SERVICE_PAY_API_URL: 'http://pay.example', SERVICE_PAY_API_TOKEN: 'sec_live_12' },
      /^SERVICE_PAY_API_URL/,
    ],
    [
      'a password in an address',
      { SERVICE_PAY_API_URL: 'http://u:p@localhost' },
      /^SERVICE_PAY_API_URL/,
    ],
    [
      'no address at all',
      { SERVICE_PAY_SCRIPT_URL: 'javascript:alert(1)' },
      /^SERVICE_PAY_SCRIPT_URL/,
    ],
    [
      'a shop on plain http beyond this machine',
      { PUBLIC_URL: 'http://shop.example' },
      /^PUBLIC_URL/,
    ],
    ['a shop below a path', { PUBLIC_URL: 'https://shop.example/shop' }, /^PUBLIC_URL/],
    [
      'another kind of database',
      { DATABASE_URL: 'mysql://u:p@h/d' },
      /^DATABASE_URL must be file:<path>.* or postgres:/,
    ],
    [
      'a PostgreSQL elsewhere without a word on TLS',
      { DATABASE_URL: 'postgres://u:p@db.example/d' },
      /^DATABASE_URL .*verify-full/,
    ],
    [
      'a PostgreSQL whose certificate is not checked',
      { DATABASE_URL: 'postgres://u:p@h/d?sslmode=require' },
      /^DATABASE_URL .*verify-full/,
    ],
    ['a PostgreSQL without a database', { DATABASE_URL: 'postgres://u:p@h' }, /^DATABASE_URL /],
    [
      'a password in another encoding',
      { DATABASE_URL: 'postgres://u:p%e9@localhost/d' },
      /^DATABASE_URL must be /,
    ],
    [
      'a password with a bare %',
      { DATABASE_URL: 'postgres://u:p%zz@localhost/d' },
      /^DATABASE_URL must be .* % as %25/,
    ],
    [
      'a PostgreSQL that a parameter puts elsewhere',
      { DATABASE_URL: 'postgres://u:p@localhost/d?host=remote' },
      /^DATABASE_URL .*verify-full/,
    ],
    [
      'one that it puts elsewhere for pg_dump',
      { DATABASE_URL: 'postgres://u:p@localhost/d?hostaddr=192.0.2.1' },
      /^DATABASE_URL .*verify-full/,
    ],
    [
      'several hosts',
      { DATABASE_URL: 'postgres://u:p@localhost/d?host=/run/postgres,db.example' },
      /^DATABASE_URL must be .* name one host/,
    ],
    [
      'a host said twice',
      { DATABASE_URL: 'postgres://u:p@localhost/d?host=localhost&host=remote' },
      /^DATABASE_URL .*each parameter once/,
    ],
    [
      'a TLS mode said twice',
      { DATABASE_URL: 'postgres://h/d?sslmode=verify-full&sslmode=no-verify' },
      /^DATABASE_URL .*each parameter once/,
    ],
    [
      'one said in another spelling',
      { DATABASE_URL: 'postgres://h/d?sslmode=verify-full&s%73lmode=no-verify' },
      /^DATABASE_URL .*each parameter once/,
    ],
    ['no host at all', { DATABASE_URL: 'postgres:///d?host=' }, /^DATABASE_URL must be /],
    [
      'a parameter with a bare %',
      { DATABASE_URL: 'postgres://localhost/d?options=%zz' },
      /^DATABASE_URL must be .* % as %25/,
    ],
    ['a bad port', { PORT: '80 80' }, /^PORT/],
    [
      'certificates unchecked',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      /^NODE_TLS_REJECT_UNAUTHORIZED/,
    ],
  ])('settings reject %s (T78)', (_name, settings, problem) => {
    const problems = problemsOf({ ...GOOD, ...settings });

    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  test.each([
    ['file:/var/lib/shop.db', '/var/lib/shop.db'],
    ['file:///var/lib/shop.db', '/var/lib/shop.db'],
    ['file:/var/a shop/100%.db', '/var/a shop/100%.db'],
  ])('settings take a database file as it is written: %s', (given, path) => {
    expect(parseConfig({ ...GOOD, DATABASE_URL: given }).databaseUrl).toBe(`file:${path}`);
  });

  test.each([
    'postgres://user:password@localhost:5432/shop',
    'postgresql://user:p%40ss@[::1]/shop',
    'postgres://user:password@db.example/shop?sslmode=verify-full',
    'postgres://user:password@db/shop?sslmode=disable',
    'postgres:///shop?host=/var/run/postgresql',
    'postgres://user:password@%2Fvar%2Frun%2Fpostgresql/shop',
    'postgres://user:password@db.example/shop?host=::1',
    'postgres://user:password@localhost/shop?host=db.example&sslmode=verify-full',
  ])('settings take a PostgreSQL as it is written: %s', (given) => {
    expect(parseConfig({ ...GOOD, DATABASE_URL: given }).databaseUrl).toBe(given);
  });

  test('settings are trimmed, and empty counts as absent (T78)', () => {
    const config = parseConfig({
      ...GOOD,
      SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo\n',
      SERVICE_PAY_API_TOKEN_PREVIOUS: '',
      PORT: ' ',
    });

    expect(config).toMatchObject({
      apiToken: 'sec_sandbox_demo',
      previousApiToken: undefined,
      port: 3000,
    });
  });

  test('settings in a file that begins with a byte order mark, as Windows writes it, are all read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'settings-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, '.env'), '\ufeffPORT=3100\r\nSERVICE_PAY_API_TOKEN=sec_x\r\n');

    const [settings] = readEnvironment(folder, {});

    expect(settings).toEqual({ PORT: '3100', SERVICE_PAY_API_TOKEN: 'sec_x' });
  });

  test('settings in a file that cannot be read are a problem with a name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'settings-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, '.env'));

    expect(() => readEnvironment(folder)).toThrow(
      /\.env cannot be read \(EISDIR\)\. Check its path and permissions/,
    );
  });
});
