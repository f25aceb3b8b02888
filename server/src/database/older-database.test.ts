import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCommandIn } from '../../test/command.ts';
import { Environments, ORDER } from '../../test/environments.ts';
import { passTimeUntil } from '../../test/parts.ts';
import { PATIENT } from '../../test/patience.ts';
import { DATABASES, readRows } from '../testing/databases.ts';
import { signedWebhook } from '../testing/upstream.ts';

let environments: Environments;

describe.each(DATABASES)('a database that an older version left, on %s (T149)', (kind) => {
  beforeEach(async () => {
    environments = await Environments.make(kind);
  });

  afterEach(() => environments.close());

  const stateOf = async (reference: string) => {
    const statement = 'select state from service_pay_payments where reference = ?';
    return (await readRows<{ state: string }>(environments.home.url, statement, [reference]))[0]
      ?.state;
  };

  /** Opens the database while the service responds with 503, and places an order. */
  async function openWhileDown() {
    const paid = await environments.makeOlder();
    environments.isKnown = undefined;
    const payments = await environments.open({ clock: environments.clock });
    const { reference } = await payments.create(ORDER);
    const { body, headers } = signedWebhook('collection.successful', { reference });
    const receive = () => payments.receiveWebhook({ headers, rawBody: body });
    return { payments, paid, reference, receive };
  }

  test('a database that an older version left is taken by the shop whose service knows its newest paid payment', async () => {
    const reference = await environments.makeOlder();

    await environments.open();

    expect(environments.service.calls[0]).toContain(reference);
    expect(await environments.readPairs()).toEqual(['http://localhost pub_test']);
    await vi.waitFor(() => expect(environments.fulfilled).toEqual([reference]), PATIENT);
  });

  test('a database that an older version left is taken by the first shop if nothing is paid', async () => {
    await environments.openProduction();
    await environments.forgetEnvironments();
    environments.isKnown = () => false;

    await environments.open({ background: false });

    expect(await environments.readPairs()).toEqual(['http://localhost pub_test']);
    expect(environments.service.calls).toEqual([]);
  });

  test('a database that an older version left is closed, unchanged, to a shop whose service does not know that payment, until a person adds it', async () => {
    const reference = await environments.makeOlder();
    environments.isKnown = () => false;

    await expect(environments.open()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        new RegExp(
          `http://localhost does not know its newest paid payment ${reference}, so it belongs .+ It was left as it is\\. .+ run: npx --no -- service-pay migrate, then npx --no -- service-pay environment add http://localhost pub_test$`,
        ),
      ),
    });

    const { url } = environments.home;
    expect(
      await readRows(url, "select 1 from service_pay_migrations where name >= '0011'"),
    ).toEqual([]);
    expect(environments.fulfilled).toEqual([]);
    const settings = { DATABASE_URL: url };
    await runCommandIn(settings, 'migrate', []);
    await runCommandIn(settings, 'environment', ['add', environments.service.url, 'pub_test']);
    await environments.open();
    await vi.waitFor(() => expect(environments.fulfilled).toEqual([reference]), PATIENT);
  });

  test('a database that an older version left opens while the service is down, and confirms and fulfils only once it responds', async () => {
    const { payments, paid, reference, receive } = await openWhileDown();
    await expect(payments.confirm(reference, ORDER)).rejects.toMatchObject({
      code: 'not_known_yet',
    });
    await expect(payments.work()).rejects.toMatchObject({ code: 'not_known_yet' });
    expect((await receive()).status).toBe(200);
    await payments.health();
    expect(environments.lines[0]).toMatchObject({
      level: 'warn',
      message: 'newest paid payment not verified; nothing is confirmed or fulfilled until it is',
    });
    expect(await stateOf(reference)).toBe('awaiting-payment');
    expect([environments.fulfilled, await environments.readPairs()]).toEqual([[], []]);

    environments.isKnown = () => true;
    await passTimeUntil(environments.clock, async () => {
      expect(environments.fulfilled.toSorted()).toEqual([paid, reference].toSorted());
      expect(await stateOf(reference)).toBe('paid');
    });
    expect(await environments.readPairs()).toEqual(['http://localhost pub_test']);
    expect(environments.lines.map(({ message }) => message)).toContain(
      'database belongs to this service and public key now',
    );
  });

  test('a database that an older version left stays as it is if the service does not know that payment once it responds', async () => {
    const { payments, reference, receive } = await openWhileDown();
    environments.isKnown = (given) => given === reference;

    await passTimeUntil(environments.clock, () =>
      expect(environments.lines.map(({ level, message }) => `${level} ${message}`)).toContain(
        'error database belongs to another environment',
      ),
    );
    expect(environments.lines.find(({ level }) => level === 'error')?.fields).toMatchObject({
      fix: expect.stringMatching(/environment add .+ Then restart the shop\.$/),
    });
    const before = await environments.readAll();
    for (const call of [
      () => payments.create(ORDER),
      () => payments.confirm(reference, ORDER),
      () => payments.work(),
      () => payments.health(),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'unavailable' });
    expect((await receive()).status).toBe(503);
    await environments.clock.advance(60_000);

    expect(await environments.readAll()).toEqual(before);
    expect([environments.fulfilled, await environments.readPairs()]).toEqual([[], []]);
  });
});
