import { expect, onTestFinished, test, vi } from 'vitest';
import { PATIENT } from '../../lab/patience.ts';
import { ONE_HONEY, startShopWithSandbox } from '../shop.ts';

const TEN_MINUTES_S = 600;

async function start() {
  const fulfilled: string[] = [];
  const fulfil = async ({ id }: { id: string }) => void fulfilled.push(id);
  const { shop, sandbox, close } = await startShopWithSandbox({ fulfil });
  onTestFinished(close);
  const { control } = sandbox;
  await control.setClock({ mode: 'virtual' });
  const browser = shop.browser();
  const { reference, amount } = (await browser.post('/api/orders', ONE_HONEY)).json.data;
  const hasState = (one: string, state: string) =>
    vi.waitFor(async () => {
      await browser.verify(one);
      expect(await shop.stateOf(one)).toBe(state);
    }, PATIENT);
  return { fulfilled, shop, control, browser, reference, amount, hasState };
}

test('the scenario failed-then-paid: the order is paid and fulfilled once the payment succeeds after all', async () => {
  const { fulfilled, control, reference, amount, hasState } = await start();
  await control.armScenario('failed-then-paid');
  await control.pay({ reference, amount });

  await hasState(reference, 'failed');
  await control.advance(TEN_MINUTES_S);
  await hasState(reference, 'paid');

  await vi.waitFor(() => expect(fulfilled).toHaveLength(1), PATIENT);
});

test('the scenario paid-twice: the order is fulfilled once, and a person decides about the second payment', async () => {
  const { fulfilled, shop, control, browser, reference, amount, hasState } = await start();
  await control.armScenario('paid-twice');
  await control.pay({ reference, amount });
  await hasState(reference, 'failed');

  const { status, json } = await browser.post(`/api/payments/${reference}/retry`);
  await control.pay({ reference: json.data.reference, amount });
  await hasState(json.data.reference, 'paid');
  await control.advance(TEN_MINUTES_S);
  await vi.waitFor(async () => expect(await shop.stateOf(reference)).toBe('needs-review'), PATIENT);

  expect(status).toBe(201);
  expect(fulfilled).toHaveLength(1);
  expect(shop.lines.join('\n')).toContain('order paid twice; payment needs review');
});
