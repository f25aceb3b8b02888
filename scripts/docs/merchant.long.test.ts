import { cpSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UNLOCKED_INSTALL } from '../packages/installed-project.ts';
import { pack } from '../packages/pack.ts';
import { PACKAGES } from '../packages/packages.ts';
import { requireHeadlessShell } from '../programs/find-browser.ts';
import { ROOT, runProgram } from '../programs/run-tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-pay-merchant-'));
const merchant = join(folder, 'merchant');

const PATIENT_MS = 5 * 60_000;

beforeAll(async () => {
  cpSync(join(ROOT, 'e2e/merchant'), merchant, {
    recursive: true,
    filter: (file) => !file.includes('node_modules'),
  });
  const tarballs: string[] = [];
  for (const workspace of PACKAGES) tarballs.push(join(folder, await pack(workspace, folder)));
  // A merchant's manifest names them, with the versions of the registry.
  await npm('install', '--no-save', ...UNLOCKED_INSTALL, ...tarballs);
}, PATIENT_MS);

afterAll(() => rm(folder, { recursive: true, force: true }), PATIENT_MS);

describe("a merchant's repository, with what is published", () => {
  test("a merchant's repository has types that fit", { timeout: PATIENT_MS }, async () => {
    expect(await npm('run', 'test:types')).toContain('tsc');
  });

  test("a merchant's repository tests its server with Vitest: forged webhooks, a day's retries, another amount", {
    timeout: PATIENT_MS,
  }, async () => {
    expect(
      countPassed(await npm('run', 'test:server'), /Tests\s+(\d+) passed/),
    ).toBeGreaterThanOrEqual(6);
  });

  test("a merchant's repository tests its pages with Playwright and the page objects", {
    timeout: PATIENT_MS,
  }, async () => {
    expect(countPassed(await npm('run', 'test:pages'), /(\d+) passed/)).toBeGreaterThanOrEqual(15);
  });

  test.each([
    ['Jest', 'test:jest', /Tests: +(\d+) passed/],
    ['node:test', 'test:node', /^(?:ℹ|#) pass (\d+)/m],
  ])(
    "a merchant's repository runs its tests under %s, which leave nothing open",
    { timeout: PATIENT_MS },
    async (_runner, script, line) => {
      const output = await npm('run', script);

      expect(countPassed(output, line)).toBeGreaterThanOrEqual(2);
      expect(output).not.toMatch(/did not exit|open handle|force exited/i);
    },
  );
});

async function npm(...args: string[]): Promise<string> {
  const { exitCode, output } = await runProgram('npm', args, {
    cwd: merchant,
    quiet: true,
    env: withoutOurTools(),
  });
  if (exitCode !== 0) throw new Error(`npm ${args.slice(0, 2).join(' ')} failed:\n${output}`);
  return output;
}

/** Returns 0 if the runner printed no total. */
function countPassed(output: string, line: RegExp): number {
  return Number(line.exec(output)?.[1] ?? 0);
}

function withoutOurTools(): Record<string, string> {
  const ours = Object.keys(process.env).filter((name) =>
    /^(?:NODE_ENV|VITEST|INIT_CWD|npm_)/.test(name),
  );
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(ROOT));
  return {
    ...Object.fromEntries(ours.map((name) => [name, ''])),
    PATH: [dirname(process.execPath), ...path].join(delimiter),
    BROWSER_PATH: requireHeadlessShell(),
    NO_COLOR: '1',
    FORCE_COLOR: '0',
  };
}
