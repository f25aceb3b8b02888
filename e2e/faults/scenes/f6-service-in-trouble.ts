import { setTimeout as pause } from 'node:timers/promises';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { GIVES_UP_AFTER_MS, Page, type PolledPayment, TRUTHS } from '../shop/polling-page.ts';
import { Scene } from '../shop/scene.ts';
import { Shopping } from '../shop/shopping.ts';
import { LyingRelay } from '../troubles/lying-relay.ts';
import { FULL, type Line, SHORT, TROUBLES } from '../troubles/service-troubles.ts';

/** More than the shop's connections to the service (50): while it hangs, some wait for one. */
const VERIFIES_PER_SECOND = { short: 60, full: 100 };

/** The short form runs beside other tests: it shows that each verify ends, not exactly when. */
const ENDS_WITHIN_MS = { short: GIVES_UP_AFTER_MS, full: 10_250 };
const DRAINED_WITHIN_MS = { short: 60_000, full: 30_000 };

const KNOWN_BEFORE_MS = 300;

/** A short line has too few requests to outweigh the retries that a shop has saved up. */
const CALLS_PER_REQUEST = { short: 1.3, full: 1.2 };
const POLLED_AGAIN_AT_ONCE = 32;

/**
 * F6: the service hangs, resets, drips, lies, is busy or broken, while customers poll a hundred
 * times a second.
 */
export const F6: Harness = {
  id: 'F6',
  what: 'service in trouble',
  databases: ['sqlite', 'postgres'],
  run: runF6,
  broken: [
    { name: 'waits-for-a-response', isLong: true },
    { name: 'believes-another-response' },
    { name: 'takes-no-response-for-failed' },
    { name: 'repeats-calls' },
  ],
};

export async function runF6(options: HarnessOptions): Promise<HarnessResult> {
  const findings = new Findings('F6', options);
  const lines = options.scale === 'short' ? SHORT : FULL;
  const lived = await Promise.all(lines.map((line) => liveThrough(line, options, findings)));

  const ends = lived.flatMap(({ endedAfterMs }) => endedAfterMs).sort((one, other) => one - other);
  findings.figures.verifies = ends.length;
  findings.figures['ended after p50 ms'] = Math.round(ends[ends.length >> 1]!);
  findings.limit('longest ms', Math.round(ends.at(-1)!), ENDS_WITHIN_MS[options.scale]);
  findings.limit('wrong results', sum(lived, 'wrongResults'), 0);
  findings.limit('stored wrongly', sum(lived, 'storedWrongly'), 0);
  findings.require('not known yet', sum(lived, 'notKnownYet'), 1);
  findings.limit('given up', sum(lived, 'givenUp'), 0);
  findings.limit('errors of the shop', sum(lived, 'shopErrors'), 0);
  findings.limit(
    'calls per request',
    Math.max(...lived.map(({ callsPerRequest }) => callsPerRequest)),
    CALLS_PER_REQUEST[options.scale],
  );
  findings.limit(
    'drained after ms',
    Math.max(...lived.map(({ drainedAfterMs }) => drainedAfterMs)),
    DRAINED_WITHIN_MS[options.scale],
  );
  return findings.result();
}

interface Lived {
  endedAfterMs: number[];
  wrongResults: number;
  storedWrongly: number;
  notKnownYet: number;
  shopErrors: number;
  givenUp: number;
  callsPerRequest: number;
  drainedAfterMs: number;
}

async function liveThrough(
  line: Line,
  options: HarnessOptions,
  findings: Findings,
): Promise<Lived> {
  const scene = await Scene.open(options);
  const relay = await LyingRelay.start(scene.sandbox.url, findings.random);
  const settings = await scene.settings({ serviceUrl: relay.url });
  const shopping = new Shopping(settings.port, findings.random);
  const page = new Page(settings.port);
  try {
    const shop = await scene.start(settings);
    const seconds = line.reduce((total, [, lasts]) => total + lasts, 0);
    const perSecond = VERIFIES_PER_SECOND[options.scale];
    const payments = await placePayments(shopping, seconds * perSecond);

    const beganAt = performance.now() + KNOWN_BEFORE_MS;
    await Promise.all([
      change(line, scene, relay),
      ...payments.map(async (payment, at) => {
        const plannedAt = beganAt + (at * 1000) / perSecond;
        await until(plannedAt - KNOWN_BEFORE_MS);
        await learn(scene, payment);
        await until(plannedAt);
        await page.poll(payment, plannedAt);
      }),
    ]);
    if (!shop.isRunning)
      throw new Error(`The shop ended by itself:\n${shop.lines.slice(-10).join('\n')}`);
    const { calls, requests } = relay;

    await change([['well', 0]], scene, relay);
    const drainedAfterMs = (await findStoredWrongly(scene, payments, ['paid', 'failed'])).length
      ? Number.POSITIVE_INFINITY // it stays wrong
      : await drain(page, payments, DRAINED_WITHIN_MS[options.scale]);
    return {
      ...page.figures,
      storedWrongly: (await findStoredWrongly(scene, payments)).length,
      callsPerRequest: Math.round((calls / requests) * 1000) / 1000,
      drainedAfterMs,
    };
  } finally {
    await Promise.all([shopping.close(), page.close()]);
    await scene.close();
    await relay.close();
  }
}

const STATES = { successful: 'paid', failed: 'failed', pending: 'awaiting-payment' } as const;

/** Returns the payments whose stored state is not the true one, of all or of those in these states. */
async function findStoredWrongly(
  scene: Scene,
  payments: readonly PolledPayment[],
  states?: readonly string[],
): Promise<PolledPayment[]> {
  const stored = await scene.database.rows<{ reference: string; state: string }>(
    'select reference, state from service_pay_payments',
  );
  const stateOf = new Map(stored.map(({ reference, state }) => [reference, state]));
  return payments.filter(({ order: { reference }, truth }) => {
    const state = stateOf.get(reference);
    return state !== STATES[truth] && (!states || (state && states.includes(state)));
  });
}

async function placePayments(shopping: Shopping, count: number): Promise<PolledPayment[]> {
  const payments: PolledPayment[] = [];
  let begun = 0;
  const placeNext = async () => {
    while (begun < count) {
      const truth = TRUTHS[begun++ % TRUTHS.length]!;
      payments.push({ order: await shopping.order(), truth, status: undefined });
    }
  };
  await Promise.all(Array.from({ length: 32 }, placeNext));
  return payments;
}

async function learn(scene: Scene, { order: { reference }, truth }: PolledPayment): Promise<void> {
  if (truth !== 'pending')
    await insist(() =>
      scene.sandbox.control.putCollection({ reference, amount: '92.50', status: truth }),
    );
}

/**
 * A busy machine may close a connection just as it is used again: if the second call is rejected,
 * the first one worked.
 */
async function insist(call: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return void (await call());
    } catch (error) {
      const isRejected = (error as Error).name === 'ControlError';
      if (isRejected && tries > 1) return;
      if (isRejected || tries === 5) throw error;
    }
  }
}

function until(time: number): Promise<void> {
  return pause(Math.max(1, time - performance.now()));
}

async function change(line: Line, scene: Scene, relay: LyingRelay): Promise<void> {
  for (const [trouble, lasts] of line) {
    relay.isLying = trouble === 'lies';
    await insist(() => scene.sandbox.control.setFaults(TROUBLES[trouble]));
    await pause(lasts * 1000);
  }
}

/**
 * Polls until each page has the true status, and returns the milliseconds that took. A page that
 * gave up or got a wrong status has none.
 */
async function drain(
  page: Page,
  payments: readonly PolledPayment[],
  withinMs: number,
): Promise<number> {
  if (page.figures.givenUp || page.figures.wrongResults) return Number.POSITIVE_INFINITY;
  const began = performance.now();
  for (;;) {
    const waiting = payments.filter(({ truth, status }) => status !== truth);
    const passedMs = performance.now() - began;
    if (!waiting.length || passedMs > withinMs) return Math.round(passedMs);
    const pollNext = async () => {
      while (waiting.length && performance.now() - began < withinMs)
        await page.poll(waiting.pop()!);
    };
    await Promise.all(Array.from({ length: POLLED_AGAIN_AT_ONCE }, pollNext));
    await pause(500);
  }
}

function sum(
  lived: readonly Lived[],
  name: 'wrongResults' | 'storedWrongly' | 'notKnownYet' | 'shopErrors' | 'givenUp',
): number {
  return lived.reduce((total, one) => total + one[name], 0);
}
