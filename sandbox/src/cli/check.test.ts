import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseCheckOptions } from './check.ts';
import { formatResult, isSoundResult } from './result-printer.ts';

const NEEDED = { '--url': 'https://pay.example', '--key': 'pub_1', '--token': 'sec_1' };

/** Returns arguments with those that are needed, unless they are among them. */
function withNeeded(...args: string[]): string[] {
  return [
    ...Object.entries(NEEDED)
      .filter(([flag]) => !args.includes(flag))
      .flat(),
    ...args,
  ];
}

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function runCommand(...args: string[]) {
  const program = spawn(process.execPath, [MAIN, 'check', ...withNeeded(...args)]);
  const [stdout, stderr, [status]] = await Promise.all([
    readText(program.stdout),
    readText(program.stderr),
    once(program, 'close'),
  ]);
  return { status, stdout, stderr };
}

describe('service-pay-sandbox check', () => {
  test('check names every wrong argument at once', () => {
    const wrong = ['--patience', '0', '--origin', 'shop', '--numbers', 'none.json'];
    const flags = ['--json', '--tokn', 'sec_live_1', '--json', '--kee', '--other-key'];
    expect(() => parseCheckOptions([...wrong, ...flags])).toThrow(
      [
        '--tokn is not a flag.',
        '--json appears twice.',
        '--kee is not a flag.',
        '--other-key needs a value.',
        '--url must be the origin of the service, such as https://pay.example.',
        '--key must be the public key of a merchant, never its secret API token.',
        '--token must be the secret API token of that merchant: visible ASCII characters.',
        '--origin must be an origin, such as https://shop.example.',
        '--numbers must be a file of JSON that can be read.',
        '--patience must be 1 to 1440 minutes.',
      ].join('\n'),
    );
  });

  test('check reads the numbers of a service from a file, and names a wrong field', () => {
    const folder = mkdtempSync(join(tmpdir(), 'check-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'numbers.json');
    writeFileSync(file, '{"cards":{"successful":"4000 0000"}}');

    expect(parseCheckOptions(withNeeded('--numbers', file)).numbers).toEqual({
      cards: { successful: '4000 0000' },
      phones: {},
    });

    writeFileSync(file, '{"cards":{"succesful":"4000 0000"}}');
    expect(() => parseCheckOptions(withNeeded('--numbers', file))).toThrow('cards.succesful');
  });

  test.each([
    [
      ['--key', 'sec_live_1'],
      '--key must be the public key of a merchant, never its secret API token.',
    ],
    [
      ['--key', 'k_1', '--token', 'k_1'],
      '--key must be the public key of a merchant, never its secret API token.',
    ],
    [
      ['--url', 'http://pay.example'],
      '--url must begin with https://, except on this machine: the API token is sent there.',
    ],
    [['--other-key', 'pub_2'], '--other-key and --other-token belong together.'],
    [
      ['--other-key', 'pub_2', '--other-token', 'sec_1'],
      '--other-key and --other-token must be the public key and the API token of a second merchant.',
    ],
    [
      ['--token', 'sec_live_1…'],
      '--token must be the secret API token of that merchant: visible ASCII characters.',
    ],
    [['--tokn', 'sec_live_1'], '--tokn is not a flag.'],
    [['sec_live_1'], 'Use flags only, such as --url https://pay.example.'],
  ])('check rejects %j in a sentence that repeats no value', (args, message) => {
    expect(() => parseCheckOptions(withNeeded(...args))).toThrow(new Error(message));
  });

  test.each(['http://localhost:4010', 'http://127.0.0.1:4010', 'https://pay.example'])(
    'check takes a service at %s',
    (url) => {
      expect(parseCheckOptions(withNeeded('--url', url))).toMatchObject({ url });
    },
  );

  test('check takes an address with a slash at its end', () => {
    const { url } = parseCheckOptions(withNeeded('--url', 'https://pay.example/'));
    expect(url).toBe('https://pay.example');
  });

  test('check fails for a rule that another fault blocks, not for one that does not apply', () => {
    const result = { chapter: '', rule: '', because: '', result: 'not tried' } as const;

    expect(isSoundResult({ ...result, isBlocked: true })).toBe(false);
    expect(isSoundResult({ ...result, isBlocked: false })).toBe(true);
  });

  test('check says in one line that nothing listens, and prints the counts', async () => {
    const port = await findFreePort();
    const { status, stdout } = await runCommand('--url', `http://127.0.0.1:${port}`);

    expect(stdout.replace(/\d+ not tried/, 'the rest')).toBe(
      [
        '\nThe service\n  fails      It responds\n             ',
        `GET /access/v2/collections got no response: nothing listens at 127.0.0.1:${port} `,
        '(ECONNREFUSED). Start the service, or correct --url.\n\n0 ok, 1 fail, the rest\n',
      ].join(''),
    );
    expect(status).toBe(1);
  });

  test('check says in plain words that Node.js does not connect to a port', async () => {
    const { stdout } = await runCommand('--url', 'http://localhost:1');

    expect(stdout).toContain('Node.js and browsers never connect to port 1. Start');
  });

  test('check ends in a sentence if another program uses the port of --webhook-port', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { status, stderr } = await runCommand('--webhook-port', `${port}`);

    expect(stderr).toMatch(/^The port of --webhook-port cannot be used \(EADDRINUSE\)\. /);
    expect(status).toBe(2);
  });

  test('check prints what a service did instead, and the sentence that requires more', () => {
    expect(
      formatResult({
        chapter: 'Files',
        rule: 'A rule',
        because: 'Do this.',
        result: 'fails',
        reason: 'It did that.',
      }),
    ).toBe('  fails      A rule\n             It did that.\n             Required: Do this.\n');
  });
});
