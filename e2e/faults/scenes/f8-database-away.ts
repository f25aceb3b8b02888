import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { percentile } from '../../lab/percentile.ts';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { countLosses, untilSettled } from '../shop/losses.ts';
import { Scene } from '../shop/scene.ts';
import { type Delivery, makeDelivery, pay, Shopping } from '../shop/shopping.ts';
import { type Harm, planHarms } from '../troubles/database-harms.ts';

const SCALES = {
  short: { orders: 20, perSecond: 100, hungMs: [3_000], awayMs: 800 },
  full: { orders: 400, perSecond: 200, hungMs: [3_000, 30_000], awayMs: 5_000 },
};

/**
 * The limit of the full form. The short one runs beside other tests and only reports the figure.
 */
const RESPONSE_P99_MS = 2_000;
const REJECTED_WITHIN_MS = 2_000;
const HEALTH_P99_MS = 200;
const WELL_AGAIN_MS = 2_000;

const PATIENCE_MS = 20_000;

const ON_ITS_WAY_MS = 300;
const CALM_MS = 500;
const HEALTH_EVERY_MS = 25;
const SETTLES_WITHIN_MS = 60_000;

/**
 * F8: the database is held, full, read-only, gone, restarted or frozen while webhooks come in
 * (T92).
 */
export const F8: Harness = {
  id: 'F8',
  what: 'database away',
  databases: ['sqlite', 'postgres'],
  run: runF8,
  broken: [
    { name: 'waits-for-its-database' },
    { name: 'acknowledges-first', isLong: true },
    { name: 'waits-in-sqlite', databases: ['sqlite'], isLong: true },
  ],
};

interface Sent {
  sentAt: number;
  tookMs: number;
  status: number | undefined;
}

export async function runF8(options: HarnessOptions): Promise<HarnessResult> {
  const { orders, perSecond, ...times } = SCALES[options.scale];
  const isFull = options.scale === 'full';
  const findings = new Findings('F8', options);
  const scene = await Scene.open(options, { ownServer: true });
  const settings = await scene.settings();
  const shopping = new Shopping(settings.port, findings.random);
  const stops: (() => Promise<unknown>)[] = [];
  let end = noHarm;
  const health = new Pool(`http://localhost:${settings.port}`, { connections: 8 });
  try {
    const shop = await scene.start(settings);
    const placed = await Promise.all(Array.from({ length: orders }, () => shopping.order()));
    const references = placed.map(({ reference }) => reference);
    for (const reference of references) await pay(scene.sandbox, reference);

    const sending = startSending(shopping, references, perSecond);
    const watching = startWatching(health);
    stops.push(sending.stop, watching.stop);
    const badEnds: string[] = [];
    let longestUnwellMs = 0;
    const harms = await harmsPlayedHere(planHarms(scene.database, shop, times), findings);
    await pause(CALM_MS);
    for (const { name, forMs, meanwhile, begin } of harms) {
      end = await begin();
      const from = performance.now();
      await pause(forMs);
      if (!isFull && meanwhile !== 'unknown') await untilRejected(sending.sent, from, PATIENCE_MS);
      const until = performance.now();
      await end();
      end = noHarm;
      const endedAt = performance.now();
      const unwellMs = await untilWell(
        sending.sent,
        endedAt,
        isFull ? 2 * WELL_AGAIN_MS : PATIENCE_MS,
      );
      if (!shop.isRunning)
        throw new Error(`${name}: the shop ended by itself:\n${shop.lines.slice(-10).join('\n')}`);
      longestUnwellMs = Math.max(longestUnwellMs, unwellMs);
      const during = sending.sent.filter(
        ({ sentAt }) => sentAt > from + ON_ITS_WAY_MS && sentAt < until - ON_ITS_WAY_MS,
      );
      const inTime = during.filter(({ sentAt, tookMs }) => sentAt + tookMs < until);
      const stored = inTime.filter(({ status }) => status === 200).length;
      if (meanwhile === 'none stored' && stored)
        badEnds.push(`${name}: ${stored} webhooks were acknowledged that could not be stored`);
      const rejected = sending.sent.filter(
        ({ sentAt, status }) => sentAt > from && sentAt < until && status === 503,
      );
      if (
        meanwhile !== 'unknown' &&
        !rejected.some(({ sentAt, tookMs }) => sentAt + tookMs < until)
      )
        badEnds.push(`${name}: no webhook was rejected with 503 meanwhile`);
      const odd = during.find(({ status }) => status !== 200 && status !== 503);
      if (odd) badEnds.push(`${name}: a webhook got ${odd.status ?? 'nothing'}`);
      if (!isFull && badEnds.length) break; // the others would only be waited for
    }
    const deliveries = await sending.stop();
    const healthMs = await watching.stop();
    findings.failures.push(
      ...badEnds,
      ...(await shopping.deliver(deliveries.filter(({ isAcknowledged }) => !isAcknowledged))),
    );

    const took = sending.sent.map(({ tookMs }) => tookMs);
    const rejectedAfter = sending.sent
      .filter(({ status }) => status === 503)
      .map(({ tookMs }) => tookMs);
    findings.figures.webhooks = deliveries.length;
    findings.require('rejected with 503', rejectedAfter.length, 1);
    findings.limitInFull(
      'rejected with 503 after ms, longest',
      Math.round(percentile(rejectedAfter, 1)),
      REJECTED_WITHIN_MS,
    );
    findings.limitInFull('response p99 ms', Math.round(percentile(took, 0.99)), RESPONSE_P99_MS);
    findings.figures['response longest ms'] = Math.round(percentile(took, 1));
    findings.limitInFull('health p99 ms', Math.round(percentile(healthMs, 0.99)), HEALTH_P99_MS);
    findings.limit(
      'well again after ms',
      Math.round(longestUnwellMs),
      isFull ? WELL_AGAIN_MS : PATIENCE_MS,
    );
    const traffic = { paid: references.map((reference) => [reference]), deliveries };
    await untilSettled(scene, traffic, SETTLES_WITHIN_MS);
    await countLosses(scene, findings, traffic);
    return findings.result();
  } finally {
    await end();
    await Promise.all(stops.map((stop) => stop()));
    await Promise.all([shopping.close(), health.destroy()]);
    await scene.close();
  }
}

const noHarm = async () => {};

async function harmsPlayedHere(harms: readonly Harm[], findings: Findings): Promise<Harm[]> {
  const played: Harm[] = [];
  const leftOut: string[] = [];
  for (const harm of harms) {
    const whyNot = await harm.findWhyNot?.();
    if (whyNot === undefined) played.push(harm);
    else leftOut.push(`${harm.name} (${whyNot})`);
  }
  findings.figures.harms = played.length;
  findings.figures['harms left out'] = leftOut.length
    ? `${leftOut.length}: ${leftOut.join(', ')}`
    : 0;
  return played;
}

async function untilRejected(sent: readonly Sent[], from: number, withinMs: number): Promise<void> {
  const isRejected = () => sent.some(({ sentAt, status }) => sentAt > from && status === 503);
  while (!isRejected() && performance.now() - from < withinMs) await pause(50);
}

/**
 * Resolves once every webhook has been stored for a while, with the time from `endedAt` to the last
 * one that was not.
 */
async function untilWell(
  sent: readonly Sent[],
  endedAt: number,
  withinMs: number,
): Promise<number> {
  for (;;) {
    await pause(50);
    const since = sent.filter(({ sentAt }) => sentAt > endedAt);
    const lastBad = since.findLast(({ status }) => status !== 200);
    const unwellMs = lastBad ? lastBad.sentAt - endedAt : 0;
    if (
      since.some(({ sentAt }) => sentAt > endedAt + unwellMs + CALM_MS) ||
      performance.now() - endedAt > withinMs
    )
      return unwellMs;
  }
}

function startSending(shopping: Shopping, references: readonly string[], perSecond: number) {
  const sent: Sent[] = [];
  const deliveries: Delivery[] = [];
  const running = new Set<Promise<void>>();
  let isStopped = false;
  const done = (async () => {
    const startedAt = performance.now();
    while (!isStopped) {
      while (deliveries.length < ((performance.now() - startedAt) / 1_000) * perSecond) {
        const run = send(deliveries.length).finally(() => running.delete(run));
        running.add(run);
      }
      await pause(2);
    }
    await Promise.all(running);
  })();
  return {
    sent,
    async stop() {
      isStopped = true;
      await done;
      return deliveries;
    },
  };

  async function send(number: number): Promise<void> {
    const round = Math.floor(number / references.length);
    const delivery = makeDelivery(
      references[number % references.length]!,
      round ? `collection.seen-${round}` : undefined,
    );
    deliveries.push(delivery);
    const sentAt = performance.now();
    const status = await shopping.postWebhook(delivery.body).catch(() => undefined);
    delivery.isAcknowledged = status === 200;
    sent.push({ sentAt, tookMs: performance.now() - sentAt, status });
  }
}

function startWatching(health: Pool) {
  const took: number[] = [];
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      const requestedAt = performance.now();
      // A connection that was closed between two requests says nothing of the shop: the next one
      // is.
      const response = await health
        .request({ path: '/healthz', method: 'GET' })
        .catch(() => undefined);
      await response?.body.dump();
      if (response) took.push(performance.now() - requestedAt);
      await pause(HEALTH_EVERY_MS);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await done;
      return took;
    },
  };
}
