import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommandIn } from '../../test/command.ts';
import { Environments, PRODUCTION } from '../../test/environments.ts';
import { DATABASES, makeDatabaseUrl } from '../testing/databases.ts';
import { TOKEN } from '../testing/upstream.ts';

let environments: Environments;
let reference: string;

const run = (...words: string[]) =>
  runCommandIn({ DATABASE_URL: environments.home.url }, 'environment', words);

describe.each(DATABASES)('on the database of another environment, on %s (T149)', (kind) => {
  beforeEach(async () => {
    environments = await Environments.make(kind);
    reference = await environments.openProduction();
  });

  afterEach(() => environments.close());

  const settings = () => ({
    DATABASE_URL: environments.home.url,
    SERVICE_PAY_API_URL: environments.service.url,
    SERVICE_PAY_API_TOKEN: TOKEN,
  });

  test('on the database of another environment, commands that verify or change are rejected before they do either', async () => {
    const before = await environments.readAll();

    for (const [command, ...words] of [
      ['orders', 'accept', reference],
      ['orders', 'refuse', reference],
      ['orders', 'redrive', reference],
      ['orders', 'redrive', '--all'],
      ['replay', '--reference', reference],
    ] as const)
      expect(await runCommandIn(settings(), command, words)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^The .+ cannot be used: it belongs to https:\/\/pay\.example with the public key pub_live, and not to http:\/\/localhost\. Nothing was changed\. Use SERVICE_PAY_API_URL and SERVICE_PAY_PUBLIC_KEY of its shop\. If .+ environment add http:\/\/localhost <public key>\n$/,
        ),
      });

    await environments.change("delete from service_pay_migrations where name like '0010%'");
    expect(await runCommandIn(settings(), 'migrate', [])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be used: it belongs to https.* It was left as it is\./),
    });
    expect(await environments.readAll()).toEqual(before);
    expect(environments.service.calls).toEqual([]);
  });

  test('on the database of another environment, commands that only read work, and doctor names both environments', async () => {
    const before = await environments.readAll();

    for (const [command, ...words] of [
      ['orders'],
      ['orders', 'show', reference],
      ['orders', 'find', 'ann'],
      ['orders', 'awaiting-payment'],
      ['replay'],
      ['environment'],
    ] as const)
      expect(await runCommandIn(settings(), command, words)).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await runCommandIn(settings(), 'doctor', []);

    expect(stdout).toMatch(
      /^problem +Environment +The database is not of these settings: it belongs to https.*\n +→ Use SERVICE_PAY_API_URL/m,
    );
    expect(stdout).not.toMatch(/Writing|Webhook/);
    expect(await environments.readAll()).toEqual(before);
  });

  test('on the database of another environment, the public key is compared where the settings have one', async () => {
    const sameService = { ...settings(), SERVICE_PAY_API_URL: PRODUCTION.apiUrl };
    const otherKey = { ...sameService, SERVICE_PAY_PUBLIC_KEY: 'pub_test' };
    const words = ['redrive', '--all'];

    expect(await runCommandIn(otherKey, 'orders', words)).toMatchObject({ code: 1 });
    expect(await runCommandIn(sameService, 'orders', words)).toMatchObject({ code: 0 });
  });
});

describe.each(DATABASES)('service-pay environment, on %s', (kind) => {
  beforeEach(async () => {
    environments = await Environments.make(kind);
  });

  afterEach(() => environments.close());

  test('service-pay environment lets a new address and key in beside the old one, and forgets one', async () => {
    await environments.openProduction();
    const moved = { apiUrl: 'https://pay2.example/v2', publicKey: 'pub_live_2' };

    const added = await run('add', 'https://PAY2.example/v2/', moved.publicKey);
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Added\.\n\nSERVICE +PUBLIC KEY +ADDED\nhttps:\/\/pay\.example +pub_live .+\nhttps:\/\/pay2\.example\/v2 +pub_live_2 .+\n\nWritten to /,
      ),
    });
    for (const options of [moved, PRODUCTION])
      await (await environments.open({ ...options, background: false })).close();
    expect((await run('forget', PRODUCTION.apiUrl, PRODUCTION.publicKey)).stdout).toMatch(
      /^Forgotten\.\n\nSERVICE.+\nhttps:\/\/pay2/,
    );

    await expect(environments.open(PRODUCTION)).rejects.toThrow(
      /to https:\/\/pay2\.example\/v2 wi/,
    );
    await environments.open({ ...moved, background: false });
  });
});

describe('service-pay environment', () => {
  beforeEach(async () => {
    environments = await Environments.make('sqlite');
  });

  afterEach(() => environments.close());

  test.each([
    [['add'], /^Usage: npx --no -- service-pay environment/],
    [['add', 'https://pay.example'], /^Usage/],
    [['remove', 'https://pay.example', 'pub_live'], /^Usage/],
    [['add', 'http://pay.example', 'pub_live'], /^http:\/\/pay\.example is not the address/],
    [['add', 'https://pay.example', 'sec_live_0123'], /^The public key must be your public key/],
    [['forget', 'https://pay.example', 'pub_other'], /^Nothing was changed: that service/],
    [['forget', 'https://pay.example', 'pub_live'], /^Nothing was changed: it is the only one/],
  ])('service-pay environment rejects %j', async (words, sentence) => {
    await environments.openProduction();
    const before = await environments.readAll();

    expect(await run(...words)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(sentence),
    });
    expect(await environments.readAll()).toEqual(before);
  });

  test('service-pay environment says so if no shop has opened the database, and prints JSON', async () => {
    await runCommandIn({ DATABASE_URL: environments.home.url }, 'migrate', []);

    const none = await run();
    await environments.openProduction();
    const { stdout } = await run('--json');

    expect(none.stdout).toMatch(/^No service has used this database yet\./);
    expect(JSON.parse(stdout)).toEqual([
      { service: 'https://pay.example', publicKey: 'pub_live', addedAt: expect.any(Number) },
    ]);
  });

  test('move-database carries the list, and rejects the database of another environment', async () => {
    await environments.openProduction();
    const target = await makeDatabaseUrl('sqlite');
    const move = () =>
      runCommandIn({ DATABASE_URL: target.url }, 'move-database', [environments.home.url]);
    const other = await environments.open({ database: target.url, background: false });
    await other.close();

    expect(await move()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /it belongs to http:\/\/localhost with the public key pub_test, and the file does not\. It was left as it is\./,
      ),
    });
    await runCommandIn({ DATABASE_URL: environments.home.url }, 'environment', [
      ...['add', 'http://localhost', 'pub_test'],
    ]);
    expect((await move()).stdout).toMatch(/^payments: 1\n[\s\S]*environments: 2\n/);

    const { stdout } = await runCommandIn({ DATABASE_URL: target.url }, 'environment', []);
    expect(stdout).toMatch(/https:\/\/pay\.example +pub_live .+\nhttp:\/\/localhost +pub_test/);
    await target.drop();
  });
});
