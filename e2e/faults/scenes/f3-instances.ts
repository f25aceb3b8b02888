import { setTimeout as pause } from 'node:timers/promises';

import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { Customers } from '../shop/customers.ts';
import { countLosses, untilSettled } from '../shop/losses.ts';
import { Scene } from '../shop/scene.ts';
import type { ShopProcess } from '../shop/shop-process.ts';
import { Shopping } from '../shop/shopping.ts';

const SCALES = {
  short: { kills: 4, killEveryMs: 1_200, frozenMs: 5_000, streamRightWithinMs: 20_000 },
  full: { kills: 100, killEveryMs: 2_000, frozenMs: 30_000, streamRightWithinMs: 5_000 },
};
const SOON_MS = 500;
const CUSTOMERS = 4;
const FULFIL_MS = 50;

/**
 * The time in which another instance takes over a dead or frozen one's row, without the merchant's
 * function.
 */
const TAKEN_OVER_WITHIN_MS = 5_000;

const SETTLES_WITHIN_MS = 15_000;
const LEASE_LOST = 'after the lease was lost';

/**
 * F3: of two instances on one PostgreSQL, one after the other dies, one freezes in the middle of
 * its work, and a page at one waits for an event that the other received.
 */
export const F3: Harness = {
  id: 'F3',
  what: 'instances killed, frozen',
  databases: ['postgres'],
  run: runF3,
  broken: [
    { name: 'takes-late-writes' },
    { name: 'holds-for-an-hour' },
    { name: 'marks-first', isLong: true },
    { name: 'acknowledges-first', isLong: true },
    { name: 'reads-first', isLong: true },
  ],
};

export async function runF3(options: HarnessOptions): Promise<HarnessResult> {
  const { kills, killEveryMs, frozenMs, streamRightWithinMs } = SCALES[options.scale];
  const findings = new Findings('F3', options);
  const { random } = findings;
  const scene = await Scene.open(options);
  const settings = [
    await scene.settings({ fulfilMs: FULFIL_MS }),
    await scene.settings({ fulfilMs: FULFIL_MS }),
  ] as const;
  const shopping = new Shopping(
    settings.map(({ port }) => port),
    random,
  );
  const customers = new Customers(scene, random);
  const goneAt = new Map<number, number>();
  try {
    const shops: [ShopProcess, ShopProcess] = [
      await scene.start(settings[0]),
      await scene.start(settings[1]),
    ];
    const allShopped = customers.shop(CUSTOMERS, [shopping]);

    for (let killed = 0; killed < kills; killed++) {
      // out of step with the leases, which last 4 s: otherwise one order's holders die again and again
      const nextAt = performance.now() + killEveryMs / 2 + random.below(killEveryMs);
      const which = random.below(2) as 0 | 1;
      await shopping.untilAcknowledged(SOON_MS); // the moment at which the most is promised
      await dies(shops[which]);
      shops[which] = await scene.start(settings[which]);
      await pause(Math.max(0, nextAt - performance.now()));
    }

    // One freezes after it has fulfilled an order and before it has recorded that.
    await dies(shops[1]);
    const frozen = scene.begin({
      ...settings[1],
      failpoint: { name: 'after-fulfil', visit: 3, waits: true },
    });
    const rejected: string[] = [];
    frozen.onLine = (line) => void (line.includes(LEASE_LOST) && rejected.push(line));
    if (!(await frozen.waits()))
      throw new Error(`The instance to freeze ended: ${frozen.lines.at(-1)}`);
    frozen.signal('SIGSTOP');
    goneAt.set(frozen.pid, Date.now());
    await pause(frozenMs);
    frozen.signal('SIGCONT');
    frozen.goOn();

    const streamRightMs = await watchOther(
      customers,
      settings.map(({ port }) => new Shopping(port, random)),
      2 * streamRightWithinMs,
    );
    customers.stop();
    await allShopped;
    await pause(100);
    findings.failures.push(...new Set(customers.rejections));
    findings.figures.kills = kills;
    findings.figures['settled after ms'] = await untilSettled(scene, customers, SETTLES_WITHIN_MS);
    await countLosses(scene, findings, customers);
    findings.require('late writes rejected', rejected.length, 1);
    const takenOver = await findTakeovers(scene, goneAt);
    findings.require('calls taken over', takenOver.length, 1);
    findings.limitInFull(
      'taken over after ms, longest',
      Math.max(...takenOver),
      TAKEN_OVER_WITHIN_MS,
    );
    findings.limit('stream at another right after ms', streamRightMs, streamRightWithinMs);
    return findings.result();
  } finally {
    customers.stop();
    await shopping.close();
    await scene.close();
  }

  async function dies(shop: ShopProcess): Promise<void> {
    await shop.kill();
    goneAt.set(shop.pid, Date.now());
  }
}

/** Returns how long a page at one instance took to show what the other had received. */
async function watchOther(
  customers: Customers,
  [one, other]: Shopping[],
  withinMs: number,
): Promise<number> {
  try {
    const placed = await one!.order();
    const shown = one!.untilShown(placed, 'successful', AbortSignal.timeout(withinMs)).then(
      () => performance.now(),
      () => Number.POSITIVE_INFINITY,
    );
    await pause(500); // the page is connected, and its own request complete
    const paidAt = performance.now();
    await customers.pay(placed, other!);
    return Math.round((await shown) - paidAt);
  } finally {
    await Promise.all([one!.close(), other!.close()]);
  }
}

/**
 * Returns how long it took after a process died until another one repeated each unfinished call,
 * without the time of the call itself.
 */
async function findTakeovers(scene: Scene, goneAt: ReadonlyMap<number, number>): Promise<number[]> {
  const calls = Map.groupBy(await scene.fulfilCalls(), ({ key }) => key);
  return [...calls.values()].flatMap(([first, second]) => {
    const gone = first && goneAt.get(first.pid);
    return second && gone !== undefined && second.at > gone ? [second.at - gone - FULFIL_MS] : [];
  });
}
