import { setTimeout as pause } from 'node:timers/promises';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { request } from 'undici';
import {
  findFreePort,
  type ServerProgram,
  startServerProgram,
} from '../../../scripts/programs/server-program.ts';
import type { Call } from '../../lab/load.ts';
import type { PlacedOrder } from '../../lab/placed-order.ts';
import { startShopProgram } from '../../lab/shop-launcher.ts';
import { bodyOf, ITEM } from './database.ts';

const TOKEN = 'sec_sandbox_demo';
const ORDER = JSON.stringify({
  items: [{ sku: ITEM.sku, quantity: 1 }],
  customer: { email: 'mary@example.com' },
});

const PLACED_AT_ONCE = 32;

/**
 * A disk that is slow for a moment must not end the measuring: the shop responds with 503 within
 * half a second.
 */
const ORDER_TRIES = 10;

const CALM_MS = 600;
const CALM_WITHIN_MS = 60_000;

export async function startShop(databaseUrl: string, serviceUrl: string): Promise<ServerProgram> {
  const PORT = String(await findFreePort());
  return startShopProgram({ databaseUrl, serviceUrl }, { PORT, TRUST_PROXY: '1' });
}

export async function startService(
  status: 'successful' | 'pending' = 'successful',
): Promise<ServerProgram> {
  return startServerProgram(
    'e2e/bench/template/upstream.ts',
    [String(await findFreePort()), ITEM.price, ITEM.currency, status],
    {},
  );
}

export async function startSample(serviceUrl: string): Promise<ServerProgram> {
  return startServerProgram(
    'e2e/bench/floor/sample-shop.ts',
    [serviceUrl, String(await findFreePort())],
    {},
  );
}

export async function withPrograms<Result>(
  work: (keep: (started: Promise<ServerProgram>) => Promise<ServerProgram>) => Promise<Result>,
): Promise<Result> {
  const programs: ServerProgram[] = [];
  try {
    return await work(async (started) => {
      const program = await started;
      programs.push(program);
      return program;
    });
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}

/**
 * Orders one item repeatedly just before the orders are verified, so that the reconciler has not
 * verified them yet. Each comes from an address and a browser of its own: orders are limited by
 * address.
 */
export async function orderOver(url: string, count: number): Promise<PlacedOrder[]> {
  const orders: PlacedOrder[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) orders.push(await orderOnce(url, next++));
  };
  await Promise.all(Array.from({ length: PLACED_AT_ONCE }, worker));
  return orders;
}

async function orderOnce(url: string, number: number, tries = 1): Promise<PlacedOrder> {
  const address = `10.0.${(number >> 8) & 255}.${number & 255}`;
  const response = await request(`${url}/api/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: ORDER,
  });
  const placed = (await response.body.json()) as { message: string; data: { reference: string } };
  if (response.statusCode === 503 && tries < ORDER_TRIES) return orderOnce(url, number, tries + 1);
  if (response.statusCode !== 201)
    throw new Error(`An order got HTTP ${response.statusCode}: ${placed.message}`);
  return {
    reference: placed.data.reference,
    cookie: String(response.headers['set-cookie']).split(';')[0] ?? '',
    address,
  };
}

export function verify({ reference, cookie, address }: PlacedOrder): ReturnType<Call> {
  return {
    path: `/api/payments/${reference}/verify`,
    method: 'POST',
    headers: { cookie, 'x-forwarded-for': address },
  };
}

export function webhookCall(reference: string): ReturnType<Call> {
  const body = bodyOf(reference);
  const signature = signWebhook(body, TOKEN);
  return {
    path: '/webhooks/service-pay',
    method: 'POST',
    headers: { 'content-type': 'application/json', [SIGNATURE_HEADER.toLowerCase()]: signature },
    body,
  };
}

export async function readCalls(
  serviceUrl: string,
): Promise<{ calls: number; times: Record<string, number[]> }> {
  const response = await request(`${serviceUrl}/calls`);
  return (await response.body.json()) as { calls: number; times: Record<string, number[]> };
}

/**
 * Resolves once nothing is being confirmed, so that work behind one load does not slow the next.
 */
export async function calmDown(serviceUrl: string): Promise<void> {
  const giveUpAt = performance.now() + CALM_WITHIN_MS;
  let before = -1;
  for (;;) {
    const { calls } = await readCalls(serviceUrl);
    if (calls === before) return;
    if (performance.now() > giveUpAt)
      throw new Error(
        `The shop was still calling the service ${CALM_WITHIN_MS / 1000} s after the load.`,
      );
    before = calls;
    await pause(CALM_MS);
  }
}
