import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { makeDatabaseUrl, type TestDatabase } from './testing/databases.ts';
import { collectionResponse, startUpstream, TOKEN } from './testing/upstream.ts';

const HEAD = `
  import { createPayments, getCollection, pause, realClock } from '${new URL('index.ts', import.meta.url)}';
  const DEAD = 'http://127.0.0.1:9';
  const apiUrl = process.env.SERVICE_URL;
  const apiToken = '${TOKEN}';
  const open = (apiUrl = process.env.SERVICE_URL) => createPayments({
    apiUrl, apiToken, publicKey: 'pub_test', database: process.env.DATABASE,
    fulfil: async () => {}, log: { info() {}, warn() {}, error() {} },
  });
  const order = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
  const whose = { owner: 'ann' };
  const codeOf = (error) => error.code;
`;
let database: TestDatabase;
let service: Awaited<ReturnType<typeof startUpstream>>;

beforeAll(async () => {
  database = await makeDatabaseUrl('sqlite');
  const calls = new Map<string, number>();
  service = await startUpstream((req, res) => {
    const times = calls.get(req.url!) ?? 0;
    calls.set(req.url!, times + 1);
    res.end(collectionResponse(req.url!, { status: times ? 'successful' : 'pending' }));
  });
});

afterAll(async () => {
  await service.close();
  await database.drop();
});

/** Runs a program that does nothing but wait for the package. Node exits with 13 if it cannot. */
async function run(script: string, words: string[] = []): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...words, '--input-type=module', '--eval', HEAD + script],
    { env: { ...process.env, SERVICE_URL: service.url, DATABASE: database.url } },
  );
  return stdout.trim();
}

test.concurrent('a plain script gets its result from each call while the service is dead, though nothing else keeps its process alive (T130)', async () => {
  const said = await run(
    `await pause(realClock, 10);
     console.log('paused');
     console.log(await getCollection('r-1', { apiUrl: DEAD, apiToken }).catch(codeOf));
     const payments = await open(DEAD);
     const { reference } = await payments.create(order);
     console.log(await payments.confirm(reference, whose).catch(codeOf));
     console.log(await payments.retry(reference, whose).catch(codeOf));
     await payments.close();
     console.log('closed');`,
  );

  expect(said.split('\n')).toEqual(['paused', ...Array(3).fill('not_known_yet'), 'closed']);
});

test.concurrent('a plain script gets its result from each call, though nothing else keeps its process alive (T130)', async () => {
  const said = await run(
    `const payments = await open();
     const twice = await payments.create(order);
     await payments.confirm(twice.reference, whose);
     console.log('confirmed:', (await payments.confirm(twice.reference, whose)).shown.status);
     const { reference } = await payments.create(order);
     for await (const { status } of payments.watch(reference, whose)) {
       console.log('watched:', status);
       if (status !== 'pending') continue;
       setTimeout(() => payments.confirm(reference, whose), 100).unref();
     }
     await payments.drain();
     await payments.close();
     console.log('closed');`,
  );

  expect(said.split('\n')).toEqual([
    'confirmed: successful',
    ...['watched: pending', 'watched: successful'],
    'closed',
  ]);
});

test.concurrent('Bun is rejected at start, before the shop takes orders', async () => {
  const hook = `
    const versions = { ...process.versions, bun: '1.3.0' };
    Object.defineProperty(process, 'versions', { value: versions });`;
  const words = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
  const script = `
    const say = ({ code, message }) => console.log(code, message);
    await open().catch(say);
    await getCollection('r-1', { apiUrl, apiToken }).catch(say);`;

  const said = await run(script, words);

  expect(said.split('\n')).toEqual(
    Array(2).fill(
      'internal Payments cannot be verified in Bun, whose undici sends nothing. Run this program with Node 22.19 or newer, or with Deno.',
    ),
  );
});
