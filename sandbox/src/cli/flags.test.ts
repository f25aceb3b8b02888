import { describe, expect, test } from 'vitest';

import { parseConfig, USAGE } from './flags.ts';

const optionsOf = (args: string[], env = {}) => parseConfig(args, env).options;
const problemsOf = (args: string[], env = {}) => {
  try {
    parseConfig(args, env);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
};

describe('the command line', () => {
  test('the command line has defaults and prefers flags to the environment', () => {
    const given = [
      '--webhook-url',
      'http://localhost:3000/x',
      '--state=a.json',
      '--seed',
      '7',
      '--history',
      '9',
      '--clock',
      'virtual',
    ];

    expect(parseConfig([], {})).toEqual({
      task: 'serve',
      logLevel: 'info',
      isRunByNpx: false,
      exitsWithStdin: false,
      options: { port: 4010 },
    });
    expect(optionsOf([], { SANDBOX_PORT: '0', SANDBOX_TOKEN: 'long-enough' })).toEqual({
      port: 0,
      token: 'long-enough',
    });
    expect(optionsOf([], { SANDBOX_PORT: '', SANDBOX_TOKEN: '', LOG_LEVEL: '' })).toEqual({
      port: 4010,
    });
    expect(optionsOf(['--port', '5000'], { SANDBOX_PORT: '0' }).port).toBe(5000);
    const SANDBOX_WEBHOOK_URL = 'http://shop:3000/hook';
    expect(optionsOf([], { SANDBOX_WEBHOOK_URL }).webhookUrl).toBe(SANDBOX_WEBHOOK_URL);
    expect(optionsOf(given)).toEqual({
      port: 4010,
      webhookUrl: 'http://localhost:3000/x',
      state: 'a.json',
      seed: 7,
      historyLimit: 9,
      clock: 'virtual',
    });
  });

  test('the command line takes several host names', () => {
    expect(optionsOf(['--host', '0.0.0.0', '--host=sandbox.internal']).host).toEqual([
      '0.0.0.0',
      'sandbox.internal',
    ]);
    expect(problemsOf(['--host', 'sandbox', '--host', 'a b'])).toEqual([
      '--host must be a host name or an IP address, without port.',
    ]);
  });

  test('the program ends with stdin only with --exit-with-stdin', () => {
    expect(parseConfig(['--exit-with-stdin'], {}).exitsWithStdin).toBe(true);
    expect(problemsOf(['--exit-with-stdin=yes'])).toEqual(['--exit-with-stdin takes no value.']);
  });

  test('the command line names every problem at once without values', () => {
    const flags = [
      '--port',
      'canary',
      '--host',
      'a b',
      '--webhook-url',
      'ftp://canary',
      '--state',
      '',
      '--seed',
      '1.5',
      '--history',
      '0',
    ];
    const problems = problemsOf([...flags, '--clock', 'canary'], {
      SANDBOX_TOKEN: 'canary',
      LOG_LEVEL: 'canary',
    });

    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(
      expect.arrayContaining([
        '--port',
        '--host',
        '--webhook-url',
        '--state',
        '--seed',
        '--history',
        '--clock',
        'SANDBOX_TOKEN',
        'LOG_LEVEL',
      ]),
    );
    expect(problems).toHaveLength(9);
    expect(problems.join()).not.toContain('canary');
  });

  test.each([
    [['--prot', '1'], '--prot is not a flag'],
    [['-p', '1'], '-p is not a flag'],
    [['4010'], 'Use flags only'],
    [['--', '4010'], 'Use flags only'],
    [['--port'], '--port needs a value'],
    [['--port='], '--port needs a value'],
    [['--host', '--port', '1'], '--host needs a value'],
    [['--port', '1', '--port', '2'], '--port appears twice'],
    [['--help=yes'], '--help takes no value'],
    [['--port', '65536'], '--port must be a whole number'],
    [['--port', ' 1'], '--port must be a whole number'],
    [['--port', '1e3'], '--port must be a whole number'],
    [['--seed', '4294967296'], '--seed must be a whole number'],
    [
      ['--webhook-url', 'http://user:canary@localhost/'],
      '--webhook-url must be an http(s) URL without user name',
    ],
    [['--webhook-url', 'localhost:3000/x'], '--webhook-url must be an http(s) URL'],
  ])('the command line rejects %j', (args, problem) => {
    expect(problemsOf(args).some((line) => line.startsWith(problem))).toBe(true);
    expect(problemsOf(args).join()).not.toContain('canary');
  });

  test('the command line reports each mistake once: the word after such a flag is its value', () => {
    expect(problemsOf(['--prot', '4010'])).toEqual(['--prot is not a flag.']);
    expect(problemsOf(['--host', '--clock', 'virtual'])).toEqual(['--host needs a value.']);
    expect(problemsOf(['--prot=1', '4010', '4011'])).toEqual([
      '--prot is not a flag.',
      'Use flags only, such as --port 4010.',
    ]);
  });

  test('the command line names the source of a wrong port', () => {
    expect(problemsOf([], { SANDBOX_PORT: 'canary' })).toEqual([
      'SANDBOX_PORT must be a whole number from 0 to 65535.',
    ]);
  });

  test('the command line documents each flag and each setting in --help, in lines of at most 100 characters', () => {
    for (const name of [
      '--port',
      '--webhook-url',
      '--state',
      '--clock',
      '--seed',
      '--history',
      '--host',
      '--exit-with-stdin',
      '--help',
      '--version',
    ])
      expect(USAGE).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
    for (const name of ['SANDBOX_PORT', 'SANDBOX_TOKEN', 'LOG_LEVEL'])
      expect(USAGE).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
    expect(USAGE.split('\n').filter((line) => line.length > 100)).toEqual([]);
    const examples = [
      ...USAGE.matchAll(/^ +(?:SANDBOX_TOKEN=[\w-]+ )?npx --no -- service-pay-sandbox (--.+)$/gm),
    ];
    expect(examples).toHaveLength(4);
    for (const [, command = ''] of examples)
      expect(problemsOf(command.split(' ')), command).toEqual([]);
  });
});
