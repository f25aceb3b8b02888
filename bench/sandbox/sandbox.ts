import { join } from 'node:path';
import { request } from 'undici';

import { buildPackedShop } from '../../scripts/packages/packed-shop.ts';
import type { Figure, Scale } from '../support/figures.ts';
import { closedLoop } from '../support/load.ts';
import { inParallel, payByCard, placeCollections } from './payments.ts';
import { CONNECTIONS, type SandboxProgram, startSandboxProgram } from './program.ts';
import { receiveWebhooks } from './webhook-receiver.ts';

const VERIFIED = 1_000;
const VERIFIES_PER_RUN = 6_000;
const COLLECTIONS = 10_000;
const DUE = 10_000;
const RETRY_PAUSE_S = 30 * 60;
const TOKEN = { authorization: 'Bearer sec_sandbox_demo' };

/**
 * B30 to B33: the packed sandbox, in JavaScript, called over HTTP. From the sources of this
 * repository it takes 20 MB more, because Node strips their types.
 */
export async function measureSandbox({ runs }: Scale): Promise<Figure[]> {
  const shop = await buildPackedShop();
  const main = join(shop.folder, 'node_modules/@service-pay/sandbox/dist/cli/main.js');
  try {
    return [
      await measureStart(main, runs),
      await measureVerify(main, runs),
      await measureMemory(main, runs),
      await measureAdvance(main, runs),
    ];
  } finally {
    await shop.remove();
  }
}

async function measureStart(main: string, count: number): Promise<Figure> {
  const runs: number[] = [];
  for (let run = 0; run < count; run++) {
    const startedAt = performance.now();
    const program = await startSandboxProgram(main);
    await request(`${program.url}/access/v2/collections`, { headers: TOKEN }).then(({ body }) =>
      body.dump(),
    );
    runs.push((performance.now() - startedAt) / 1000);
    await program.stop();
  }
  return {
    id: 'B30',
    name: 'sandbox, start to first answer',
    unit: 's',
    budget: 1,
    direction: 'at most',
    runs,
  };
}

async function measureVerify(main: string, count: number): Promise<Figure> {
  const program = await startSandboxProgram(main);
  await placeCollections(program, VERIFIED);
  const runs: number[] = [];
  for (let run = 0; run <= count; run++) {
    const perSecond = await closedLoop(program.url, VERIFIES_PER_RUN, CONNECTIONS, (index) => ({
      path: `/access/v2/collections/status/order-${index % VERIFIED}`,
      method: 'GET',
      headers: TOKEN,
    }));
    if (run > 0) runs.push(perSecond); // the first run warms up
  }
  await program.stop();
  return {
    id: 'B31',
    name: 'sandbox, verify answers',
    unit: '/s',
    budget: 3_000,
    direction: 'at least',
    runs,
  };
}

async function measureMemory(main: string, count: number): Promise<Figure> {
  const runs: number[] = [];
  for (let run = 0; run < count; run++) {
    const program = await startSandboxProgram(main);
    await placeCollections(program, COLLECTIONS);
    runs.push(program.residentMb());
    await program.stop();
  }
  return {
    id: 'B32',
    name: 'sandbox, memory with 10 000 collections',
    unit: 'MB',
    budget: 250,
    direction: 'at most',
    runs,
  };
}

/** Every advance meets 10 000 retries and nothing else, because no webhook is acknowledged. */
async function measureAdvance(main: string, count: number): Promise<Figure> {
  const receiver = await receiveWebhooks(500);
  const program = await startSandboxProgram(main, [
    '--clock',
    'virtual',
    '--webhook-url',
    receiver.url,
  ]);
  await inParallel(DUE, (at) => payByCard(program, `order-${at}`));
  await receiver.hasTaken(DUE);
  await advance(program, 60);
  const runs: number[] = [];
  for (let run = 0; run <= count; run++) {
    const took = await advance(program, RETRY_PAUSE_S);
    if (run > 0) runs.push(took); // the first run warms up
  }
  await program.stop();
  receiver.close();
  return {
    id: 'B33',
    name: 'sandbox, advancing a virtual clock over 10 000 due webhooks',
    unit: 's',
    budget: 2,
    direction: 'at most',
    runs,
  };
}

/** Moves the clock, and returns how many real seconds the answer took. */
async function advance(program: SandboxProgram, seconds: number): Promise<number> {
  const startedAt = performance.now();
  await program.call('POST', '/_sandbox/clock/advance', { seconds });
  return (performance.now() - startedAt) / 1000;
}
