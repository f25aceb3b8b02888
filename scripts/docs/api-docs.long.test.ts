import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collection } from '@service-pay/contract/collection';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { type Delivery, type Sandbox, startSandbox } from '@service-pay/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../programs/run-tool.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';

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
  php: { run: ['php'], ending: 'php', probe: ['php', '--version'] },
  go: { run: ['go', 'run'], ending: 'go', probe: ['go', 'version'] },
} as const;
type Language = keyof typeof LANGUAGES;

const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
const marked = new MarkedPage('docs/api.md');
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
    'the page for people of other languages has a signature check that judges every test vector correctly: %s (D41, T81–T83)',
    async (language) => {
      const verdicts: Pick<Vector, 'name' | 'valid'>[] = [];
      for (const { name, token, body, signature } of vectors) {
        const { exitCode } = await run(
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
    'the page for people of other languages has a check of signatures by the right hashes, the key as hex: %s (D41)',
    (language) => {
      const program = programOf(language);

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

  test.skipIf(!canRun('sh'))(
    'the page for people of other languages shows by hand how a body is signed (D41)',
    async () => {
      const { output } = await start(['sh', '-c', marked.command('signature')], {});
      const [, first, last] = /^It begins with `(\w+)` and ends with `(\w+)`\.$/m.exec(page) ?? [];
      const body = '{"event":"collection.successful","data":{"reference":"order-1"}}';

      expect(output.trim()).toBe(signWebhook(body, 'sec_sandbox_demo'));
      expect(output).toMatch(new RegExp(`^${first}[0-9a-f]+${last}\n$`));
    },
  );

  test('the page for people of other languages shows the verify response and the webhook that the sandbox sends', async () => {
    const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const { data } = JSON.parse(shown) as { data: Collection };
    const { id, initiatedAt, completedAt, amount, settlement } = data;
    const paidOut = settlement!;
    await sandbox.control.putMerchant('pub_sandbox_demo', {
      webhookUrl: 'http://localhost:9/webhooks/service-pay',
    });
    await sandbox.control.putCollection({
      ...{ reference: 'order-1', id, initiatedAt, completedAt, amount, notify: true },
      serviceReference: '000000001',
      settlement: {
        id: paidOut.id,
        createdAt: paidOut.createdAt,
        settledAt: paidOut.settledAt,
      },
      mobileMoneyDetails: { operatorTransactionId: 'SANDBOX-000001' },
    });
    const [{ body }] = (await sandbox.control.webhooks()) as [Delivery];

    expect(JSON.parse(shown)).toEqual({ status: true, message: '', data });
    expect(JSON.parse(body)).toEqual({ event: 'collection.successful', data });
    expect(page).toContain(`X-ServicePay-Signature: ${signWebhook(body, 'sec_sandbox_demo')}`);
    expect(page).toContain(/^\{.*?"id":"[\w-]+",/.exec(body)?.[0]);
  });

  test('the page for people of other languages shows a call of curl that works', async () => {
    await sandbox.control.putCollection({ reference: 'order-1' });
    const [, command = ''] = /```sh\n(curl [\s\S]*?)```/.exec(page) ?? [];

    const { exitCode, output } = await start(['sh', '-c', command], settings());

    expect(exitCode).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      status: true,
      data: { reference: 'order-1', status: 'successful' },
    });
  });
});

expectEveryBlockRun(['docs/api.md'], ['verify.ts', 'check.py']); // openapi-clients.long.test.ts runs them

function settings(): Record<string, string> {
  return { SERVICE_PAY_API_URL: sandbox.url, SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo' };
}

function canRun(language: Language): boolean {
  const [program, ...args] = LANGUAGES[language].probe;
  return spawnSync(program, args).status === 0;
}

function programOf(language: Language): string {
  return marked.example(language);
}

function run(language: Language, args: readonly string[], env: Record<string, string>, input = '') {
  const file = join(folder, `signature.${LANGUAGES[language].ending}`);
  writeFileSync(file, programOf(language));
  return start([...LANGUAGES[language].run, file, ...args], env, input);
}

/** Runs a program without blocking: the sandbox of this process must respond to it. */
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
