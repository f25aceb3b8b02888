import { expect, test } from 'vitest';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { startTestShop, type TestShop } from '../../test/shop.ts';
import { openDatabase } from '../database/open.ts';
import { collectionResponse, startUpstream } from '../testing/upstream.ts';
import { PaymentStore } from './store.ts';

const HOUR_MS = 3_600_000;

test('an order gets no further payment once one of it was paid, needs review, or there were twenty (D51)', async () => {
  const responses = new Map<string, string>();
  const service = await startUpstream((req, res) => {
    const amount = responses.get(req.url!.split('/').at(-1)!);
    if (amount === 'unknown') return void res.writeHead(403).end();
    res.end(collectionResponse(req.url!, amount === undefined ? { status: 'failed' } : { amount }));
  });
  const own = await startTestShop(service.url);
  const browser = own.browser();
  const retry = async (reference: string) => {
    const { status, json } = await browser.post(`/api/payments/${reference}/retry`);
    return status === 201 ? 201 : `${status} ${json.errorCode} ${json.message}`;
  };
  const [justPaid, inReview, unclear, often] = [
    await browser.order(),
    await browser.order(),
    await browser.order(),
    await browser.order(),
  ];
  responses.set(justPaid, '92.50');
  responses.set(inReview, '9.25');

  expect(await retry(justPaid)).toBe(
    '400 04 This order is paid already. There is nothing more to pay.',
  );
  expect(await own.stateOf(justPaid)).toBe('paid');
  expect(await retry(inReview)).toMatch(/^400 04 .+ Do not pay again\.$/);
  await addPayments(own, unclear, 1);
  responses.set(unclear, '9.25').set(`${unclear}-0`, 'unknown');
  expect(await retry(unclear)).toMatch(/^503/);
  expect(await retry(unclear)).toMatch(/^400 04 .+ Do not pay again\.$/); // nothing is verified
  await addPayments(own, often, 19);
  expect(await retry(often)).toMatch(/^400 04 .+ Place a new one\.$/);
  await own.close();
  await service.close();
});

async function addPayments(
  { config, rows }: TestShop,
  reference: string,
  count: number,
): Promise<void> {
  const [payment] = await rows<{ order_id: string }>(
    'select order_id from service_pay_payments where reference = ?',
    reference,
  );
  const database = await openDatabase(config.databaseUrl, PATIENT_DATABASE);
  const store = new PaymentStore(database);
  const now = Date.now();
  for (let added = 0; added < count; added++) {
    expect(
      await store.addPayment(payment!.order_id, {
        reference: `${reference}-${added}`,
        checkAt: now + HOUR_MS,
        now,
      }),
    ).toMatchObject({ reference: `${reference}-${added}` });
  }
  await database.close();
}
