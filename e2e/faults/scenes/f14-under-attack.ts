import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTimetable } from '../../lab/load.ts';
import { percentile } from '../../lab/percentile.ts';
import type { PlacedOrder } from '../../lab/placed-order.ts';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { countLosses, untilSettled } from '../shop/losses.ts';
import { Scene } from '../shop/scene.ts';
import { makeDelivery, pay, Shopping, WEBHOOK_PATH } from '../shop/shopping.ts';

const SCALES = {
  short: { seconds: 5, honestPerSecond: 60, slowConnections: 200, unsignedPerSecond: 500 },
  full: { seconds: 60, honestPerSecond: 200, slowConnections: 2_000, unsignedPerSecond: 5_000 },
};
const SETTLES_WITHIN_MS = 60_000;

const PATIENCE_MS = 30_000;

const LEAST_SENT = 0.2;

/**
 * The limit of the full form. The short one runs beside other tests and only reports the figure.
 */
const HONEST_P99_MS = 250;
const HONEST_LONGEST_MS = 1_000;
const SLOW_HELD_MS = 7_000;

export interface AttackPlan {
  port: number;
  path: string;
  slowConnections: number;
  unsignedPerSecond: number;
  /**
   * The extra time for an attack in which not all are connected or fewer than `leastUnsigned` are
   * sent.
   */
  patienceMs: number;
  leastUnsigned: number;
  seed: number;
}

export interface AttackReport {
  slowOpened: number;
  slowClosed: number;
  longestHeldMs: number;
  slowResponses: Record<string, number>;
  unsignedSent: number;
  unsignedResponses: Record<string, number>;
  cameForMs: number;
  completedAfterMs: number;
}

/**
 * F14: honest customers and the service are served while strangers hold connections and send
 * webhooks nobody signed (T90, T91).
 */
export const F14: Harness = {
  id: 'F14',
  what: 'load under attack',
  databases: ['sqlite', 'postgres'],
  run: runF14,
  broken: [{ name: 'holds-slow-connections' }, { name: 'takes-the-forged' }, { name: 'logs-each' }],
};

export async function runF14(options: HarnessOptions): Promise<HarnessResult> {
  const { seconds, honestPerSecond, slowConnections, unsignedPerSecond } = SCALES[options.scale];
  const findings = new Findings('F14', options);
  const scene = await Scene.open(options);
  const settings = await scene.settings();
  const shopping = new Shopping(settings.port, findings.random);
  let attackers: ChildProcess | undefined;
  try {
    const shop = await scene.start(settings);
    let linesOfStrangers = 0;
    shop.onLine = (line) => {
      if (line.includes('webhook rejected')) linesOfStrangers++;
    };
    const orders = await order(shopping, (seconds * honestPerSecond) / 2);
    for (const { reference } of orders) await pay(scene.sandbox, reference);
    const deliveries = orders.map(({ reference }) => makeDelivery(reference));

    const leastUnsigned = LEAST_SENT * unsignedPerSecond * seconds;
    const plan: AttackPlan = {
      port: settings.port,
      path: WEBHOOK_PATH,
      slowConnections,
      unsignedPerSecond,
      patienceMs: options.scale === 'full' ? 0 : PATIENCE_MS,
      leastUnsigned,
      seed: Number(findings.figures.seed),
    };
    attackers = fork(fileURLToPath(new URL('f14-attackers.ts', import.meta.url)), [
      JSON.stringify(plan),
    ]);
    await once(attackers, 'message'); // they have begun
    const latencies: number[] = [];
    const errors: string[] = [];
    let unavailable = 0;
    let withoutResponse = 0;
    await onTimetable({ perSecond: honestPerSecond, seconds }, async (index, due) => {
      const at = index >> 1;
      const delivery = deliveries[at]!;
      const request =
        index % 2 ? shopping.verify(orders[at]!) : shopping.postWebhook(delivery.body);
      const result = await request.catch(() => 'nothing');
      latencies.push(performance.now() - due);
      if (result === 200) delivery.isAcknowledged = true;
      else if (result === 'nothing') withoutResponse++;
      else if (result === undefined || result === 503) unavailable++;
      else if (result !== 'successful')
        errors.push(`${index % 2 ? 'verify' : 'webhook'}: ${result}`);
    });
    attackers.send('stop');
    const [report] = (await once(attackers, 'message')) as [AttackReport];

    findings.figures['honest requests'] = latencies.length;
    time('honest with 503', unavailable, 0);
    time('honest without response', withoutResponse, 0);
    time('honest p50 ms', Math.round(percentile(latencies, 0.5)), Number.POSITIVE_INFINITY);
    time('honest p99 ms', Math.round(percentile(latencies, 0.99)), HONEST_P99_MS);
    time('honest longest ms', Math.round(percentile(latencies, 1)), HONEST_LONGEST_MS);

    findings.require('slow connections', report.slowOpened, slowConnections);
    findings.limit('slow connections never closed', report.slowOpened - report.slowClosed, 0);
    findings.figures['responses to slow ones'] = JSON.stringify(report.slowResponses);
    time('slow connection held ms, longest', report.longestHeldMs, SLOW_HELD_MS);

    findings.require('unsigned webhooks', report.unsignedSent, leastUnsigned);
    findings.figures['unsigned per second'] = Math.round(
      (1_000 * report.unsignedSent) / report.cameForMs,
    );
    findings.limit(
      'unsigned and not rejected',
      report.unsignedSent - (report.unsignedResponses['401'] ?? 0),
      0,
    );
    const [stored] = await scene.database.rows<{ n: number }>(
      "select count(*) as n from service_pay_webhook_deliveries where reference like 'stranger-%'",
    );
    findings.limit('unsigned and stored', Number(stored!.n), 0);
    // One a second of each of the two kinds there are: no signature, and one that does not hold.
    findings.limit(
      'lines logged of them',
      linesOfStrangers,
      2 * (report.completedAfterMs / 1_000 + 1),
    );

    errors.push(
      ...(await shopping.deliver(deliveries.filter(({ isAcknowledged }) => !isAcknowledged))),
    );
    findings.limit('honest errors', errors.length, 0);
    findings.failures.push(...new Set(errors));
    const traffic = { paid: orders.map(({ reference }) => [reference]), deliveries };
    findings.figures['settled after ms'] = await untilSettled(scene, traffic, SETTLES_WITHIN_MS);
    await countLosses(scene, findings, traffic);
    return findings.result();
  } finally {
    attackers?.kill();
    await shopping.close();
    await scene.close();
  }

  function time(name: string, value: number, atMost: number): void {
    if (options.scale === 'full') findings.limit(name, value, atMost);
    else findings.figures[name] = value;
  }
}

async function order(shopping: Shopping, count: number): Promise<PlacedOrder[]> {
  const orders: PlacedOrder[] = [];
  let begun = 0;
  const orderNext = async () => {
    while (begun++ < count) orders.push(await shopping.order());
  };
  await Promise.all(Array.from({ length: 32 }, orderNext));
  return orders;
}
