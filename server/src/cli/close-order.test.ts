import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runShopCommand } from '../../test/command.ts';
import { PATIENT, PATIENT_DATABASE } from '../../test/patience.ts';
import { postWebhook, startTestShop, type TestShop } from '../../test/shop.ts';
import { openDatabase } from '../database/open.ts';
import { DATABASES } from '../testing/databases.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';

const HOUR_MS = 60 * 60_000;

const BY = ['--by', 'Grace of support', '--reason', 'out of stock, refunded by hand'];

describe.each(DATABASES)('service-pay orders close, on %s', (kind) => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  let shop: TestShop;
  let calls: string[] = [];
  let fulfil = async () => {};

  const orders = (...words: string[]) => runShopCommand('orders', shop.config, words);

  beforeAll(async () => {
    upstream = await startUpstream(({ url = '' }, res) => res.end(collectionResponse(url)));
    const counted = async ({ reference }: { reference: string }) => {
      calls.push(reference);
      await fulfil();
    };
    shop = await startTestShop(upstream.url, { fulfil: counted }, {}, kind);
  });

  afterAll(async () => {
    await shop.close();
    await upstream.close();
  });

  test.each([
    ['parked', { state: 'parked', attempts: 10 }],
    ['waiting', { due_at: Date.now() + HOUR_MS }],
  ] as const)(
    'service-pay orders close ends a %s order: it stays paid, fulfil is not called again, and nothing reports it',
    async (state, values) => {
      fulfil = () => Promise.reject(new Error('out of stock'));
      const reference = await payOrder();
      await change(reference, values);
      const before = await figures();

      const closed = await orders('close', reference, ...BY);

      expect(before).toMatchObject({ doctor: 'problem', [state]: 1 });
      expect(closed.stdout).toMatch(/^The order is closed: .*The payment stays paid\. .*\n\n/);
      expect(closed.stdout).toMatch(/^Next step: none\. The order is closed/m);
      expect(JSON.parse(closed.stderr)).toMatchObject({
        msg: 'manual decision',
        reference,
        decision: 'close',
        who: 'Grace of support',
        reason: 'out of stock, refunded by hand',
      });
      expect(await figures()).toEqual({ doctor: 'ok', waiting: 0, parked: 0 });
      fulfil = async () => {};
      calls = [];
      expect(await postWebhook(shop, reference)).toBe(200);
      await runShopCommand('replay', shop.config, ['--reference', reference]);
      expect((await orders('redrive', '--all')).stdout).toMatch(/^Redriven: 0\./);
      await payAnother();
      expect(calls).not.toContain(reference);
      const shown = JSON.parse((await orders('show', reference, '--json')).stdout);
      expect(shown).toMatchObject({
        payments: [{ reference, state: 'paid' }],
        fulfilments: [{ state: 'closed', lastError: 'Error: out of stock' }],
        decisions: [
          {
            decision: 'close',
            who: 'Grace of support',
            reason: 'out of stock, refunded by hand',
          },
        ],
      });
      for (const decision of [
        ['redrive', reference],
        ['close', reference, ...BY],
      ]) {
        const { code, stderr } = await orders(...decision);
        expect([code, stderr]).toEqual([1, expect.stringMatching(/^Nothing was changed: /)]);
      }
    },
  );

  test('service-pay orders close is rejected with a sentence while a call of fulfil runs, which then fulfils the order', async () => {
    const running = Promise.withResolvers<void>();
    onTestFinished(() => running.resolve());
    fulfil = () => running.promise;
    const reference = await payOrder();

    const rejected = await orders('close', reference, ...BY);
    running.resolve();

    expect(rejected).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Nothing was changed: close needs a paid order .* no call of fulfil that runs .*orders show/,
      ),
    });
    await vi.waitFor(async () => expect(await stateOf(reference)).toBe('done'), PATIENT);
    expect((await orders('close', reference, ...BY)).code).toBe(1);
  });

  async function payOrder(): Promise<string> {
    const reference = await shop.browser().order();
    await postWebhook(shop, reference);
    await vi.waitFor(() => expect(calls).toContain(reference), PATIENT);
    return reference;
  }

  /** Waits for an order that was paid later: the shop has looked for due orders by then. */
  async function payAnother(): Promise<void> {
    const reference = await payOrder();
    await vi.waitFor(async () => expect(await stateOf(reference)).toBe('done'), PATIENT);
  }

  async function stateOf(reference: string): Promise<string | undefined> {
    const statement = 'select fulfilment from service_pay_orders where reference = ?';
    return (await shop.rows<{ fulfilment: string }>(statement, reference))[0]?.fulfilment;
  }

  /** Changes a fulfilment between two calls. */
  async function change(reference: string, values: object): Promise<void> {
    const database = await openDatabase(shop.config.databaseUrl, PATIENT_DATABASE);
    await vi.waitFor(async () => {
      const changed = await database.db
        .updateTable('service_pay_fulfilments')
        .set(values)
        .where('reference', '=', reference)
        .where('attempts', '>', 0)
        .where('lease_owner', 'is', null)
        .returning('reference')
        .execute();
      expect(changed).toHaveLength(1);
    }, PATIENT);
    await database.close();
  }

  /** What doctor says of fulfilments, and what orders and metrics count. */
  async function figures(): Promise<object> {
    const environment = { PUBLIC_URL: shop.url };
    const { stdout } = await runShopCommand('doctor', shop.config, [], environment);
    const { waiting, parked } = JSON.parse((await orders('--json')).stdout);
    await vi.waitFor(async () => {
      const { text } = await shop.browser().get('/metrics');
      expect(text).toContain(`service_pay_fulfilments{state="waiting"} ${waiting}\n`);
      expect(text).toContain(`service_pay_fulfilments{state="parked"} ${parked}\n`);
    }, PATIENT);
    return { doctor: /^(\w+) +Fulfilment/m.exec(stdout)?.[1], waiting, parked };
  }
});
