import { join } from 'node:path';
import { request } from 'undici';

import { buildPackedShop } from '../scripts/packed-shop.ts';
import type { Figure } from './figures.ts';
import { closedLoop } from './load.ts';
import { measureDays } from './sandbox-days.ts';
import { advance, card, inParallel, pay, phone } from './sandbox-payments.ts';
import { CONNECTIONS, type SandboxProgram, startSandboxProgram } from './sandbox-program.ts';
import { receiveWebhooks, type WebhookReceiver } from './webhook-receiver.ts';

const STARTS = 10;
const RUNS = 9;
const VERIFIES_PER_RUN = 6_000;
const VERIFIES = { before: 20_000, after: 120_000 };
const VERIFIES_LONG = { before: 200_000, after: 1_000_000 };
const DUE = 10_000;
const COLLECTIONS = 100_000;
const PROMPTS = 500;
const TOKEN = { authorization: 'Bearer sec_sandbox_demo' };
const LISTS = [
  '/_sandbox/collections',
  '/_sandbox/collections?search=order-9999',
  '/access/v2/collections?status=successful',
];

/** B30 to B33: the sandbox as those who install it run it, called over HTTP. */
export function measureSandbox(): Promise<Figure[]> {
  return withPackedProgram(async (main) => [
    ...(await measureStart(main)),
    ...(await measureVerify(main)),
    ...(await measureGrowth(main, VERIFIES)),
    ...(await withReceiver((receiver) => measureWebhooks(main, receiver))),
    ...(await measurePlaced(main)),
    ...(await withReceiver((receiver) => measurePaid(main, receiver))),
  ]);
}

/** What takes longer: a million verifies, and two days with faults. */
export function measureSandboxForLong(): Promise<Figure[]> {
  return withPackedProgram(async (main) => [
    ...(await measureGrowth(main, VERIFIES_LONG)),
    ...(await measureDays(main)),
  ]);
}

/**
 * Of JavaScript, as packages carry it: Node strips no types for it, which takes 20 MB and a quarter
 * of a second.
 */
async function withPackedProgram(measure: (main: string) => Promise<Figure[]>): Promise<Figure[]> {
  const shop = await buildPackedShop();
  try {
    return await measure(join(shop.folder, 'node_modules/@service-pay/sandbox/dist/main.js'));
  } finally {
    await shop.remove();
  }
}

async function withReceiver(
  measure: (receiver: WebhookReceiver) => Promise<Figure[]>,
): Promise<Figure[]> {
  const receiver = await receiveWebhooks();
  try {
    return await measure(receiver);
  } finally {
    receiver.close();
  }
}

async function measureStart(main: string): Promise<Figure[]> {
  const runs: number[] = [];
  for (let run = 0; run < STARTS; run++) {
    const startedAt = performance.now();
    const program = await startSandboxProgram(main);
    await request(`${program.url}/access/v2/collections`, { headers: TOKEN }).then(({ body }) =>
      body.dump(),
    );
    runs.push((performance.now() - startedAt) / 1000);
    await program.stop();
  }
  return [
    {
      id: 'B30',
      name: 'sandbox, start to first answer',
      unit: 's',
      budget: 1,
      direction: 'at most',
      runs,
    },
  ];
}

async function measureVerify(main: string): Promise<Figure[]> {
  const program = await startSandboxProgram(main);
  await place(program, 1_000);
  const runs: number[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const perSecond = await closedLoop(program.url, VERIFIES_PER_RUN, CONNECTIONS, verify);
    if (run > 0) runs.push(perSecond);
  }
  await program.stop();
  return [
    {
      id: 'B31',
      name: 'sandbox, verify answers',
      unit: '/s',
      budget: 3_000,
      direction: 'at least',
      runs,
    },
  ];
}

/**
 * Compares what is kept at two moments, each after garbage was collected: by then the history is
 * full, and nothing may be added.
 */
async function measureGrowth(main: string, { before, after }: typeof VERIFIES): Promise<Figure[]> {
  const program = await startSandboxProgram(main, [], { isProbed: true });
  await place(program, 1_000);
  await closedLoop(program.url, before, CONNECTIONS, verify);
  const keptBefore = await program.heapMb();
  await closedLoop(program.url, after - before, CONNECTIONS, verify);
  const grown = (await program.heapMb()) - keptBefore;
  await program.stop();
  const name = `sandbox, heap grown from the ${before.toLocaleString('fr')}th verify to the ${after.toLocaleString('fr')}th`;
  return [{ id: '', name, unit: 'MB', runs: [grown] }];
}

/** Nothing but 10 000 retries is due in each advance, and none is acknowledged. */
async function measureWebhooks(main: string, receiver: WebhookReceiver): Promise<Figure[]> {
  const program = await startSandboxProgram(main, [
    '--clock',
    'virtual',
    '--webhook-url',
    receiver.url,
  ]);
  receiver.answer(500);
  await inParallel(DUE, (at) => pay(program, `order-${at}`, card()));
  await receiver.hasTaken(DUE);
  await advance(program, 60);
  const runs: { took: number; worked: number }[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const advanced = await advance(program, 30 * 60);
    if (run > 0) runs.push(advanced);
  }
  await program.stop();
  return tellAdvances('10 000 webhooks', runs);
}

async function measurePlaced(main: string): Promise<Figure[]> {
  const program = await startSandboxProgram(main);
  await place(program, COLLECTIONS);
  const resident = program.residentMb();
  const lists = await measureLists(program);
  await program.stop();
  return [tellMemory('placed', resident), ...lists];
}

/**
 * Nine batches by card, each paid over HTTP, with a webhook for each payment, and settled in one
 * advance in which nothing else is due; and the rest by phone, where a few hundred prompts are out
 * at a time.
 */
async function measurePaid(main: string, receiver: WebhookReceiver): Promise<Figure[]> {
  const program = await startSandboxProgram(main, [
    '--clock',
    'virtual',
    '--webhook-url',
    receiver.url,
  ]);
  receiver.answer(200);
  for (let paid = 0; paid < COLLECTIONS - RUNS * DUE; paid += PROMPTS) {
    await inParallel(PROMPTS, (at) => pay(program, `phone-${paid + at}`, phone()));
    await advance(program, 4);
  }
  await receiver.hasTaken(COLLECTIONS - RUNS * DUE);
  const settlements: { took: number; worked: number }[] = [];
  for (let batch = 0; batch < RUNS; batch++) {
    receiver.answer(200);
    await inParallel(DUE, (at) => pay(program, `card-${batch}-${at}`, card()));
    await advance(program, 60 * 60);
    await receiver.hasTaken(DUE);
    settlements.push(await advance(program, 23 * 60 * 60));
  }
  const resident = program.residentMb();
  const lists = await measureLists(program);
  await program.stop();
  return [
    tellMemory('paid and settled, a webhook each', resident),
    ...lists,
    ...tellAdvances('10 000 settlements', settlements),
  ];
}

async function measureLists(program: SandboxProgram): Promise<Figure[]> {
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    for (const path of LISTS) {
      const startedAt = performance.now();
      await program.call('GET', path, undefined, TOKEN);
      runs.push(performance.now() - startedAt);
    }
  }
  return [{ id: '', name: 'sandbox, a list or a search of these', unit: 'ms', runs }];
}

function place(program: SandboxProgram, count: number): Promise<void> {
  return inParallel(count, (at) =>
    program.call('POST', '/_sandbox/collections', { reference: `order-${at}` }),
  );
}

function verify(index: number): { path: string; method: 'GET'; headers: Record<string, string> } {
  return {
    path: `/access/v2/collections/status/order-${index % 1_000}`,
    method: 'GET',
    headers: TOKEN,
  };
}

function tellMemory(how: string, resident: number): Figure {
  const name = `sandbox, memory with 100 000 collections ${how}`;
  return { id: 'B32', name, unit: 'MB', budget: 250, direction: 'at most', runs: [resident] };
}

/**
 * Beside the time stands what the sandbox itself worked: on a machine with other work it is the
 * truer of the two.
 */
function tellAdvances(over: string, runs: readonly { took: number; worked: number }[]): Figure[] {
  const name = `sandbox, an advance over ${over}`;
  return [
    {
      id: 'B33',
      name,
      unit: 's',
      budget: 2,
      direction: 'at most',
      runs: runs.map(({ took }) => took),
    },
    {
      id: '',
      name: `${name}: its own processor time`,
      unit: 's',
      runs: runs.map(({ worked }) => worked),
    },
  ];
}
