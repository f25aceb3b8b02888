import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommandIn, runShopCommand } from '../../test/command.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { postWebhook, startTestShop, type TestShop } from '../../test/shop.ts';
import { openDatabase } from '../database/open.ts';
import { newReference } from '../payments/create.ts';
import { DATABASES } from '../testing/databases.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';

const TEN_MINUTES_MS = 10 * 60_000;

describe.each(DATABASES)('what is wrong, on %s', (kind) => {
  let service: Awaited<ReturnType<typeof startUpstream>>;
  let respond: RequestListener;
  let shop: TestShop;

  beforeEach(async () => {
    respond = (req, res) => res.end(collectionResponse(req.url!, { status: 'pending' }));
    service = await startUpstream((req, res) => respond(req, res));
    shop = await startTestShop(service.url, {}, {}, kind);
  });

  afterEach(async () => {
    await shop.close();
    await service.close();
  });

  const orders = async (...words: string[]) =>
    (await runShopCommand('orders', shop.config, words)).stdout;

  async function age(table: 'webhook_deliveries' | 'payments', column: string): Promise<void> {
    const database = await openDatabase(shop.config.databaseUrl, PATIENT_DATABASE);
    await database.db
      .updateTable(`service_pay_${table}` as 'service_pay_payments')
      .set({ [column]: Date.now() - TEN_MINUTES_MS })
      .execute();
    await database.close();
  }

  test('the orders command begins with a rejected API token', async () => {
    respond = (_req, res) => res.writeHead(401).end();

    const found = await orders();

    expect(found).toMatch(
      /^problem {2}The service rejects the API token.*\n +→ Set SERVICE_PAY_API_TOKEN/,
    );
    expect(found).not.toContain('Nothing needs attention.');
  });

  test('the orders command begins with a service that does not respond', async () => {
    await service.close();

    expect(await orders()).toMatch(/^problem {2}http:.*: .*ECONNREFUSED.*\n +→ Check SERVICE_PAY/);
  });

  test('the orders command begins with webhooks about payments that stay open', async () => {
    await postWebhook(shop, await shop.browser().order());
    await age('webhook_deliveries', 'received_at');

    expect(await orders()).toMatch(
      /^problem {2}1 webhook reports the end of a payment that is still open, for 10 minutes\./,
    );
  });

  test('the orders command begins with money for an unknown reference', async () => {
    const unknown = newReference(Date.now());
    await postWebhook(shop, unknown);
    await age('webhook_deliveries', 'received_at');

    const [found, json] = [await orders(), await orders('--json')];

    expect(found).toMatch(new RegExp(`^problem  Money was received .*: ${unknown}\\.\n +→ Look`));
    expect(JSON.parse(json).problems).toEqual([
      { found: expect.stringContaining(unknown), todo: expect.stringContaining('refund') },
    ]);
  });

  test('the orders command begins with open payments that no shop polls', async () => {
    await shop.close();
    shop = await startTestShop(service.url, { background: false }, {}, kind);
    await shop.browser().order();
    await age('payments', 'check_at');

    expect(await orders()).toMatch(/^problem {2}Open payments are polled 10 minutes late\./);
  });

  test('the orders command begins with settings of another shop', async () => {
    const found = await runShopCommand('orders', shop.config, [], {
      SERVICE_PAY_API_URL: 'https://pay.example',
      SERVICE_PAY_API_TOKEN: 'sec_of_another_shop',
    });
    const malformed = await runShopCommand('orders', shop.config, [], {
      SERVICE_PAY_API_URL: 'pay.example',
    });

    expect(malformed.stdout).toMatch(/^problem {2}Settings of the service cannot be used: SERV/);
    expect(found.stdout).toMatch(
      /^problem {2}The database is not of these settings: it belongs to /,
    );
  });

  test('the orders command begins with the counts if nothing is wrong, also where only the database is known', async () => {
    const { stdout } = await runCommandIn({ DATABASE_URL: shop.config.databaseUrl }, 'orders', []);

    for (const found of [stdout, await orders()]) {
      expect(found).toMatch(/^STATE/);
      expect(found).toContain('Nothing needs attention.');
    }
  });
});
