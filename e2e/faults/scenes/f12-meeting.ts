import { setTimeout as pause } from 'node:timers/promises';
import type { FailpointName } from '@service-pay/server/testing';
import type { PlacedOrder } from '../../lab/placed-order.ts';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { countLosses, type Traffic, untilSettled } from '../shop/losses.ts';
import { Scene } from '../shop/scene.ts';
import { makeDelivery, pay, Shopping } from '../shop/shopping.ts';

/**
 * A page whose first call is lost retries after 3 s. On a slow machine the response takes longer
 * still.
 */
const SCALES = {
  short: { orders: 40, kills: 4, rightWithinMs: 20_000 },
  full: { orders: 5_000, kills: 100, rightWithinMs: 5_000 },
};
const FAILPOINTS: readonly FailpointName[] = [
  'after-verify',
  'before-commit',
  'after-commit',
  'before-acknowledge',
];

/**
 * The clock of each process is this far ahead of the previous one's, so that checks of earlier
 * orders are due.
 */
const LATER_MS = 6_000;

const SETTLES_WITHIN_MS = 30_000;

export const F12: Harness = {
  id: 'F12',
  what: 'killed where page, webhook and reconciler coincide',
  databases: ['sqlite', 'postgres'],
  run: runF12,
  broken: [{ name: 'acknowledges-first' }, { name: 'reads-first', isLong: true }],
};

export async function runF12(options: HarnessOptions): Promise<HarnessResult> {
  const { orders, kills, rightWithinMs } = SCALES[options.scale];
  const findings = new Findings('F12', options);
  const { random } = findings;
  const failpoints = Array.from({ length: kills / FAILPOINTS.length }, () =>
    random.shuffle(FAILPOINTS),
  ).flat();
  const scene = await Scene.open(options);
  const settings = await scene.settings();
  const shopping = new Shopping(settings.port, random);
  const traffic = { paid: [] as string[][], deliveries: [] as Traffic['deliveries'][number][] };
  const shownAfterMs: number[] = [];
  const pages: Promise<void>[] = [];
  let deaths = 0;
  let aheadMs = 0;
  const nextLife = (failpoint?: { name: FailpointName; visit: number }) => {
    aheadMs += LATER_MS;
    return scene.begin({
      ...settings,
      aheadMs,
      ...(failpoint && { failpoint }),
    });
  };
  try {
    const perLife = orders / kills;
    const first = nextLife();
    let batch = await order(perLife);
    await first.kill();
    for (let killed = 0; killed < kills; killed++) {
      const payments = batch;
      traffic.paid.push(...payments.map(({ reference }) => [reference]));
      const shop = nextLife({
        name: failpoints[killed]!,
        visit: 1 + random.below(Math.ceil(perLife / 3)),
      });
      await Promise.all(payments.map(({ reference }) => pay(scene.sandbox, reference)));
      const deliveries = payments.map(({ reference }) => makeDelivery(reference));
      traffic.deliveries.push(...deliveries);
      pages.push(
        shopping
          .deliver(deliveries, { atOnce: perLife })
          .then((rejections) => void findings.failures.push(...rejections)),
        ...payments.map((payment) =>
          shopping.verify(payment).then(
            () => {},
            () => {},
          ),
        ),
      );
      const ending = await Promise.race([shop.ended, allAcknowledged(deliveries)]);
      if (ending) deaths++;
      await shop.kill();

      const again = nextLife();
      if (!(await again.responds()))
        throw new Error(`The shop ended before it responded:\n${again.lines.join('\n')}`);
      await shopping.untilAlive();
      const aliveAt = performance.now();
      const shown = payments.map(async (payment) => {
        const isShown = await shopping
          .untilShown(payment, 'successful', AbortSignal.timeout(2 * rightWithinMs))
          .then(
            () => true,
            () => false,
          );
        shownAfterMs.push(isShown ? performance.now() - aliveAt : Number.POSITIVE_INFINITY);
      });
      if (killed < kills - 1) batch = await order(perLife);
      await Promise.all(shown);
      if (killed < kills - 1) await again.kill();
    }
    await Promise.all(pages);
    findings.figures.kills = kills;
    findings.figures['of them at failpoints'] = deaths;
    findings.figures['settled after ms'] = await untilSettled(scene, traffic, SETTLES_WITHIN_MS);
    await countLosses(scene, findings, traffic);
    findings.limit(
      'page right after ms, longest',
      Math.round(Math.max(...shownAfterMs)),
      rightWithinMs,
    );
    return findings.result();
  } finally {
    await shopping.close();
    await scene.close();
  }

  function order(count: number): Promise<PlacedOrder[]> {
    return Promise.all(Array.from({ length: count }, () => shopping.order()));
  }
}

async function allAcknowledged(deliveries: Traffic['deliveries']): Promise<undefined> {
  while (deliveries.some(({ isAcknowledged }) => !isAcknowledged)) await pause(5);
}
