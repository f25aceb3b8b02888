import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../app/start.ts';
import { startTinyShop, type Ways } from '../test/tiny-shop.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const PATIENT = { timeout: 120_000 };

const folder = mkdtempSync(join(tmpdir(), 'check-shop-'));
const ORDER = join(folder, 'order.json');
writeFileSync(ORDER, '{"sku":"honey"}');
afterAll(() => rmSync(folder, { recursive: true }));

const NEVER = Number.POSITIVE_INFINITY;

interface Silence {
  /** How many calls get a response before the sandbox, or the shop, falls silent. */
  readonly sandboxAfter?: number;
  readonly shopAfter?: number;
}

async function checkSilent(
  { sandboxAfter = NEVER, shopAfter = NEVER }: Silence,
  ways: Partial<Ways> = {},
  ...args: string[]
) {
  const sandbox = await startSandbox();
  const shop = await startTinyShop(sandbox.url, ways);
  onTestFinished(async () => {
    await shop.close();
    await sandbox.close();
  });
  const addresses = [
    ...['--sandbox', await startFallingSilent(sandbox.url, sandboxAfter)],
    ...['--shop', await startFallingSilent(shop.url, shopAfter)],
  ];
  const given = ['check-shop', ...addresses, '--order', ORDER, ...args];
  const program = spawn(process.execPath, [MAIN, ...given]);
  onTestFinished(() => void program.kill('SIGKILL'));
  const [stdout, stderr, [exitCode]] = await Promise.all([
    readText(program.stdout),
    readText(program.stderr),
    once(program, 'close'),
  ]);
  return { stdout, stderr, exitCode };
}

/** Passes the first calls on to `url`, and never responds to a later one. */
async function startFallingSilent(url: string, after: number): Promise<string> {
  let calls = 0;
  const server = createServer((req, res) => {
    calls += 1;
    if (calls > after) return;
    const { method = 'GET', headers } = req;
    const passed = request(new URL(req.url!, url), { method, headers }, (response) => {
      res.writeHead(response.statusCode!, response.headers);
      response.pipe(res);
    });
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

describe('check-shop ends in a sentence', () => {
  test.each([
    ['is silent', 0],
    ['falls silent', 40],
  ])('check-shop ends in a sentence if the sandbox %s', PATIENT, async (_what, sandboxAfter) => {
    const { stdout, exitCode } = await checkSilent({ sandboxAfter });

    expect(stdout).toMatch(
      /No sandbox responds at http:\S+: no response within 10 s\. Start it, or correct --sandbox\./,
    );
    expect(stdout.match(/not tried {2}/g) ?? []).toHaveLength(sandboxAfter && 1);
    expect(exitCode).toBe(1);
  });

  test.each([
    ['is silent', 0],
    ['falls silent', 40],
  ])('check-shop ends in a sentence if the shop %s', PATIENT, async (_what, shopAfter) => {
    const { stdout, exitCode } = await checkSilent({ shopAfter });

    expect(stdout).toMatch(
      /No shop responds at http:\S+: GET \/api\/orders\/open got no response: none within 20 s\. Start it, or correct --shop\./,
    );
    expect(exitCode).toBe(1);
  });

  test('check-shop ends in a sentence if the webhook route is silent', PATIENT, async () => {
    const silent = () => new Promise<never>(() => {});
    const only = ['--only', 'A webhook of'];
    const { stdout, exitCode } = await checkSilent({}, { onWebhook: silent }, ...only);

    expect(stdout).toContain('\n             No complete response within 10 s.\n');
    expect(exitCode).toBe(1);
  });
});
