import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';

import { ROOT, runNode, runProgram } from './run-tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-pay-copy-'));

/** It installs from the registry and runs every test of the template. */
const PATIENT_MS = 10 * 60_000;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a copy of the template installs, tests and starts on its own', { timeout: PATIENT_MS }, async () => {
  const copy = join(folder, 'my shop');
  const quiet = { cwd: copy, quiet: true, env: withoutOurTools() };

  expect(await runNode([join(ROOT, 'scripts/copy-template.ts'), copy], { quiet: true })).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(copy, '.env'), 'utf8')).toMatch(/^SESSION_SECRET=[0-9a-f]{64}$/m);
  expect(statSync(join(copy, '.env')).mode & 0o077).toBe(0);
  expect(readFileSync(join(copy, '.gitignore'), 'utf8')).toContain('.env\n');

  const installed = await runProgram('npm', ['install', '--no-audit', '--no-fund'], quiet);
  expect(installed, installed.output).toMatchObject({ exitCode: 0 });
  const tested = await runProgram('npm', ['test'], quiet);
  expect(tested, tested.output).toMatchObject({ exitCode: 0 });

  const shop = spawn('npm', ['start'], { cwd: copy, env: { ...process.env, ...withoutOurTools(), PORT: '0' }, detached: true });
  const gone = once(shop, 'exit');
  let url: string | undefined;
  for await (const line of createInterface({ input: shop.stdout })) {
    [url] = /http:\/\/localhost:\d+/.exec(line) ?? [];
    if (url) break;
  }
  const answer = await fetch(`${url}/healthz`);
  process.kill(-shop.pid!, 'SIGTERM');
  await gone;

  expect(answer.status).toBe(200);
});

test('a folder that holds something already is left alone', async () => {
  const { exitCode, output } = await runNode([join(ROOT, 'scripts/copy-template.ts'), join(ROOT, 'docs')], { quiet: true });

  expect(exitCode).toBe(1);
  expect(output).toMatch(/is not empty/);
});

/** The machine's own tools and settings: nothing of this project's. */
function withoutOurTools(): Record<string, string> {
  const path = (process.env.PATH ?? '').split(':').filter((entry) => !entry.startsWith(ROOT));
  const ours = Object.keys(process.env).filter((name) =>
    /^(NODE_ENV$|VITEST|INIT_CWD$|PORT$|PUBLIC_URL$|DATABASE_URL$|SERVICE_PAY_|SESSION_SECRET$)/.test(name),
  );
  return { ...Object.fromEntries(ours.map((name) => [name, ''])), PATH: path.join(':') };
}
