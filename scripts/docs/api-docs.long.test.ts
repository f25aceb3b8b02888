import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../programs/run-tool.ts';
import { NOT_KNOWN, startStandIn } from './stand-in-service.ts';

interface Vector {
  name: string;
  token: string;
  body: string;
  signature: string;
  valid: boolean;
}

/** Looked up once: a version manager's shim starts slower than the programs here. */
const PYTHON =
  spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  }).stdout?.trim() || 'python3';

const PATIENCE_MS = 120_000;

const LANGUAGES = {
  sh: { run: ['sh'], ending: 'sh', probe: ['openssl', 'version'] },
  python: { run: [PYTHON], ending: 'py', probe: [PYTHON, '--version'] },
  php: {
    run: ['php'],
    ending: 'php',
    probe: [
      'php',
      '-r',
      'exit(function_exists("curl_init") && function_exists("bccomp") ? 0 : 1);',
    ],
  },
  go: { run: ['go', 'run'], ending: 'go', probe: ['go', 'version'] },
} as const;
type Language = keyof typeof LANGUAGES;

const VERIFYING = ['python', 'php', 'go'] as const;

const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
const { vectors } = JSON.parse(
  readFileSync(join(ROOT, 'contract/src/test-data/webhook-vectors.json'), 'utf8'),
) as { vectors: Vector[] };
const folder = mkdtempSync(join(tmpdir(), 'api-docs-'));
const languages = Object.keys(LANGUAGES) as Language[];
const runnable = languages.filter((language) => canRun(language));

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => sandbox.control.reset());

describe('the page for people of other languages', () => {
  test.each(runnable)(
    'has a signature check that judges every test vector correctly: %s (D41, T81–T83)',
    async (language) => {
      const verdicts: Pick<Vector, 'name' | 'valid'>[] = [];
      for (const { name, token, body, signature } of vectors) {
        const { exitCode } = await run(
          'signature',
          language,
          [signature],
          { SERVICE_PAY_API_TOKEN: token },
          body,
        );
        verdicts.push({ name, valid: exitCode === 0 });
      }

      expect(verdicts).toEqual(vectors.map(({ name, valid }) => ({ name, valid })));
    },
    PATIENCE_MS,
  );

  test.each(languages)(
    'has a check of signatures by the right hashes, the key as hex: %s (D41)',
    (language) => {
      const program = programOf('signature', language);

      expect(program).toMatch(/sha-?512/i);
      expect(program).toMatch(/sha-?256/i);
      expect(program).toMatch(
        {
          sh: /dgst -sha256 -r/,
          python: /sha256\(.+\)\.hexdigest/,
          php: /hash\('sha256', \$token\)/,
          go: /EncodeToString\(key/,
        }[language],
      );
    },
  );

  test.each(VERIFYING)(
    'has a program that compares amounts as decimals, escapes the reference and does not wait for ever: %s (D50, D52)',
    (language) => {
      const program = programOf('verify', language);

      expect(program).toMatch(
        {
          python: /Decimal\(payment\["amount"\]\)/,
          php: /bccomp\(\$payment\['amount'\]/,
          go: /big\.Rat\)\.SetString\(payment\.Amount/,
        }[language],
      );
      expect(program).toMatch(
        {
          python: /quote\(reference, safe=""\)/,
          php: /rawurlencode\(\$reference\)/,
          go: /PathEscape\(reference\)/,
        }[language],
      );
      expect(program).toMatch(/timeout[^\n]*10/i);
      expect(program).not.toMatch(/float|double/i);
    },
  );

  test('shows a call of curl that works', async () => {
    await sandbox.control.putCollection({ reference: 'order-1' });
    const [, command = ''] = /```sh\n(curl [\s\S]*?)```/.exec(page) ?? [];

    const { exitCode, output } = await start(['sh', '-c', command], settings());

    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      status: true,
      data: { reference: 'order-1', status: 'successful' },
    });
  });

  describe.each(VERIFYING.filter(canRun))('verifies in %s', (language) => {
    const verify = (...stored: readonly string[]) => run('verify', language, stored, settings());

    test('and says paid if reference, amount and currency match as decimals (D50)', async () => {
      await sandbox.control.putCollection({ reference: 'order-1', amount: '10.00' });

      expect((await verify('order-1', '10.00', 'ZMW')).output).toBe('paid\n');
      expect((await verify('order-1', '10', 'ZMW')).output).toBe('paid\n');
    });

    test.each([
      ['order-1', '10.01', 'ZMW'],
      ['order-1', '10.00', 'USD'],
    ])(
      'and says review where what was paid is not %s, %s %s (D51)',
      async (...stored: string[]) => {
        await sandbox.control.putCollection({ reference: 'order-1', amount: '10.00' });

        expect((await verify(...stored)).output).toBe('review\n');
      },
    );

    test.each([
      ['failed', 'failed'],
      ['pending', 'unknown'],
      ['pay-offline', 'unknown'],
      ['under-review', 'unknown'],
    ])('and takes a payment that is %s as %s (D32)', async (status, word) => {
      await sandbox.control.putCollection({ reference: 'order-1', status });

      expect((await verify('order-1', '10.00', 'ZMW')).output).toBe(`${word}\n`);
    });

    test('and takes a 404 as unknown (D35)', async () => {
      expect((await verify('order-none', '10.00', 'ZMW')).output).toBe('unknown\n');
    });

    test.each([
      { kind: 'status', status: 503 },
      { kind: 'garbage' },
      { kind: 'truncate' },
      { kind: 'reset' },
    ] as const)('and takes a fault as unknown: $kind (D52)', async (fault) => {
      await sandbox.control.putCollection({ reference: 'order-1' });
      await sandbox.control.setFaults({ merchantApi: { rate: 1, ...fault } });

      expect((await verify('order-1', '10.00', 'ZMW')).output).toBe('unknown\n');
    });

    test('and says neither paid nor failed if the answer is not sound (D50)', {
      timeout: PATIENCE_MS,
    }, async () => {
      const service = await startStandIn();
      const { 'that it refuses the token': _stops, ...answers } = NOT_KNOWN;

      for (const [what, answer] of Object.entries(answers)) {
        service.answer = answer;
        const environment = {
          ...settings(),
          SERVICE_PAY_API_URL: `http://localhost:${service.port}`,
        };
        const said = await run('verify', language, ['order-1', '92.50', 'ZMW'], environment);
        expect(said.output, `${what}: ${said.errors}`).toMatch(/^(?:unknown|review)\n$/);
        expect(said.errors, what).toBe('');
      }
      service.close();
    });

    test('and stops if the token is refused, without printing it (D53)', async () => {
      const { exitCode, output, errors } = await run(
        'verify',
        language,
        ['order-1', '10.00', 'ZMW'],
        settings('sec_refused'),
      );

      expect(exitCode).not.toBe(0);
      expect(output).toBe('');
      expect(errors).toContain('401');
      expect(errors).not.toContain('sec_refused');
    });
  });
});

function settings(token = 'sec_sandbox_demo'): Record<string, string> {
  return { SERVICE_PAY_API_URL: sandbox.url, SERVICE_PAY_API_TOKEN: token };
}

function canRun(language: Language): boolean {
  const [program, ...args] = LANGUAGES[language].probe;
  return spawnSync(program, args).status === 0;
}

function programOf(what: 'verify' | 'signature', language: Language): string {
  const [, program] =
    new RegExp(`<!-- ${what}: ${language} -->\\n\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(
      page,
    ) ?? [];
  if (!program) throw new Error(`docs/api.md has no ${what} in ${language}.`);
  return program;
}

function run(
  what: 'verify' | 'signature',
  language: Language,
  args: readonly string[],
  env: Record<string, string>,
  input = '',
) {
  const file = join(folder, `${what}.${LANGUAGES[language].ending}`);
  writeFileSync(file, programOf(what, language));
  return start([...LANGUAGES[language].run, file, ...args], env, input);
}

/** Runs a program without blocking: the sandbox of this process must answer it. */
function start(
  [program = '', ...args]: readonly string[],
  env: Record<string, string>,
  input = '',
) {
  return new Promise<{ exitCode: number; output: string; errors: string }>((resolve) => {
    const child = execFile(
      program,
      args,
      { env: { ...process.env, ...env } },
      (error, output, errors) => {
        resolve({
          exitCode: error ? (typeof error.code === 'number' ? error.code : 1) : 0,
          output,
          errors,
        });
      },
    );
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
