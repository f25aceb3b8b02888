import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../lab/percentile.ts';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import type { Random } from '../random.ts';
import { countLosses, type PaidOrder, type Traffic, untilSettled } from '../shop/losses.ts';
import { Scene } from '../shop/scene.ts';
import { type Delivery, makeDelivery, pay, Shopping } from '../shop/shopping.ts';

const SCALES = {
  short: { orders: 240, webhooks: 480, kills: 6, settlesWithinMs: 60_000, looksEveryMs: 50 },
  full: {
    orders: 25_000,
    webhooks: 50_000,
    kills: 200,
    settlesWithinMs: 15 * 60_000,
    looksEveryMs: 5_000,
  },
};
const DOUBLED = 0.3;
const PAID_TWICE = 0.1;
const LIVES_MS = [60, 300] as const;
const SOON_MS = 100;
const BACK_LONGEST_MS = 2_000;

export const F1: Harness = {
  id: 'F1',
  what: 'killed under webhooks',
  databases: ['sqlite', 'postgres'],
  run: runF1,
  broken: [{ name: 'acknowledges-first' }, { name: 'reads-first' }, { name: 'marks-first' }],
};

export async function runF1(options: HarnessOptions): Promise<HarnessResult> {
  const { orders, webhooks, kills, settlesWithinMs, looksEveryMs } = SCALES[options.scale];
  const findings = new Findings('F1', options);
  const scene = await Scene.open(options);
  const settings = await scene.settings();
  const shopping = new Shopping(settings.port, findings.random);
  try {
    let shop = await scene.start(settings);
    const traffic = await goShopping(scene, shopping, findings.random, { orders, webhooks });

    const isPaid = new Map<string, Promise<void>>();
    const payOnce = ({ reference }: Delivery) => {
      if (!isPaid.has(reference)) isPaid.set(reference, pay(scene.sandbox, reference));
      return isPaid.get(reference)!;
    };
    const backAfterMs: number[] = [];
    const portions: Promise<string[]>[] = [];
    const perLife = Math.ceil(traffic.deliveries.length / (kills + 1));
    const deliverNext = () => {
      const from = portions.length * perLife;
      portions.push(
        shopping.deliver(traffic.deliveries.slice(from, from + perLife), { before: payOnce }),
      );
    };
    for (let killed = 0; killed < kills; killed++) {
      deliverNext();
      await pause(findings.random.between(...LIVES_MS));
      await shopping.untilAcknowledged(SOON_MS); // the moment at which the most is promised
      await shop.kill();
      const diedAt = performance.now();
      shop = await scene.start(settings);
      await shopping.untilAlive();
      backAfterMs.push(performance.now() - diedAt);
    }
    deliverNext();
    findings.failures.push(...new Set((await Promise.all(portions)).flat()));
    findings.figures['settled after ms'] = await untilSettled(scene, traffic, settlesWithinMs, () =>
      pause(looksEveryMs),
    );
    await countLosses(scene, findings, traffic);
    findings.figures.kills = kills;
    findings.figures['back p50 ms'] = Math.round(percentile(backAfterMs, 0.5));
    findings.limitInFull(
      'back longest ms',
      Math.round(percentile(backAfterMs, 1)),
      BACK_LONGEST_MS,
    );
    return findings.result();
  } finally {
    await shopping.close();
    await scene.close();
  }
}

async function goShopping(
  scene: Scene,
  shopping: Shopping,
  random: Random,
  { orders, webhooks }: { orders: number; webhooks: number },
): Promise<Traffic> {
  const paid: PaidOrder[] = [];
  let begun = 0;
  const orderNext = async () => {
    while (begun < orders) {
      const number = begun++;
      const placed = await shopping.order();
      const again =
        number < orders * PAID_TWICE
          ? [(await shopping.retry(scene.database, placed)).reference]
          : [];
      paid.push([placed.reference, ...again]);
    }
  };
  await Promise.all(Array.from({ length: 32 }, orderNext));

  const first = paid.map((references) => references.map((reference) => makeDelivery(reference)));
  const singles = random.shuffle(first.flat());
  const duplicates = singles.slice(0, webhooks * DOUBLED).map((delivery) => ({ ...delivery }));
  const others = singles
    .slice(0, Math.max(0, webhooks - singles.length - duplicates.length))
    .map(({ reference }) => makeDelivery(reference, 'collection.settled'));
  // The webhooks of an order that was paid twice arrive at the same time.
  const groups = [
    ...first,
    ...duplicates.map((delivery) => [delivery]),
    ...others.map((delivery) => [delivery]),
  ];
  return { paid, deliveries: random.shuffle(groups).flat() };
}
