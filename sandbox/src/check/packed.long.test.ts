import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../app/start.ts';
import { BREAKS, breakService, ORIGIN } from '../test/breaks/breaks.ts';
import { CheckTime, KEY, OTHER, Past, TOKEN } from '../test/breaks/past.ts';
import type { Chapter } from './rule.ts';
import { CHAPTERS, START } from './run-check.ts';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PATIENT_MS = 10 * 60_000;

const BODY_RULE = 'Its body is the event and the collection';

/** A folder below `node_modules`, which holds what our packages need, with our packages. */
const folder = mkdtempSync(join(ROOT, 'node_modules/.packed-check-'));
const installed = join(folder, 'node_modules/@service-pay');

beforeAll(async () => {
  await run('npm', ['run', 'pack', '--', folder], { cwd: ROOT });
  for (const name of ['contract', 'widget', 'sandbox']) {
    const tarball = readdirSync(folder).find((file) => file.startsWith(`service-pay-${name}-`))!;
    mkdirSync(join(installed, name), { recursive: true });
    const to = ['--strip-components=1', '-C', join(installed, name)];
    await run('tar', ['-xzf', join(folder, tarball), ...to]);
  }
}, PATIENT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command as it is installed, in real time. */
async function check(url: string, ...args: string[]) {
  const program = join(installed, 'sandbox/dist/cli/main.js');
  const of = ['--url', url, '--key', KEY, '--origin', ORIGIN];
  const other = ['--other-key', OTHER.key, '--other-token', OTHER.token];
  const all = [program, 'check', ...of, ...other, ...args];
  return run(process.execPath, all).then(
    ({ stdout }) => ({ exitCode: 0, output: stdout }),
    ({ code, stdout }) => ({ exitCode: code as unknown, output: stdout as string }),
  );
}

/** Returns a port that is free now. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function failuresIn(output: string): string[] {
  return [...output.matchAll(/^ {2}fails {6}(.*)$/gm)].map(([, rule]) => rule!);
}

/** Passes webhooks on to `port`, with another event than the service sent. */
async function startBreakingProxy(port: number): Promise<string> {
  const server = createServer(async (req, res) => {
    const body = `${await buffer(req)}`.replace('collection.successful', 'paid');
    const headers = { 'X-ServicePay-Signature': signWebhook(body, TOKEN) };
    const { status } = await fetch(`http://localhost:${port}/`, { method: 'POST', headers, body });
    res.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

/** Runs the command against a service with the first break of a chapter. */
async function checkBroken({ title, rules }: Chapter) {
  const isWebhooks = title === 'Webhooks';
  const port = await findFreePort();
  await using sandbox = await startSandbox({ webhookUrl: await startBreakingProxy(port) });
  const silenced = isWebhooks ? {} : { webhookUrl: null };
  await sandbox.control.putMerchant(KEY, { allowedOrigins: [ORIGIN], ...silenced });
  const broken = BREAKS.find(({ rule }) => rules.some((each) => each.title === rule))!;
  const { options, close } = await breakService(
    isWebhooks ? { rule: BODY_RULE, does: 'is broken on its way' } : broken,
    sandbox,
    { port, all: () => [], rejectNext() {}, async close() {} },
    new Past(new CheckTime({ isReal: true })),
  );
  const receiving = isWebhooks ? ['--webhook-port', `${port}`] : [];
  const { exitCode, output } = await check(options.url, '--token', TOKEN, ...receiving);
  close();
  return { exitCode, output, rule: isWebhooks ? BODY_RULE : broken.rule };
}

describe('the packed check, in real time', () => {
  test('the packed check names the one rule that a service breaks, in each chapter', {
    timeout: PATIENT_MS,
  }, async () => {
    const ends = await Promise.all(CHAPTERS.map(checkBroken));

    for (const { exitCode, output, rule } of ends) {
      expect(failuresIn(output), output).toEqual([rule]);
      expect(exitCode, output).toBe(1);
    }
  });

  test('the packed check prints one line about a service that rejects the token', async () => {
    await using sandbox = await startSandbox();
    const { exitCode, output } = await check(sandbox.url, '--token', 'sec_of_another_service');

    expect(failuresIn(output)).toEqual([START.rules[1]!.title]);
    expect(output.trimEnd().split('\n').at(-1)).toMatch(/^1 ok, 1 fail, \d+ not tried$/);
    expect(exitCode).toBe(1);
  });
});
