import { isDeepStrictEqual } from 'node:util';

import type { Figure } from './figures.ts';
import { advance, card, pay } from './sandbox-payments.ts';
import { type SandboxProgram, startSandboxProgram } from './sandbox-program.ts';
import { receiveWebhooks } from './webhook-receiver.ts';

const PAYMENTS = 10_000;
const TWO_DAYS_S = 2 * 24 * 60 * 60;
const FAULTS = {
  drop: 0.1,
  duplicate: 0.2,
  shuffle: 0.2,
  tamper: 0.2,
  delaySeconds: { min: 0, max: 600 },
};
const ENDS = new Set(['acknowledged', 'given-up', 'dropped']);

/** A delivery without what is made up anew each time. */
interface Delivery {
  readonly event: string;
  readonly reference: string;
  readonly status: string;
  readonly createdAt: string;
  readonly faults: readonly string[];
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly faults: readonly string[];
  }[];
}

/**
 * F16: two days over the deliveries of 10 000 payments, with faults on, are the same when they are
 * played again with the same seed.
 */
export async function measureDays(main: string): Promise<Figure[]> {
  // Of one order in ten nothing is ever acknowledged: a day of attempts ends without.
  const receiver = await receiveWebhooks((body) =>
    /"reference":"order-\d*7"/.test(body) ? 500 : 200,
  );
  const program = await startSandboxProgram(main, ['--webhook-url', receiver.url]);
  try {
    const [once, again] = [await playDays(program), await playDays(program)];
    const different = once.list.filter(
      (delivery, at) => !isDeepStrictEqual(delivery, again.list[at]),
    ).length;
    const unended = [...once.list, ...again.list].filter(({ status }) => !ENDS.has(status)).length;
    const attempts = once.list.reduce((sum, delivery) => sum + delivery.attempts.length, 0);
    const none = { budget: 0, direction: 'at most' } as const;
    return [
      {
        ...{
          id: 'F16',
          name: 'sandbox, two days played twice with one seed: deliveries that differ',
          unit: '',
          ...none,
        },
        runs: [different + Math.abs(once.list.length - again.list.length)],
        floor: `${once.list.length} deliveries, ${attempts} attempts`,
      },
      {
        id: 'F16',
        name: 'sandbox, of these neither acknowledged, lost nor given up',
        unit: '',
        ...none,
        runs: [unended],
      },
      {
        id: '',
        name: 'sandbox, an advance over these two days',
        unit: 's',
        runs: [once.took, again.took],
      },
    ];
  } finally {
    await program.stop();
    receiver.close();
  }
}

async function playDays(program: SandboxProgram): Promise<{ list: Delivery[]; took: number }> {
  await program.call('POST', '/_sandbox/reset');
  await program.call('PUT', '/_sandbox/clock', {
    mode: 'virtual',
    now: '2031-03-01T00:00:00.000Z',
  });
  await program.call('PUT', '/_sandbox/faults', { webhooks: FAULTS, seed: 7 });
  // One after another: the order of payments is what the faults of a seed are dealt in.
  for (let at = 0; at < PAYMENTS; at++) await pay(program, `order-${at}`, card());
  const { took } = await advance(program, TWO_DAYS_S);
  const deliveries = (await program.call('GET', '/_sandbox/webhooks')) as Delivery[];
  const list = deliveries.map(({ event, reference, status, createdAt, faults, attempts }) => ({
    ...{ event, reference, status, createdAt, faults },
    attempts: attempts.map(({ at, status, faults }) => ({ at, status, faults })),
  }));
  return { list, took };
}
