import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandName, type Ended, runShopCommand } from '../../test/command.ts';
import { startTestShop, type TestShop } from '../../test/shop.ts';
import { DATABASES, makeDatabaseUrl, type TestDatabase } from '../testing/databases.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';
import type { Config } from './settings.ts';

const NOBODY = 65_534;

/** Makes a database take no writes: one of PostgreSQL by its setting, a file by its permissions. */
async function makeReadOnly(url: string): Promise<void> {
  if (url.startsWith('file:')) {
    const file = url.slice('file:'.length);
    chmodSync(file, 0o444);
    chmodSync(dirname(file), 0o555);
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const name = client.escapeIdentifier(client.database!);
  await client.query(`alter database ${name} set default_transaction_read_only = on`);
  await client.end();
}

/** Runs a task as a user who may not write everywhere, because root may. */
async function asNobody<Result>(task: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return task();
  process.seteuid!(NOBODY);
  try {
    return await task();
  } finally {
    process.seteuid!(0);
  }
}

describe.each(DATABASES)('on a database of %s that takes no writes', (kind) => {
  let database: TestDatabase;
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let config: Config;
  let reference: string;

  beforeAll(async () => {
    database = await makeDatabaseUrl(kind);
    service = await startUpstream((req, res) =>
      req.url === '/js/v1/inline.js'
        ? res.writeHead(200, { 'content-type': 'text/javascript' }).end()
        : res.end(collectionResponse(req.url!, { amount: '1.00' })),
    );
    const shop: TestShop = await startTestShop(service.url, {}, { DATABASE_URL: database.url });
    const browser = shop.browser();
    reference = await browser.order();
    await browser.verify(reference);
    config = { ...shop.config, publicUrl: shop.url };
    await shop.close();
    await makeReadOnly(database.url);
  });

  afterAll(async () => {
    await service.close();
    if (kind === 'sqlite') chmodSync(dirname(database.url.slice('file:'.length)), 0o755);
    await database.drop();
  });

  const run = (command: CommandName, ...words: string[]): Promise<Ended> =>
    asNobody(() => runShopCommand(command, config, words));

  test('on a database that takes no writes, orders are counted, listed, found and shown', async () => {
    const ends = [
      await run('orders'),
      await run('orders', 'needs-review'),
      await run('orders', 'waiting'),
      await run('orders', 'find', 'mary@'),
      await run('orders', 'show', reference),
      await run('replay'),
    ];

    expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(Array(6).fill([0, '']));
    expect(ends[0]!.stdout).toContain('1 needs-review');
    if (kind === 'postgres')
      expect(ends[0]!.stdout).toMatch(/^problem {2}This database takes no writes/);
    for (const at of [1, 3, 4]) expect(ends[at]!.stdout).toContain(reference);
  });

  test('on a database that takes no writes, doctor makes every check, and says what a database without writes means', async () => {
    const { code, stdout, stderr } = await run('doctor');

    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^ok +Database /m);
    expect(stdout).toMatch(/^problem +Writing +The database takes no writes, so .*read-?only/m);
    const checks = [...stdout.matchAll(/^(?:ok|problem) +(\w+(?: script)?) /gm)].map(
      ([, one]) => one,
    );
    expect(checks).toEqual([
      ...['Service', 'Popup script', 'Database', 'Environment', 'Writing', 'Webhook'],
      ...['Access', 'Deliveries', 'Review', 'Unknown', 'Fulfilment'],
    ]);
  });

  test('on a database that takes no writes, a decision, and a change of who may use it, change nothing and say so', async () => {
    for (const { code, stderr } of [
      await run('orders', 'accept', reference),
      await run('environment', 'add', 'https://pay.example', 'pub_other'),
    ]) {
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /cannot be used: .*(?:takes no writes|readonly).*Nothing was created/s,
      );
    }
  });
});

test('doctor says that a database does not open, after it has checked the service', async () => {
  const database = await makeDatabaseUrl('sqlite');
  const service = await startUpstream((req, res) => res.end(collectionResponse(req.url!)));
  const shop = await startTestShop(service.url, {}, { DATABASE_URL: database.url });
  const { config } = shop;
  await shop.close();
  await database.drop();

  const { code, stdout, stderr } = await runShopCommand('doctor', config, []);
  await service.close();

  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(/^ok +Service /m);
  expect(stdout).toMatch(
    /^problem +Database +The file .* cannot be used: it is not there\..*\n.*→ /m,
  );
});
