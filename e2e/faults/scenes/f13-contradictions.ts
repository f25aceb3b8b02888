import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { Scene } from '../shop/scene.ts';
import { makeDelivery, type PlacedOrder, Shopping } from '../shop/shopping.ts';

const EVENTS = ['collection.successful', 'collection.failed', 'collection.settled'] as const;
const COPIES = [1, 2, 3, 4, 5] as const;
const SETTLED_WITHIN_MS = 30_000;

/**
 * F13: news that is doubled, late, contradictory and out of order ends in one state, with one
 * fulfilment. Random histories of it are played by the tests of server/src/payments/histories.
 */
export const F13: Harness = {
  id: 'F13',
  what: 'contradictory news',
  databases: ['sqlite', 'postgres'],
  run: runF13,
  broken: [{ name: 'takes-failure-for-final', isLong: true }],
};

async function runF13(options: HarnessOptions): Promise<HarnessResult> {
  const findings = new Findings('F13', options);
  await sendInEveryOrder(options, findings);
  return findings.result();
}

/**
 * Makes one payment for each order of the three events and each number of copies, while the service
 * changes its mind once.
 */
async function sendInEveryOrder(options: HarnessOptions, findings: Findings): Promise<void> {
  const service = await startChangingService();
  const scene = await Scene.open(options);
  const settings = await scene.settings({
    serviceUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  });
  const shopping = new Shopping(settings.port, findings.random);
  try {
    await scene.start(settings);
    const cases = permutations(EVENTS).flatMap((events) =>
      COPIES.map((copies) => ({ events, copies })),
    );
    const orders = await Promise.all(
      cases.map(({ events, copies }) => orderAndSend(shopping, events, copies)),
    );
    const references = orders.map(({ reference }) => reference);

    const waitedFrom = performance.now();
    let states = await readStates(scene);
    while (
      references.some((reference) => states.get(reference) !== 'paid') &&
      performance.now() - waitedFrom < SETTLED_WITHIN_MS
    ) {
      await pause(200);
      states = await readStates(scene);
    }
    const handedOver = await untilHandedOver(scene, references.length);

    findings.require(
      'payments with webhooks',
      references.length,
      EVENTS.length * 2 * COPIES.length,
    );
    findings.limit(
      'not paid in the end',
      references.filter((reference) => states.get(reference) !== 'paid').length,
      0,
    );
    findings.limit(
      'not handed over once',
      references.filter((reference) => handedOver.get(reference) !== 1).length,
      0,
    );
  } finally {
    await shopping.close();
    await scene.close();
    service.closeAllConnections();
    service.close();
  }
}

async function orderAndSend(
  shopping: Shopping,
  events: readonly string[],
  copies: number,
): Promise<PlacedOrder> {
  const order = await shopping.order();
  for (const event of events) {
    for (let copy = 0; copy < copies; copy++) {
      const { body } = makeDelivery(order.reference, event);
      await shopping.sendUntilHeard(copy % 2 ? body.replace('{', '{ ') : body);
    }
  }
  return order;
}

async function startChangingService(): Promise<Server> {
  const asked = new Set<string>();
  const server = createServer((req, res) => {
    const reference = req.url!.split('/').at(-1)!;
    const status = asked.has(reference) ? 'successful' : 'failed';
    asked.add(reference);
    res.end(
      JSON.stringify({
        status: true,
        message: '',
        data: { reference, status, amount: '92.50', currency: 'ZMW' },
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function readStates(scene: Scene): Promise<Map<string, string>> {
  const rows = await scene.database.rows<{ reference: string; state: string }>(
    'select reference, state from service_pay_payments',
  );
  return new Map(rows.map(({ reference, state }) => [reference, state]));
}

async function untilHandedOver(scene: Scene, orders: number): Promise<Map<string, number>> {
  const waitedFrom = performance.now();
  for (;;) {
    const calls = new Map<string, number>();
    for (const { key } of await scene.handedOver()) calls.set(key, (calls.get(key) ?? 0) + 1);
    if (calls.size >= orders || performance.now() - waitedFrom > SETTLED_WITHIN_MS) return calls;
    await pause(200);
  }
}

function permutations<Member>(members: readonly Member[]): Member[][] {
  if (members.length < 2) return [[...members]];
  return members.flatMap((first, at) =>
    permutations(members.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  );
}
