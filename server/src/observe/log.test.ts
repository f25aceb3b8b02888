import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildLog } from './log.ts';
import { maskLogger } from './mask-logger.ts';

const SECRETS = {
  apiToken: 'sec_canary"quoted',
  previousApiToken: 'sec_canary_old',
  sessionSecret: 'canary-session-secret-0123456789',
};

test('masks secrets, card numbers and passwords in whatever is logged, at every level (T77)', () => {
  const lines: string[] = [];
  const log = buildLog(
    { ...SECRETS, logLevel: 'debug' },
    { write: (line) => void lines.push(line) },
  );
  const text = `${Object.values(SECRETS).join(' ')} 4242 4242 4242 4242 5555555555554444 postgres://shop:canary-password@db/shop`;

  log.error({ err: new Error(text, { cause: new Error(text) }), nested: { text } }, text);
  log.debug({ text });
  log.warn({
    card: 4242424242424242,
    cards: [4242424242424242, 5555555555554444],
    text: 'a:4242424242424242,b',
    pasted: [
      '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
      '４２４２　４２４２　４２４２　４２４２',
      '4242\u200b424242424242',
    ],
  });

  expect(lines).toHaveLength(3);
  expect(lines.join()).not.toMatch(
    /sec_canary|canary-session|4242 4242|4242424242424242|5555555555554444|canary-password|٤٢|４２|4242424242/,
  );
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});

test('leaves references, times and counts as they are', () => {
  const lines: string[] = [];
  const log = buildLog(
    { ...SECRETS, logLevel: 'info' },
    { write: (line) => void lines.push(line) },
  );

  log.info({ reference: 'shop-4242424242424242', ms: 1234567890123 }, 'seen');

  expect(lines[0]).toContain('shop-4242424242424242');
  expect(lines[0]).toContain('1234567890123');
});

test('reports once on the standard error that a logger throws or rejects, and goes on (T155)', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const log = maskLogger(
    {
      info: () => {
        throw new Error(`no space left for ${SECRETS.previousApiToken}`);
      },
      warn: () => Promise.reject(new Error('the log service is away')),
      error: () => Promise.reject('no'),
    },
    SECRETS,
  );

  for (const level of ['info', 'warn', 'error', 'debug'] as const) log[level]({}, 'seen');
  await new Promise(setImmediate);

  expect(written.mock.calls).toEqual([
    [
      'service-pay: the logger failed: no space left for [secret]. Payments go on. Lines may be missing from the log. Later failures are not reported.\n',
    ],
  ]);
  expect(unhandled).not.toHaveBeenCalled();
});

test('passes message and fields to winston, which takes the message first', () => {
  const lines: unknown[][] = [];
  const note = (...given: unknown[]) => void lines.push(given);
  const winston = { log: note, transports: [], info: note, warn: note, error: note };
  const child = Object.create(winston) as typeof winston;

  maskLogger(winston, SECRETS).info({ reference: 'r' }, 'order fulfilled');
  maskLogger(child, SECRETS).warn({ reference: 'r' }, 'fulfil failed, will retry');

  expect(lines).toEqual([
    ['order fulfilled', { reference: 'r' }],
    ['fulfil failed, will retry', { reference: 'r' }],
  ]);
});

test("masks what a logger of the application's own gets, and takes whatever is logged (T77)", () => {
  const got: [object, string][] = [];
  const note = (fields: object, message: string) => void got.push([fields, message]);
  const log = maskLogger({ info: note, warn: note, error: note }, SECRETS);
  const text = `${Object.values(SECRETS).join(' ')} 4242 4242 4242 4242`;
  const circular: { self?: object } = {};
  circular.self = circular;

  log.debug({ text }, 'this logger takes no such line');
  log.info({ reference: 'shop-1', nested: { text } }, 'seen');
  log.error({ err: new Error(text) }, 'failed');
  log.warn(circular, 'odd');

  expect(got.map(([, message]) => message)).toEqual(['seen', 'failed', 'odd']);
  expect(got[0]![0]).toMatchObject({ reference: 'shop-1' });
  expect(got[1]![0]).toMatchObject({ err: { type: 'Error', message: expect.any(String) } });
  expect(JSON.stringify(got)).not.toMatch(/sec_canary|canary-session|4242 4242/);
});

test('keeps a little in memory if nobody reads it, and never waits (T91)', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', LOGGER], { env: {} });
  const ended = once(child, 'exit');
  const said = createInterface(child.stderr)[Symbol.asyncIterator]();
  expect((await said.next()).value).toBe('all is logged');

  child.stdin.end();
  let characters = 0;
  for await (const line of createInterface(child.stdout)) {
    expect(JSON.parse(line)).toMatchObject({ msg: 'something' });
    characters += line.length;
  }

  expect(characters).toBeLessThan(2_000_000);
  expect(await ended).toEqual([0, null]);
});

const LOGGER = `
  import { buildLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)};
  const log = buildLog(${JSON.stringify({ ...SECRETS, logLevel: 'info' })});
  for (let at = 0; at < 20_000; at++) {
    log.info({ at, text: 'x'.repeat(900) }, 'something');
    if (at % 100 === 0) await new Promise(setImmediate);
  }
  console.error('all is logged');
  process.stdin.resume();`;

describe('a line', () => {
  function logged(write: (log: ReturnType<typeof buildLog>) => void, config: object = {}): string {
    const lines: string[] = [];
    write(
      buildLog(
        { ...SECRETS, logLevel: 'trace', ...config },
        { write: (line) => void lines.push(line) },
      ),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/);
    expect(() => JSON.parse(lines[0]!)).not.toThrow();
    return lines[0]!;
  }

  test.each([
    'after a line break\n4242424242424242',
    'after a tab\t4242424242424242',
    'after a control character\u00014242424242424242',
    'after a backslash and a break\\\n4242424242424242',
    'with its expiry date 4242 4242 4242 4242 12/34',
    'with its security code 4242-4242-4242-4242 123',
    'behind a count 7 4242 4242 4242 4242',
    'twice 4242424242424242 5555555555554444',
    '"quoted" 4242424242424242"',
  ])('a line of the log shows no card number that stands %j (T77)', (text) => {
    expect(logged((log) => log.info({ text }, text))).not.toMatch(
      /4242.?4242.?4242.?4242|5555555555554444/,
    );
  });

  test.each([
    'postgres://shop:p%40ss%2Fword@db.example/shop',
    'postgres://shop@db.example/shop?sslmode=verify-full&password=p%40ss%2Fword',
    'postgres://shop:another@db.example/shop?password=another&password=p%40ss%2Fword',
  ])(
    'a line of the log shows no password of the database %s, as it is or as it is written in the address (T77)',
    (databaseUrl) => {
      const line = logged(
        (log) =>
          log.error({ err: new Error(`no pg_hba.conf entry for p@ss/word in ${databaseUrl}`) }),
        { databaseUrl },
      );

      expect(line).not.toMatch(/p@ss|p%40ss|another/);
    },
  );

  test('a line of the log tells of an error what it is and where, and none of its other members (T77)', () => {
    const error = Object.assign(new Error('duplicate key', { cause: new Error('the cause') }), {
      code: '23505',
      detail: 'Key (email)=(canary@example.com) already exists.',
      body: 'canary',
      toJSON: () => ({ message: 'as axios', config: { headers: { Authorization: 'canary' } } }),
    });

    const { err } = JSON.parse(logged((log) => log.error({ err: error }, 'failed')));

    expect(Object.keys(err)).toEqual(['type', 'message', 'stack', 'code']);
    expect(JSON.stringify(err)).not.toContain('canary');
    expect(err).toMatchObject({
      type: 'Error',
      code: '23505',
      message: expect.stringContaining('the cause'),
    });
  });

  test('a line of the log holds no character that acts on a terminal or turns the text around (T68, T77)', () => {
    const text = 'a\u0000\u0007\u001b[2J\r\n\u007f\u009b\u200f\u202e\u2028\u2066\ufeffb';

    const line = logged((log) => log.info({ text }, text));

    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is they that must not be there
    const isReadable = /^[^\u0000-\u001f\u007f-\u009f\u200f\u202e\u2028\u2066\ufeff]*$/;
    expect(line.slice(0, -1)).toMatch(isReadable);
    const shown = `a\u0000\u0007\u001b[2J\r\n${'\ufffd'.repeat(7)}b`;
    expect(JSON.parse(line)).toMatchObject({ text: shown, msg: shown });
  });

  test('a line of the log has no text of more than 4 000 characters, and says what happened (T77)', () => {
    const long = `${'x'.repeat(3_990)} sec_canary_old ${'x'.repeat(1_000_000)}`;

    for (const fields of [{ text: long }, { err: new Error(long) }, { nested: [{ long }] }]) {
      const line = logged((log) => log.warn(fields, 'what happened'));
      expect(line.length).toBeLessThan(10_000);
      expect(JSON.parse(line)).toMatchObject({ level: 40, msg: 'what happened' });
      expect(line).not.toContain('sec_');
    }
  });

  test('a line of the log is JSON and holds no secret, whatever it is made of (T77)', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...Object.values(SECRETS),
        '4242424242424242',
        ' ',
        '\n',
        '"',
        '\\',
        ':',
        'postgres://u:canary-pw@h/',
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const line = logged((log) => log.info({ text, nested: { list: [text] } }, 'seen'));
        for (const secret of [...Object.values(SECRETS), 'canary-pw@h'])
          expect(line).not.toContain(secret);
        expect(line).not.toContain(JSON.stringify(SECRETS.apiToken).slice(1, -1));
      }),
      { numRuns: 500 },
    );
  });
});
