import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startSandbox } from '../app/start.ts';
import { startTinyShop, type Ways } from '../test/tiny-shop.ts';
import { parseCheckShopOptions } from './check-shop.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'check-shop-'));
const ORDER = join(folder, 'order.json');
writeFileSync(ORDER, '{"sku":"honey"}');
afterAll(() => rmSync(folder, { recursive: true }));

const NEEDED = ['--shop', 'http://localhost:3000', '--order', ORDER];

describe('service-pay-sandbox check-shop', () => {
  test('check-shop names every wrong argument at once', () => {
    const wrong = ['--sandbox', 'here', '--place', 'orders', '--webhook', 'x', '--page', 'x'];
    const others = ['--header', 'X-CSRFToken', '--only', 'no such rule', '--token'];
    const flags = ['--json', '--ordr', 'order.json', '--json'];

    expect(() => parseCheckShopOptions([...wrong, ...flags, ...others])).toThrow(
      [
        '--ordr is not a flag.',
        '--json appears twice.',
        '--token needs a value.',
        "--shop must be the shop's origin, such as http://localhost:3000.",
        '--order must be a file with the JSON body of the order route.',
        '--sandbox must be an origin, such as http://localhost:4010.',
        '--webhook must be a path, such as /webhooks/service-pay.',
        '--place must be a path, such as /api/orders.',
        '--page must be a path, such as /.',
        "--header must be a name and a value, such as 'X-CSRFToken: {cookie:csrftoken}'.",
        'No rule has this text of --only in its title.',
      ].join('\n'),
    );
  });

  test('check-shop repeats no secret that is passed without its flag', () => {
    expect(() => parseCheckShopOptions([...NEEDED, 'sec_live_1'])).toThrow(
      new Error('Use flags only, such as --shop http://localhost:3000.'),
    );
  });

  test('check-shop reads what was fulfilled from a path of the shop, or from a command', async () => {
    const shop = await startShop('http://localhost:1');
    const read = (fulfilled: string) =>
      parseCheckShopOptions(['--shop', shop, '--order', ORDER, '--fulfilled', fulfilled]).shop
        .readFulfilled!();

    expect(await read('/fulfilled')).toBe('');
    expect(await read('echo none | grep order')).toBe('');
    expect(await read('echo order-1 && echo order-2')).toBe('order-1\norder-2\n');
    await expect(read('exit 3')).rejects.toThrow('--fulfilled');
    await expect(read('/none')).rejects.toThrow('--fulfilled');
  });

  test('check-shop prints a line a rule and the counts, and exits with 1 if a rule fails', async () => {
    const { program, sandboxUrl } = await start(['--only', 'price', '--only', 'another browser'], {
      price: ({ amount = '92.50' }) => ({ amount, currency: 'ZMW' }),
    });
    const [stdout, [exitCode]] = await Promise.all([
      readText(program.stdout),
      once(program, 'close'),
    ]);

    expect(sandboxUrl).toBeTruthy();
    expect(stdout.split('\n')).toEqual([
      '',
      'Shop and sandbox',
      '  ok         Sandbox and shop respond',
      '  ok         The shop places the order of --order',
      '  ok         The shop takes payments by this sandbox',
      '',
      'Orders',
      '  fails      The price is the shop’s, whatever the page sends',
      '             The order of a page that sends a price: amount is "0.01", expected "92.50".',
      '             Required: your server sets the price',
      '  ok         The same key of another browser is another order',
      '',
      '4 ok, 1 fail, 0 not tried',
      '',
    ]);
    expect(exitCode).toBe(1);
  });

  test('check-shop prints JSON, a line a rule', async () => {
    const { program } = await start(['--only', 'price', '--json']);
    const [stdout, stderr] = await Promise.all([
      readText(program.stdout),
      readText(program.stderr),
    ]);

    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results).toHaveLength(4);
    expect(results.at(-1)).toMatchObject({ chapter: 'Orders', result: 'ok' });
    expect(stderr).toBe('4 ok, 0 fail, 0 not tried\n');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'check-shop restores the sandbox on %s, in the middle of an outage, and exits with 1',
    async (signal) => {
      const { program, control } = await start(['--only', 'never responds'], {
        verifiesWithinMs: 5_000,
      });
      let stdout = '';
      program.stdout.on('data', (data) => {
        stdout += data;
      });
      await vi.waitFor(async () => expect(await control.faults()).toHaveProperty('merchantApi'), {
        timeout: 60_000,
      });

      program.kill(signal);
      const [exitCode] = await once(program, 'close');

      expect(stdout).toMatch(/\nStopped before the last rule\. 3 ok, 0 fail, 0 not tried\n$/);
      expect(exitCode).toBe(1);
      expect(await control.faults()).toEqual({ webhooks: { duplicate: 1 } });
    },
  );
});

async function startShop(serviceUrl: string, ways: Partial<Ways> = {}): Promise<string> {
  const shop = await startTinyShop(serviceUrl, ways);
  onTestFinished(() => shop.close());
  return shop.url;
}

/** Starts the command beside a tiny shop and a sandbox that sends webhooks twice. */
async function start(args: string[], ways: Partial<Ways> = {}) {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  await sandbox.control.setFaults({ webhooks: { duplicate: 1 } });
  const shop = await startShop(sandbox.url, ways);
  const given = ['--shop', shop, '--order', ORDER, '--sandbox', sandbox.url];
  const program: ChildProcessByStdio<null, Readable, Readable> = spawn(
    process.execPath,
    [MAIN, 'check-shop', ...given, ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => void program.kill('SIGKILL'));
  return { program, control: sandbox.control, sandboxUrl: sandbox.url };
}
