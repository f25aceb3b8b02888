import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../app/start.ts';
import { pay, TestClient } from '../test/client.ts';

const STARTED_AT = '2031-03-01T00:00:00.000Z';
const DAY_S = 24 * 60 * 60;

/** Rejects unsigned webhooks, and always rejects every third order. */
const receiver = createServer(async (req, res) => {
  let body = '';
  for await (const chunk of req) body += chunk;
  const isSigned = req.headers['x-servicepay-signature'] === signWebhook(body, 'sec_sandbox_demo');
  const number = Number(/"reference":"order-(\d+)"/.exec(body)?.[1]);
  res.writeHead(!isSigned ? 401 : number % 3 === 0 ? 500 : 200).end();
});
let sandbox: Sandbox;
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  sandbox = await startSandbox({
    webhookUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  });
});
afterAll(async () => {
  await sandbox.close();
  receiver.close();
});
beforeEach(async () => {
  await sandbox.control.reset();
  await sandbox.control.setClock({ mode: 'virtual', now: STARTED_AT });
});

async function listDeliveries() {
  const deliveries = await sandbox.control.webhooks();
  return deliveries.map(({ event, reference, status, createdAt, faults, attempts }) => ({
    event,
    reference,
    status,
    createdAt,
    faults,
    attempts: attempts.map((attempt) => [attempt.at, attempt.status, attempt.faults]),
  }));
}

async function playFaultyDays(seed: number) {
  await sandbox.control.reset();
  await sandbox.control.setClock({ mode: 'virtual', now: STARTED_AT });
  const webhooks = {
    drop: 0.1,
    duplicate: 0.2,
    shuffle: 0.2,
    tamper: 0.2,
    delaySeconds: { min: 0, max: 600 },
  };
  await sandbox.control.setFaults({ webhooks, seed });
  for (let at = 0; at < 40; at++) {
    const card = at % 2 ? pay.card('4242424242424242') : pay.card('4000000000000077');
    await client.attempt(await client.visit(`order-${at}`), card);
    await sandbox.control.advance(at % 5);
  }
  await sandbox.control.advance(2 * DAY_S);
  return listDeliveries();
}

test('two days of deliveries with faults end the same with one seed: acknowledged, given up or lost', {
  timeout: 120_000,
}, async () => {
  const once = await playFaultyDays(7);
  const again = await playFaultyDays(7);
  const otherwise = await playFaultyDays(8);

  expect(again).toEqual(once);
  expect(otherwise).not.toEqual(once);
  expect(new Set(once.map(({ status }) => status))).toEqual(
    new Set(['acknowledged', 'given-up', 'dropped']),
  );
  for (const { status, attempts } of once) {
    if (status === 'given-up') expect(attempts).toHaveLength(49);
    if (status === 'dropped') expect(attempts).toHaveLength(0);
    if (status === 'acknowledged') expect(attempts.at(-1)![1]).toBe(200);
  }
});

test('24 hours of retries take a moment, one every half hour (D42)', {
  timeout: 120_000,
}, async () => {
  await client.attempt(await client.visit('order-3'), pay.card('4242424242424242'));

  await sandbox.control.advance(DAY_S);

  const [delivery] = await listDeliveries();
  expect(delivery!.status).toBe('given-up');
  expect(
    delivery!.attempts.map(([at]) => (Date.parse(at as string) - Date.parse(STARTED_AT)) / 60_000),
  ).toEqual(Array.from({ length: 49 }, (_, half) => half * 30));
});
