import { setTimeout as pause } from 'node:timers/promises';
import { onTimetable } from '../../lab/load.ts';
import { percentile } from '../../lab/percentile.ts';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { countLosses, untilSettled } from '../shop/losses.ts';
import { Scene } from '../shop/scene.ts';
import type { ShopProcess } from '../shop/shop-process.ts';
import { PUBLIC_KEY, pay, Shopping, WEBHOOK_PATH } from '../shop/shopping.ts';

const MINUTES = { short: 1 / 5, full: 30 };
const MB_PER_MINUTE = 1;

/**
 * Over a few seconds, the slope also counts unfinished work. The short form measures what each webhook
 * leaves behind, enough to see whether all leak or none.
 */
const KB_PER_WEBHOOK = 32;
const PER_SECOND = 50;
const FAULTY = 0.05;
const WARM_UP = 0.3;
const SAMPLES = 60;
const DESCRIPTORS_MORE = 5;
const FREED_WITHIN_MS = 90_000;
const SETTLES_WITHIN_MS = 180_000;

/**
 * F15: a long day with a service that fails one call in twenty and loses or doubles as many
 * webhooks.
 */
export const F15: Harness = {
  id: 'F15',
  what: 'soak with faults',
  databases: ['sqlite', 'postgres'],
  run: runF15,
  broken: [{ name: 'keeps-webhooks' }],
};

export async function runF15(options: HarnessOptions): Promise<HarnessResult> {
  const isFull = options.scale === 'full';
  const lengthMs = (options.minutes ?? MINUTES[options.scale]) * 60_000;
  const findings = new Findings('F15', options);
  const { random } = findings;
  const scene = await Scene.open(options);
  const settings = await scene.settings({ isProbed: true });
  const { control } = scene.sandbox;
  try {
    await control.putMerchant(PUBLIC_KEY, {
      webhookUrl: `http://localhost:${settings.port}${WEBHOOK_PATH}`,
    });
    await control.setFaults({
      merchantApi: { rate: FAULTY, kind: 'status', status: 503 },
      webhooks: { drop: FAULTY, duplicate: FAULTY, shuffle: FAULTY },
      seed: Number(findings.figures.seed),
    });
    const shop = await scene.start(settings);
    const descriptorsAtFirst = shop.descriptors();
    const weights = isFull ? watchHeap(shop, lengthMs) : [];
    const shopping = new Shopping(settings.port, random);
    const warmUp = await soak(scene, shopping, lengthMs * WARM_UP);
    const warm = isFull ? undefined : await weighAtRest(scene, shop, warmUp.paid);
    const rest = await soak(scene, shopping, lengthMs * (1 - WARM_UP));
    const paid = [...warmUp.paid, ...rest.paid];
    const latencies = [...warmUp.latencies, ...rest.latencies];

    if (warm) {
      const { kb, webhooks } = await weighAtRest(scene, shop, paid);
      findings.limit(
        'heap kB more each webhook',
        Math.round((kb - warm.kb) / (webhooks - warm.webhooks)),
        KB_PER_WEBHOOK,
      );
    } else {
      const slope = slopeOf((await weights).filter(({ atMs }) => atMs >= lengthMs * WARM_UP));
      findings.limit('heap MB more each minute', Number(slope.toFixed(2)), MB_PER_MINUTE);
    }
    const traffic = { paid, deliveries: [] };
    findings.figures['settled after ms'] = await untilSettled(
      scene,
      traffic,
      findings.failures.length ? 0 : SETTLES_WITHIN_MS,
    );
    await countLosses(scene, findings, traffic);
    findings.figures['verify p50 ms from the planned time'] = Math.round(
      percentile(latencies, 0.5),
    );
    findings.figures['verify p99 ms from the planned time'] = Math.round(
      percentile(latencies, 0.99),
    );
    await shopping.close();
    // The sandbox sends a dropped webhook again half an hour later, so without the reset the end of a
    // long soak would never be quiet.
    await control.reset();
    findings.limit(
      'descriptors more',
      (await untilFreed(shop, descriptorsAtFirst + DESCRIPTORS_MORE)) - descriptorsAtFirst,
      DESCRIPTORS_MORE,
    );
    // A rejection that nobody handles ends the program of the harness.
    findings.limit('ended by itself', shop.isRunning ? 0 : 1, 0);
    findings.limit('exit code', (await shop.stop()).code ?? Number.POSITIVE_INFINITY, 0);
    return findings.result();
  } finally {
    await scene.close();
  }
}

/**
 * Buys on a timetable, whether or not earlier purchases are done. Returns how long after its time
 * each was verified.
 */
async function soak(
  scene: Scene,
  shopping: Shopping,
  lengthMs: number,
): Promise<{ paid: string[][]; latencies: number[] }> {
  const paid: string[][] = [];
  const latencies: number[] = [];
  await onTimetable({ perSecond: PER_SECOND, seconds: lengthMs / 1_000 }, async (_number, due) => {
    const placed = await shopping.order();
    const orderedMs = performance.now() - due;
    paid.push([placed.reference]);
    await pay(scene.sandbox, placed.reference, { notify: true });
    const verifiedAt = performance.now();
    await shopping.verify(placed).catch(() => undefined);
    latencies.push(orderedMs + performance.now() - verifiedAt);
  });
  return { paid, latencies };
}

async function weighAtRest(
  scene: Scene,
  shop: ShopProcess,
  paid: string[][],
): Promise<{ kb: number; webhooks: number }> {
  await untilSettled(scene, { paid, deliveries: [] }, SETTLES_WITHIN_MS);
  const [stored] = await scene.database.rows<{ n: number | string }>(
    'select count(*) as n from service_pay_webhook_deliveries',
  );
  return { kb: 1_000 * (await shop.heapMb()), webhooks: Number(stored!.n) };
}

interface Weight {
  atMs: number;
  mb: number;
}

async function watchHeap(shop: ShopProcess, lengthMs: number): Promise<Weight[]> {
  const began = performance.now();
  const weights: Weight[] = [];
  while (performance.now() - began < lengthMs && shop.isRunning) {
    weights.push({ atMs: performance.now() - began, mb: await shop.heapMb() });
    await pause(lengthMs / SAMPLES);
  }
  return weights;
}

function slopeOf(weights: readonly Weight[]): number {
  const mean = (of: (weight: Weight) => number) =>
    weights.reduce((sum, weight) => sum + of(weight), 0) / weights.length;
  const [meanAt, meanMb] = [mean(({ atMs }) => atMs), mean(({ mb }) => mb)];
  return (
    (mean(({ atMs, mb }) => (atMs - meanAt) * (mb - meanMb)) /
      mean(({ atMs }) => (atMs - meanAt) ** 2)) *
    60_000
  );
}

async function untilFreed(shop: ShopProcess, enough: number): Promise<number> {
  const began = performance.now();
  while (shop.descriptors() > enough && performance.now() - began < FREED_WITHIN_MS)
    await pause(100);
  return shop.descriptors();
}
