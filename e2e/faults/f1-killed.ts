import { setTimeout as pause } from 'node:timers/promises';

import { Findings, type Harness, type HarnessOptions, type HarnessResult } from './harness.ts';
import { countLosses, type PaidOrder, untilSettled } from './losses.ts';
import type { Random } from './random.ts';
import { Scene } from './scene.ts';
import { type Delivery, makeDelivery, pay, Shopping } from './shopping.ts';

const SCALES = {
  short: { orders: 200, webhooks: 400, kills: 8 },
  full: { orders: 25_000, webhooks: 50_000, kills: 200 },
};
const DOUBLED = 0.3;
const PAID_TWICE = 0.1;
const LIVES_MS = [60, 300] as const;
const SETTLES_WITHIN_MS = 120_000;

/** F1: the shop is killed again and again under a storm of doubled and shuffled webhooks. */
export const F1: Harness = {
  id: 'F1',
  what: 'killed under webhooks',
  databases: ['sqlite'],
  run: runF1,
  broken: [
    {
      name: 'acknowledges before it commits',
      patches: [
        { file: 'webhook-route.ts', find: "    res.json(envelope({}, 'stored'));\n", replace: '' },
        {
          file: 'webhook-route.ts',
          find: '    await store.storeDelivery(',
          replace: "    res.json(envelope({}, 'stored'));\n    await store.storeDelivery(",
        },
      ],
    },
  ],
};

export async function runF1(options: HarnessOptions): Promise<HarnessResult> {
  const { orders, webhooks, kills } = SCALES[options.scale];
  const findings = new Findings('F1', options);
  const scene = await Scene.open(options);
  const settings = await scene.settings();
  const shopping = new Shopping(settings.port, findings.random);
  try {
    let shop = await scene.start(settings);
    const { paid, deliveries } = await goShopping(shopping, findings.random, orders, webhooks);

    const isPaid = new Map<string, Promise<void>>();
    const payOnce = ({ reference }: Delivery) => {
      if (!isPaid.has(reference)) isPaid.set(reference, pay(scene.sandbox, reference));
      return isPaid.get(reference)!;
    };
    const backAfterMs: number[] = [];
    const portions: Promise<string[]>[] = [];
    const perLife = Math.ceil(deliveries.length / (kills + 1));
    const deliverNext = () => {
      const from = portions.length * perLife;
      portions.push(shopping.deliver(deliveries.slice(from, from + perLife), { before: payOnce }));
    };
    for (let killed = 0; killed < kills; killed++) {
      deliverNext();
      await pause(findings.random.between(...LIVES_MS));
      await shop.kill();
      const diedAt = performance.now();
      shop = scene.begin(settings);
      await shopping.untilAlive();
      backAfterMs.push(performance.now() - diedAt);
    }
    deliverNext();
    findings.failures.push(...new Set((await Promise.all(portions)).flat()));
    findings.figures['settled after ms'] = await untilSettled(scene, paid, SETTLES_WITHIN_MS);
    await countLosses(scene, findings, paid, deliveries);
    backAfterMs.sort((one, other) => one - other);
    findings.figures.kills = kills;
    findings.figures['back p50 ms'] = Math.round(backAfterMs[Math.floor(kills / 2)]!);
    findings.figures['back longest ms'] = Math.round(backAfterMs.at(-1)!);
    return findings.result();
  } finally {
    await shopping.close();
    await scene.close();
  }
}

/** Orders, some of them paid twice, and their webhooks: each at least once, a share doubled in the same bytes, the rest again in others, shuffled. */
async function goShopping(
  shopping: Shopping,
  random: Random,
  orders: number,
  webhooks: number,
): Promise<{ paid: PaidOrder[]; deliveries: Delivery[] }> {
  const paid: PaidOrder[] = [];
  let begun = 0;
  const orderNext = async () => {
    while (begun < orders) {
      const number = begun++;
      const placed = await shopping.order();
      const again = number < orders * PAID_TWICE ? [(await shopping.retry(placed)).reference] : [];
      paid.push([placed.reference, ...again]);
    }
  };
  await Promise.all(Array.from({ length: 32 }, orderNext));

  const first = paid.map((references) => references.map((reference) => makeDelivery(reference)));
  const singles = random.shuffle(first.flat());
  const doubled = singles.slice(0, webhooks * DOUBLED).map((delivery) => ({ ...delivery }));
  const others = singles
    .slice(0, Math.max(0, webhooks - singles.length - doubled.length))
    .map(({ reference }) => makeDelivery(reference, 'collection.settled'));
  // The two payments of an order that is paid twice are told of at once.
  const groups = [...first, ...doubled.map((delivery) => [delivery]), ...others.map((delivery) => [delivery])];
  return { paid, deliveries: random.shuffle(groups).flat() };
}
