import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runShopCommand } from '../../test/command.ts';
import { passTimeDuring } from '../../test/parts.ts';
import { startTestShop, type TestShop } from '../../test/shop.ts';
import { DATABASES } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { collectionResponse, signedWebhook, startUpstream, TOKEN } from '../testing/upstream.ts';
import { parseConfig } from './settings.ts';

describe.each(DATABASES)('service-pay replay, on %s', (kind) => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let shop: TestShop;
  let clock: ManualClock;
  let response: Record<string, unknown> | undefined;

  const replay = (...words: string[]) =>
    passTimeDuring(clock, runShopCommand('replay', shop.config, words, {}, { clock }));

  beforeAll(async () => {
    upstream = await startUpstream((req, res) => {
      if (!response) res.statusCode = 401;
      res.end(collectionResponse(req.url ?? '', response ?? {}));
    });
    // so that nobody but the command verifies, however long it takes
    const standing = new ManualClock(Date.now());
    clock = new ManualClock(standing.now());
    shop = await startTestShop(upstream.url, { clock: standing }, {}, kind);
  });

  afterAll(async () => {
    await shop.close();
    await upstream.close();
  });

  async function deliver(event: string, data: unknown): Promise<string> {
    const { id, body, headers } = signedWebhook(event, data);
    expect((await shop.browser().post('/webhooks/service-pay', body, headers)).status).toBe(200);
    return id;
  }

  test('service-pay replay lists what arrived, and hands a delivery to the shop again: the service decides (D54)', async () => {
    response = { status: 'pending' };
    const reference = await shop.browser().order();
    const id = await deliver('collection.successful', {
      reference,
      status: 'successful',
      amount: '92.50',
    });

    const listed = await replay();
    const pending = await replay(id);
    response = { status: 'successful' };
    const paid = await replay(id.slice(0, 12));
    const again = await replay(id);

    expect(listed.stdout).toMatch(
      new RegExp(
        `^${id.slice(0, 12)} +collection\\.successful +${reference} +\\S+ \\S+ UTC +-$`,
        'm',
      ),
    );
    expect(pending).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^${reference} stays in awaiting-payment\\.`),
    });
    expect(paid).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`^${reference} was awaiting-payment and is now paid\\.`),
    });
    expect((await replay()).stdout).toMatch(
      new RegExp(`^${id.slice(0, 12)} .*UTC +\\S+ \\S+ UTC$`, 'm'),
    );
    expect(again.stdout).toContain(`${reference} stays in paid.`);
    expect(
      await shop.rows('select state from service_pay_payments where reference = ?', reference),
    ).toEqual([{ state: 'paid' }]);
    expect(
      await shop.rows(
        'select reference from service_pay_fulfilments where reference = ?',
        reference,
      ),
    ).toHaveLength(1);
  });

  test('service-pay replay takes a reference in place of a delivery, and tells why it needs a person (D51)', async () => {
    response = { amount: '1.00' };
    const reference = await shop.browser().order();

    const { stdout, stderr } = await replay('--reference', reference);

    expect(stderr).toMatch(/^The database is the (?:file|PostgreSQL) .*\.$/m);
    expect(stdout).toContain(
      `${reference} was awaiting-payment and is now needs-review (amount differs: ZMW 1.00 arrived).`,
    );
    expect((await replay('--reference', reference)).stdout).toContain(
      `npx --no -- service-pay orders show ${reference}`,
    );
  });

  test('what is not known stays as it is, with exit 1 and no secret (D52, D53)', async () => {
    response = undefined;
    const reference = await shop.browser().order();

    const { code, stdout, stderr } = await replay('--reference', reference);

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /stays in awaiting-payment, because its result is not known yet: The service rejects the API token/,
    );
    expect(stdout + stderr).not.toContain(TOKEN);
    expect(await shop.stateOf(reference)).toBe('awaiting-payment');
  });

  test('an event that names no payment, or one that is not ours, is reported', async () => {
    const none = await deliver('doctor.check', { at: 1 });
    const foreign = await deliver('collection.successful', { reference: 'of-another-system' });

    expect(await replay(none)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('names no payment'),
    });
    expect(await replay(foreign)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No payment of this shop has that reference'),
    });
  });

  test('service-pay replay shows nothing of an event that a terminal would act on', async () => {
    await deliver('collection.\u001b[2J\u202e', { reference: 'x' });

    expect((await replay()).stdout).toContain('collection.?[2J?');
  });

  test.each([
    [['0'.repeat(64)], /^No webhook has an id that starts with this/],
    [['zz'], /^No webhook has an id that starts with this/],
    [['--reference', '../x'], /^No payment of this shop has that reference/m],
  ])(
    'service-pay replay %j, which names nothing, ends with a sentence and exit 1',
    async (words, sentence) => {
      expect(await replay(...words)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(sentence),
      });
    },
  );
});

describe('service-pay replay, given words that mean nothing', () => {
  test.each([
    [['0000', '--reference', 'x'], /^Usage: npx --no -- service-pay replay/],
    [['--force'], /^Unknown option/],
  ])(
    'service-pay replay %j ends with a sentence and exit 1, and opens no database',
    async (words, sentence) => {
      const config = parseConfig({
        SERVICE_PAY_API_TOKEN: TOKEN,
        SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
        DATABASE_URL: `file:${import.meta.filename}/shop.db`,
      });

      expect(await runShopCommand('replay', config, words)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(sentence),
      });
    },
  );
});
