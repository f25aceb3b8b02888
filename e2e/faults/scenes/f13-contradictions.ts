import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';

import { openFreshDatabase } from '../databases.ts';
import {
  Findings,
  type Harness,
  type HarnessOptions,
  type HarnessResult,
  SOUND,
} from '../harness.ts';
import { Scene } from '../shop/scene.ts';
import { makeDelivery, type PlacedOrder, Shopping } from '../shop/shopping.ts';

const HISTORIES = { short: 50, full: 10_000 };
const LANES = 5;

const EVENTS = ['collection.successful', 'collection.failed', 'collection.settled'] as const;
const COPIES = [1, 2, 3, 4, 5] as const;
const SETTLED_WITHIN_MS = 30_000;

/**
 * F13: news that is doubled, late, contradictory and out of order ends in one state, with one
 * fulfilment.
 */
export const F13: Harness = {
  id: 'F13',
  what: 'contradictory news',
  databases: ['sqlite', 'postgres'],
  run: runF13,
  broken: [
    {
      name: 'lets a late failure undo a payment',
      patches: [
        {
          file: 'server/src/payments/decide.ts',
          find: "if (collection.status === 'failed') return isAwaiting ? { to: 'failed' } : undefined;",
          replace: "if (collection.status === 'failed') return { to: 'failed' };",
        },
        {
          file: 'server/src/payments/confirm.ts',
          find: "(['awaiting-payment'] as const)",
          replace: "['awaiting-payment', 'expired', 'failed', 'paid', 'needs-review']",
        },
      ],
    },
    {
      name: 'takes a failure for the last word',
      patches: [
        {
          file: 'server/src/payments/decide.ts',
          find: "  'failed',\n  'expired',\n] as const",
          replace: "  'expired',\n] as const",
        },
      ],
    },
    {
      name: 'keeps a second payment of an order',
      patches: [
        {
          file: 'server/src/payments/store.ts',
          find: `      await move(trx, reference, ['paid'], 'needs-review', now, PAID_BEFORE);
      return 'needs-review';
`,
          replace: "      return 'paid';\n",
        },
      ],
    },
  ],
};

export async function runF13(options: HarnessOptions): Promise<HarnessResult> {
  const findings = new Findings('F13', options);
  await playHistories(options, findings);
  if (!findings.failures.length) await sendInEveryOrder(options, findings);
  return findings.result();
}

async function playHistories(
  { database: kind, scale, source = SOUND }: HarnessOptions,
  findings: Findings,
): Promise<void> {
  const load = (file: string) => import(pathToFileURL(join(source, file)).href);
  const { HistoryPlayer, histories, KNOWN_HISTORIES } = (await load(
    'server/test/histories.ts',
  )) as typeof import('@service-pay/server/test/histories');
  const { openDatabase } = (await load(
    'server/src/database/open.ts',
  )) as typeof import('@service-pay/server/internal/database/open');
  const made = await openFreshDatabase(kind);
  const database = await openDatabase(made.url);
  const player = new HistoryPlayer(database);
  const numRuns = HISTORIES[scale] / LANES;
  const runs = await Promise.all(
    Array.from({ length: LANES }, () => {
      const seed = findings.random.below(2 ** 31);
      return fc.check(
        fc.asyncProperty(histories, (steps) => player.play(steps)),
        { seed, numRuns, endOnFailure: true, examples: KNOWN_HISTORIES.map((steps) => [steps]) },
      );
    }),
  );
  await database.close();
  await made.drop();

  findings.require('histories', sum(runs.map((run) => run.numRuns)), HISTORIES[scale]);
  const failed = runs.filter((run) => run.failed);
  findings.limit('histories that end otherwise', failed.length, 0);
  for (const { counterexample, errorInstance } of failed)
    findings.failures.push(`${errorInstance} after ${JSON.stringify(counterexample)}`);
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
