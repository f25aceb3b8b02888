import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import SqliteFile from 'better-sqlite3';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type Ended, runCommandIn, runShopCommand, runShopProgram } from '../../test/command.ts';
import { OWN_ENVIRONMENT } from '../../test/parts.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { runProgram } from '../../test/programs.ts';
import { addEnvironment } from '../database/environment.ts';
import { openDatabase } from '../database/open.ts';
import { DATABASES, makeDatabaseUrl, readRows } from '../testing/databases.ts';
import { TOKEN } from '../testing/upstream.ts';
import { parseConfig } from './settings.ts';

const COMMANDS = [
  { command: 'orders', words: [] },
  { command: 'replay', words: [] },
] as const;
const SETTINGS_HINT =
  /Settings come from the environment and from \.env in this folder\. Use those of the running shop, or --database\. If it never ran, start it once\.\n$/;
const folder = mkdtempSync(join(tmpdir(), 'commands-'));

// Each starts a few programs.
vi.setConfig({ testTimeout: 60_000 });

afterAll(() => rmSync(folder, { recursive: true }));

async function runEach(databaseUrl: string): Promise<Ended[]> {
  const settings = {
    SERVICE_PAY_API_TOKEN: TOKEN,
    SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
  };
  const config = parseConfig({ ...settings, DATABASE_URL: databaseUrl });
  const ended: Ended[] = [];
  for (const { command, words } of COMMANDS)
    ended.push(await runShopCommand(command, config, [...words]));
  return ended;
}

function expectRejections(ended: Ended[], sentence: RegExp): void {
  expect(ended).toHaveLength(COMMANDS.length);
  for (const { code, stdout, stderr } of ended) {
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(SETTINGS_HINT);
  }
}

const SETTINGS = parseConfig({
  SERVICE_PAY_API_TOKEN: TOKEN,
  SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
  DATABASE_URL: 'file:/nowhere/shop.db',
});

describe('service-pay', () => {
  test.each(['doctor', 'orders', 'replay', 'environment', 'migrate', 'move-database'] as const)(
    'service-pay prints the usage of %s with --help, and the options of every command',
    async (command) => {
      expect(await runShopCommand(command, SETTINGS, ['--help'])).toEqual({
        code: 0,
        stdout: expect.stringMatching(
          new RegExp(
            `^Usage: npx --no -- service-pay ${command}[\\s\\S]*--env-file <file>[\\s\\S]*--database <address>`,
          ),
        ),
        stderr: '',
      });
    },
  );

  test.each([
    ['', { code: 1, stdout: expect.stringMatching(/^Usage: .*\n {2}replay /s), stderr: '' }],
    ['--help', { code: 0, stdout: expect.stringMatching(/^Usage: .*\n {2}orders /s), stderr: '' }],
    [
      'order',
      { code: 1, stdout: '', stderr: expect.stringMatching(/^There is no command "order"/) },
    ],
  ])('service-pay given %j lists its commands', async (word, ended) => {
    expect(await runShopProgram(word as 'orders', SETTINGS, [])).toEqual(ended);
  });

  test('service-pay reads settings from the file of --env-file, whose folder its paths count from', async () => {
    const file = join(folder, 'shop.env');
    writeFileSync(file, `DATABASE_URL=file:of-the-file.db\nSESSION_SECRET=${'s'.repeat(32)}\n`);
    await (await openDatabase(`file:${join(folder, 'of-the-file.db')}`)).close();
    const words = ['--env-file', file, '--json'];

    const read = await runShopCommand('orders', SETTINGS, words, { DATABASE_URL: '' });
    const missing = await runShopCommand('orders', SETTINGS, ['--env-file', `${file}.none`]);

    expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining('"parked":0') });
    expect(missing).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^Correct these settings, .*\n- .*shop\.env\.none cannot be read \(ENOENT\)\. Check its path and permissions\.\n$/,
      ),
    });
  });
});

test.each([
  ['/srv/shop.env', [], '--env-file /srv/shop.env'],
  [
    '/my shop/.env',
    ['--database', 'file:shop.db'],
    '--env-file "/my shop/.env" --database file:shop.db',
  ],
  [
    'a.env',
    ['--database', 'postgres://shop:secret@db/shop'],
    '--env-file a.env --database <address>',
  ],
])(
  'a hint has the options that lead to the same database, and no password: %s %j',
  async (file, given, kept) => {
    const { stderr } = await runCommandIn({}, 'orders', ['show', '--env-file', file, ...given]);

    expect(stderr).toBe(
      `orders show needs one reference: npx --no -- service-pay orders ${kept} show <reference>\n`,
    );
  },
);

test('service-pay reads .env of its folder, and the settings of the demo only where there is none', async () => {
  const shop = join(folder, 'bff-example');
  mkdirSync(join(shop, '.data'), { recursive: true });
  for (const name of ['demo.db', 'own.db'])
    await (await openDatabase(`file:${join(shop, '.data', name)}`)).close();
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const run = () => runProgram(process.execPath, [main, 'orders'], shop);
  writeFileSync(join(shop, '.data/demo.env'), 'DATABASE_URL=file:demo.db\n');

  const demo = run();
  writeFileSync(join(shop, '.env'), 'DATABASE_URL=file:.data/own.db\n');
  const own = run();

  expect(demo.output).toContain(`Read from the file ${shop}/.data/demo.db.`);
  expect(own.output).toContain(`Read from the file ${shop}/.data/own.db.`);
});

describe('service-pay beside a shop that has none of the template’s settings', () => {
  test('service-pay beside a shop that has none of the template’s settings opens the database with no other setting, also where others are malformed', async () => {
    const made = await makeDatabaseUrl('sqlite');
    await (await openDatabase(made.url, PATIENT_DATABASE)).close();
    const of = ['--database', made.url];
    const others = { PUBLIC_URL: 'shop', HOST: 'localhost', LOG_LEVEL: 'loud', PORT: 'x' };

    expect(await runCommandIn(others, 'orders', of)).toMatchObject({ code: 0 });
    expect(await runCommandIn({}, 'orders', ['waiting', ...of])).toMatchObject({ code: 0 });
    expect(await runCommandIn({}, 'replay', of)).toMatchObject({ code: 0 });
    expect(await runCommandIn({}, 'move-database', ['file:none.db', ...of])).toMatchObject({
      stderr: expect.stringMatching(/none\.db cannot be used: it is not there/),
    });
    await made.drop();
  });

  test('service-pay beside a shop that has none of the template’s settings names the API token, and no other setting, where a command needs it', async () => {
    const made = await makeDatabaseUrl('sqlite');
    const database = await openDatabase(made.url, PATIENT_DATABASE);
    await addEnvironment(database.db, { service: 'https://pay.example', publicKey: 'pub_live' });
    await addEnvironment(database.db, OWN_ENVIRONMENT);
    await database.close();
    const file = join(folder, 'delivery.http');
    writeFileSync(file, 'Host: shop\n\n{}');

    const elsewhere = {
      SERVICE_PAY_API_URL: 'https://pay.example',
      SERVICE_PAY_API_TOKEN: 'sec_live_0123',
    };
    const replayed = await runCommandIn(elsewhere, 'replay', [
      '--reference',
      'ref-1',
      '--database',
      made.url,
    ]);
    expect(replayed.stderr).toMatch(
      /No payment of this shop has that reference\. .*orders --database file:\S+ find <text>\n$/,
    );
    for (const [command, ...words] of [
      ['replay', '--reference', 'ref-1'],
      ['doctor'],
      ['doctor', '--delivery', file],
    ] as const) {
      const ended = await runCommandIn({}, command, [...words, '--database', made.url]);
      expect(ended.code).toBe(1);
      expect(ended.stdout + ended.stderr).toMatch(/SERVICE_PAY_API_TOKEN is required/);
      expect(ended.stdout + ended.stderr).not.toMatch(/SESSION_SECRET|SCRIPT_URL/);
    }
    await made.drop();
  });
});

describe('a command that reads a shop’s records', () => {
  test('a command that reads a shop’s records makes no file where there is none', async () => {
    const file = join(folder, 'nowhere', 'shop.db');

    const ended = await runEach(`file:${file}`);

    expectRejections(
      ended,
      new RegExp(
        `^The file ${file} cannot be used: it is not there\\. Nothing was created or changed\\. `,
      ),
    );
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  test.each([
    ['an empty file', (file: string) => writeFileSync(file, '')],
    [
      'a file of another program',
      (file: string) => new SqliteFile(file).exec('create table notes (words text)').close(),
    ],
  ])('a command that reads a shop’s records makes no tables in %s', async (name, write) => {
    const file = join(folder, `${name}.db`);
    write(file);
    const before = readFileSync(file);

    const ended = await runEach(`file:${file}`);

    expectRejections(
      ended,
      /cannot be used: it has no tables of a shop\. Nothing was created or changed\./,
    );
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(folder).filter((entry) => entry.startsWith(name))).toEqual([`${name}.db`]);
  });

  test('a command that reads a shop’s records says what is wrong with a file that is none of SQLite', async () => {
    const file = join(folder, 'letter.db');
    writeFileSync(file, 'Dear Mary, '.repeat(100));

    expectRejections(
      await runEach(`file:${file}`),
      /letter\.db cannot be used: file is not a database\./,
    );
  });
});

describe.each(DATABASES)('a command that reads a shop’s records, on %s', (kind) => {
  test('a command that reads a shop’s records says which database it read, and no user or password', async () => {
    const made = await makeDatabaseUrl(kind);
    await (await openDatabase(made.url, PATIENT_DATABASE)).close();

    const [orders, replay] = await runEach(made.url);
    const named = await runShopCommand('orders', SETTINGS, ['--database', made.url]);

    const name =
      kind === 'sqlite' ? `the file ${made.url.slice('file:'.length)}` : nameOf(made.url);
    for (const ended of [orders, replay]) expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(named).toEqual(orders);
    expect(orders?.stdout).toMatch(/^awaiting-payment +\d+$/m);
    for (const ended of [orders, replay])
      expect(ended?.stdout.split('\n').at(-2)).toBe(`Read from ${name}.`);
    await made.drop();
  });

  test('a command that reads a shop’s records leaves a schema of the version before as it is', async () => {
    const made = await makeDatabaseUrl(kind);
    const database = await openDatabase(made.url, PATIENT_DATABASE);
    await database.db
      .deleteFrom('service_pay_migrations' as never)
      .where('name' as never, '>', '0008' as never)
      .execute();
    await database.close();

    const ended = await runEach(made.url);

    expectRejections(
      ended,
      /its schema is older than this program \(without 0008-.*\): take a backup, then start .* on it once/,
    );
    expect(await readRows(made.url, 'select name from service_pay_migrations')).toHaveLength(1);
    await made.drop();
  });
});

describe.skipIf(!DATABASES.includes('postgres'))(
  'a command that reads a shop’s records, on a PostgreSQL',
  () => {
    test('a command that reads a shop’s records on a PostgreSQL makes no tables where there are none', async () => {
      const made = await makeDatabaseUrl('postgres');
      const { username, password } = new URL(made.url);

      const ended = await runEach(made.url);

      expectRejections(
        ended,
        new RegExp(
          `^${nameOf(made.url).replace('the', 'The')} cannot be used: it has no tables of a shop`,
        ),
      );
      expect(
        await readRows(
          made.url,
          "select 1 from pg_class where relnamespace = 'public'::regnamespace",
        ),
      ).toEqual([]);
      for (const { stderr } of ended) expect(stderr).not.toContain(`${username}:${password}`);
      await made.drop();
    });
  },
);

function nameOf(postgresUrl: string): string {
  const { host, pathname } = new URL(postgresUrl);
  return `the PostgreSQL database ${pathname.slice(1)} on ${host}`;
}
