import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { type Sandbox, type SandboxOptions, startSandbox } from '../app/start.ts';
import { pay, TestClient, type Visitor } from '../test/client.ts';
import { State, type StatePart } from './state.ts';

const log = pino({ level: 'silent' });
let folder: string;
let state: string;
let sandbox: Sandbox | undefined;
let receiver: Server | undefined;
const children: ChildProcess[] = [];
const client = new TestClient(() => sandbox!);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-pay-state-'));
  state = join(folder, 'state');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await sandbox?.close();
  sandbox = undefined;
  receiver?.close();
  receiver = undefined;
  rmSync(folder, { recursive: true });
});

async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  sandbox = await startSandbox({ state, ...options });
  return sandbox;
}

async function restart(): Promise<Sandbox> {
  await sandbox!.close();
  return start();
}

/**
 * Returns the file's records. A child process copies the file: closing it in this process would
 * release the lock.
 */
function written(part = '%'): { part: string; key: string; value: string }[] {
  const copy = mkdtempSync(join(tmpdir(), 'service-pay-copy-'));
  try {
    execFileSync('cp', ['-r', `${folder}/.`, copy]);
    const db = new DatabaseSync(join(copy, 'state'));
    const rows = db.prepare('select part, key, value from records where part like ?').all(part);
    const snapshots = db.prepare("select part, '' as key, value from snapshots").all();
    db.close();
    return [...rows, ...(part === '%' ? snapshots : [])] as ReturnType<typeof written>;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function edit(sql: string): void {
  const db = new DatabaseSync(state);
  db.exec(sql);
  db.close();
}

async function receive(...statuses: number[]): Promise<{ url: string; events: string[] }> {
  const events: string[] = [];
  receiver = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const { event, data } = JSON.parse(body);
    events.push(`${event} ${data.reference}`);
    res.writeHead(statuses.shift() ?? 200).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  return { url: `http://127.0.0.1:${(receiver.address() as { port: number }).port}/hook`, events };
}

describe('across a restart', () => {
  test('a virtual clock keeps its time, and planned events run when it is advanced', async () => {
    await start({ clock: 'virtual' });
    const waiting = await client.visit('waiting');
    await client.attempt(waiting, pay.phone('0966666666', 'mtn'));
    const answered = await client.visit('answered');
    await client.attempt(answered, pay.phone('0971111111', 'airtel'));
    await sandbox!.control.advance(2);
    const { now } = await sandbox!.control.advance(0);

    await restart();

    expect(await sandbox!.control.advance(0)).toEqual({ mode: 'virtual', now });
    expect(await client.collection('answered')).toMatchObject({ status: 'pay-offline' });
    await sandbox!.control.advance(1);
    expect(await client.collection('answered')).toMatchObject({
      status: 'successful',
      settlementStatus: 'pending',
    });
    await sandbox!.control.advance(1);
    expect(await client.collection('answered')).toMatchObject({ settlementStatus: 'settled' });
    await sandbox!.control.advance(3 * 60);
    expect(await client.collection('waiting')).toMatchObject({ status: 'pending' });
    expect((await client.look(waiting)).json.data).toMatchObject({
      status: 'open',
      attempt: { reasonForFailure: 'Transaction Timed Out' },
    });
    await sandbox!.control.advance(30 * 60);
    expect((await client.look(waiting)).json.data).toMatchObject({ status: 'failed' });
  });

  test('visitors, prompts, codes and challenges all continue', async () => {
    await start({ clock: 'virtual' });
    const byPrompt = await client.visit('prompt');
    await client.attempt(byPrompt, pay.phone('0960000000', 'mtn'));
    const newer = await client.visit('newer');
    await client.attempt(newer, pay.phone('0960000000', 'mtn'));
    const byCode = await client.visit('code');
    const coded = pay.phone('0969999999', 'mtn');
    await client.attempt(byCode, coded);
    await client.enterCode(byCode, coded.id, '111111');
    const byCard = await client.visit('card');
    const { challengeUrl } = (await client.attempt(byCard, pay.card('4000000000003220'))).json.data
      .attempt;
    const stranger = await client.visit('prompt');
    const seen = async (visitors: Visitor[]) =>
      Promise.all(visitors.map(async (visitor) => (await client.look(visitor)).json.data));
    const before = await seen([byPrompt, newer, byCode, byCard, stranger]);

    await restart();

    expect(await seen([byPrompt, newer, byCode, byCard, stranger])).toEqual(before);
    expect(
      (await sandbox!.control.phone('0960000000')).out.map(({ reference }) => reference),
    ).toEqual(['prompt', 'newer']);
    expect(await sandbox!.control.approve('0960000000')).toBe('newer');
    expect((await client.enterCode(byCode, coded.id, '000000')).json.data.attempt).toMatchObject({
      status: 'pay-offline',
    });
    expect(
      (await client.call(challengeUrl, { method: 'POST', body: { answer: 'approve' } })).status,
    ).toBe(200);
    expect(await client.collection('card')).toMatchObject({ status: 'successful' });
    expect(
      (await client.attempt(stranger, pay.card('4242424242424242'))).json.data.attempt,
    ).toMatchObject({
      channel: 'mobile-money',
      isYours: false,
    });
  });

  test('a rejected withdrawal stays rejected (D47)', async () => {
    await start({ clock: 'virtual' });
    const visitor = await client.visit('stuck');
    const { id } = (await client.attempt(visitor, pay.phone('0968888888', 'mtn'))).json.data
      .attempt;
    await restart();
    await client.withdraw(visitor, id);

    await restart();

    expect((await client.look(visitor)).json.data.attempt).toMatchObject({ withdrawable: false });
  });

  test('a finished payment is returned byte for byte the same, and its owner is still known', async () => {
    await start({ clock: 'virtual' });
    const visitor = await client.visit('ended');
    await client.attempt(visitor, pay.card('4000000000000002'));
    await client.attempt(visitor, pay.card('4242424242424242'));
    await sandbox!.control.putCollection({
      reference: 'placed',
      status: 'resting',
      type: 'barter',
    });
    const read = async () => [
      (await client.look(visitor)).text,
      (await client.merchant('/collections')).text,
      (await client.merchant('/collections/status/ended')).text,
      JSON.stringify((await client.openSession('ended')).json.data.session),
    ];
    const before = await read();

    await restart();

    expect(await read()).toEqual(before);
    await sandbox!.control.putCollection({ reference: 'next' });
    const { serviceReference } = await client.collection('placed');
    expect(Number((await client.collection('next')).serviceReference)).toBe(
      Number(serviceReference) + 1,
    );
  });

  test('webhooks that were not acknowledged are retried on schedule', async () => {
    const { url, events } = await receive(500, 500);
    await start({ clock: 'virtual', webhookUrl: url });
    await client.attempt(await client.visit('retried'), pay.card('4242424242424242'));
    await sandbox!.control.advance(30 * 60);
    expect(events).toHaveLength(2);

    await sandbox!.close();
    await start({ webhookUrl: url });

    expect((await sandbox!.control.webhooks())[0]).toMatchObject({
      status: 'waiting',
      attempts: [{ status: 500 }, { status: 500 }],
    });
    await sandbox!.control.advance(30 * 60 - 1);
    expect(events).toHaveLength(2);
    await sandbox!.control.advance(1);
    expect(events).toEqual(Array(3).fill('collection.successful retried'));
    expect((await sandbox!.control.webhooks())[0]).toMatchObject({ status: 'acknowledged' });
  });

  test('a webhook in flight is sent again', async () => {
    receiver = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as { port: number };
    const arrived = once(receiver, 'request');
    await start({ clock: 'virtual', webhookUrl: `http://127.0.0.1:${port}/` });
    await sandbox!.control.putCollection({ reference: 'on-its-way', notify: true });
    await arrived;
    await sandbox!.close();
    receiver.closeAllConnections();
    const again = once(receiver, 'request');

    await start();

    await again;
  });

  test('merchants, faults and the armed scenario are restored; a reset empties the file, too', async () => {
    await start();
    await sandbox!.control.putMerchant('pub_mine', { apiToken: 'sec_of_mine', name: 'Mine' });
    await sandbox!.control.putMerchant('pub_sandbox_demo', {
      webhookUrl: 'http://127.0.0.1:1/kept',
    });
    await sandbox!.control.setFaults({ merchantApi: { rate: 0.5, kind: 'status' }, seed: 7 });
    const faulty = async () => {
      const statuses: number[] = [];
      for (let at = 0; at < 10; at++)
        statuses.push((await client.merchant('/collections', 'sec_of_mine')).status);
      return statuses;
    };
    await faulty();

    await restart();
    const after = await faulty();
    await sandbox!.control.setFaults({ merchantApi: { rate: 0.5, kind: 'status' }, seed: 7 });
    await faulty();

    expect(after).toEqual(await faulty());
    expect((await sandbox!.control.putMerchant('pub_sandbox_demo', {})).webhookUrl).toBe(
      'http://127.0.0.1:1/kept',
    );
    await sandbox!.control.reset();
    await vi.waitFor(() => expect(JSON.stringify(written())).not.toContain('pub_mine'), {
      timeout: 60_000,
    });
    await restart();
    expect((await client.merchant('/collections', 'sec_of_mine')).status).toBe(401);
  });

  test('a webhook URL that is new at this start replaces the stored one', async () => {
    await start({ webhookUrl: 'http://127.0.0.1:1/first' });
    await sandbox!.close();

    await start({ webhookUrl: 'http://127.0.0.1:1/second' });

    expect((await sandbox!.control.putMerchant('pub_sandbox_demo', {})).webhookUrl).toBe(
      'http://127.0.0.1:1/second',
    );
  });
});

describe('the file', () => {
  test("the state file is private to its owner and contains no card number, code or visitor's token (T45)", async () => {
    await start({ clock: 'virtual' });
    const visitor = await client.visit('secret');
    await client.attempt(visitor, pay.card('4000 0000 0000 3220', {}));
    const coded = await client.visit('secret-code');
    const attempt = pay.phone('0969999999', 'mtn');
    await client.attempt(coded, attempt);
    await client.enterCode(coded, attempt.id, '918273');
    await sandbox!.close();

    const text = readFileSync(state, 'latin1') + JSON.stringify(written());
    expect(statSync(state).mode & 0o777).toBe(0o600);
    expect(text).toContain('lastName');
    for (const secret of [
      '4000000000003220',
      '4000 0000 0000 3220',
      '918273',
      visitor.token,
      coded.token,
    ]) {
      expect(text).not.toContain(secret);
    }
    expect(readdirSync(folder)).toEqual(['state']);
  });

  test('the state file is written soon after each change', async () => {
    await start();
    for (const reference of ['first-change', 'second-change']) {
      await sandbox!.control.putCollection({ reference });
      await vi.waitFor(
        () =>
          expect(written('store').map(({ key }) => key)).toContain(`pub_sandbox_demo ${reference}`),
        { timeout: 60_000 },
      );
    }
  });

  test('the state file keeps as much history as configured, however many requests there were', async () => {
    const { url, events } = await receive();
    await start({ clock: 'virtual', historyLimit: 20, webhookUrl: url });
    for (let at = 0; at < 40; at++) {
      await client.attempt(await client.visit(`order-${at}`), pay.card('4242424242424242'));
      for (let calls = 0; calls < 5; calls++) await client.collection(`order-${at}`);
    }
    await vi.waitFor(() => expect(events).toHaveLength(40), { timeout: 60_000 });
    await sandbox!.control.advance(60 * 60);
    await sandbox!.close();

    expect(written('store')).toHaveLength(40);
    expect(written('history')).toHaveLength(20);
    expect(written('webhooks')).toHaveLength(20);
  });

  test('the sandbox reports a failed write when it closes, and keeps the last state', async () => {
    let value: unknown = 'written';
    const notes: StatePart = { snapshot: () => ({ value }), restore: () => undefined };
    const open = () => new State(state, { parts: { first: notes, second: notes }, log });
    const first = open();
    value = 1n;

    expect(() => first.close()).toThrow(/^Could not write the state \(.+\)\. The file keeps/);

    expect(written().map((row) => row.value)).toEqual(Array(2).fill('{"value":"written"}'));
    value = 'again';
    open().close();
  });

  test('the state file can be a symbolic link, which is kept', async () => {
    const link = join(folder, 'link');
    await start();
    await sandbox!.close();
    symlinkSync(state, link);

    await start({ state: link });
    await sandbox!.control.putCollection({ reference: 'by-link' });
    await restart();

    expect(await client.collection('by-link')).toBeDefined();
    await sandbox!.close();
    expect(readdirSync(folder).sort()).toEqual(['link', 'state']);
  });

  test.each([
    [
      'something else',
      () => writeFileSync(state, 'dear diary\n'.repeat(40)),
      'belongs to another program',
    ],
    [
      'the database of another program',
      () => edit('pragma application_id = 1'),
      'belongs to another program',
    ],
    [
      'lines of JSON, as older versions wrote it',
      () => writeFileSync(state, '{"format":"service-pay-sandbox-state","version":2}\n'),
      'Another version of the sandbox wrote the state file: remove it, or choose another path.',
    ],
    [
      'a newer version',
      () => edit('pragma user_version = 4'),
      'Another version of the sandbox wrote',
    ],
    ['a page missing', () => truncateSync(state, statSync(state).size - 4096), 'is damaged'],
    [
      'a page overwritten',
      () => {
        const bytes = readFileSync(state);
        writeFileSync(state, bytes.fill('x', 4096, 3 * 4096));
      },
      'is damaged',
    ],
    [
      'a part missing',
      () => edit("delete from snapshots where part = 'clock'"),
      'This version of the sandbox cannot read the state file',
    ],
    [
      'a record that is none',
      () => edit("update records set value = '{}' where part = 'history'"),
      'This version of the sandbox cannot read the state file',
    ],
  ])(
    'a state file is rejected with a sentence and left alone if it has %s',
    async (_, spoil, sentence) => {
      await start();
      await sandbox!.control.putCollection({ reference: 'kept' });
      await sandbox!.close();
      sandbox = undefined;
      spoil();
      const bytes = readFileSync(state);

      await expect(start()).rejects.toThrow(sentence);

      expect(readFileSync(state).equals(bytes)).toBe(true);
      expect(readdirSync(folder)).toEqual(['state']);
    },
  );

  test('the state file is used as a new one if empty', async () => {
    writeFileSync(state, '');

    await start();
    await sandbox!.control.putCollection({ reference: 'kept' });
    await restart();

    expect(await client.collection('kept')).toBeDefined();
  });

  test('a state file is rejected with a sentence if it is a folder, has no folder or cannot be read', async () => {
    mkdirSync(state);
    await expect(start()).rejects.toThrow("The state file's path is a folder");
    await expect(start({ state: join(folder, 'no', 'such') })).rejects.toThrow(
      'The folder of the state file does not exist',
    );
    await expect(start({ state: join(state, 'x'.repeat(300)) })).rejects.toThrow(
      'Cannot use the state file (ENAMETOOLONG)',
    );
    chmodSync(state, 0o500);
    if (process.getuid?.() !== 0) {
      await expect(start({ state: join(state, 'locked') })).rejects.toThrow(
        'Cannot use the state file (EACCES)',
      );
    }
  });
});

describe('one file, many processes', () => {
  async function run(): Promise<{ child: ChildProcess; url: string }> {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('../cli/main.ts', import.meta.url)),
      '--port',
      '0',
      '--state',
      state,
    ]);
    children.push(child);
    const url = await saidBy(child, /^http:\/\/localhost:\d+$/m);
    return { child, url };
  }

  function saidBy(child: ChildProcess, pattern: RegExp): Promise<string> {
    let said = '';
    return new Promise((resolve, reject) => {
      child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        const found = pattern.exec(said)?.[0];
        if (found) resolve(found);
      });
      child.once('exit', () => reject(new Error(`The program ended having said: ${said}`)));
    });
  }

  test('a second sandbox is rejected, and can start once the first has ended', async () => {
    await start();

    await expect(startSandbox({ state })).rejects.toThrow('Another sandbox uses this state file');

    await restart();
  });

  test('after a kill at any moment the file is complete with everything written', {
    timeout: 120_000,
  }, async () => {
    const known: string[] = [];
    for (let round = 0; round < 4; round++) {
      const { child, url } = await run();
      const killed = new TestClient(() => ({ url }) as Sandbox);
      for (const reference of known)
        expect(await killed.collection(reference), reference).toBeDefined();
      await killed.control('POST', '/collections', { reference: `round-${round}` });
      await vi.waitFor(
        () =>
          expect(written('store').map(({ key }) => key)).toContain(
            `pub_sandbox_demo round-${round}`,
          ),
        { timeout: 60_000 },
      );
      known.push(`round-${round}`);

      const exited = once(child, 'exit');
      const sent = Array.from({ length: 20 * (round + 1) }, (_, at) =>
        killed
          .control('POST', '/collections', { reference: `round-${round}-${at}` })
          .catch(() => undefined),
      );
      await Promise.race(sent);
      child.kill('SIGKILL');
      await exited;
      await Promise.all(sent);
    }

    await start();

    for (const reference of known)
      expect(await client.collection(reference), reference).toBeDefined();
  });

  test('a kill during a write leaves the file as before or as after it', {
    timeout: 120_000,
  }, async () => {
    const writer = `
      import { State } from ${JSON.stringify(new URL('./state.ts', import.meta.url).href)};
      let round = 0;
      const notes = {
        snapshot: () => ({ round }),
        restore: (snapshot) => ({ round } = snapshot),
        records: { onChange: () => undefined, find: () => ({ round }) },
      };
      const state = new State(${JSON.stringify(state)}, { parts: { notes }, log: console });
      for (;;) {
        round += 1;
        for (let key = 0; key < 500; key++) notes.records.onChange(String(key));
        state.write();
        console.log(round);
      }`;
    let last = 0;
    for (let kills = 0; kills < 12; kills++) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', writer], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      const exited = once(child, 'exit');
      const rounds = 1 + (kills % 5);
      await saidBy(child, new RegExp(`(?:\\d+\\n){${rounds}}`));
      child.kill('SIGKILL');
      await exited;

      const [snapshot] = written().filter(({ key }) => key === '');
      const { round } = JSON.parse(snapshot!.value);
      expect(round).toBeGreaterThanOrEqual(last + rounds);
      last = round;
      expect(
        written('notes').filter(({ value }) => JSON.parse(value).round === round),
      ).toHaveLength(500);
    }
  });
});
