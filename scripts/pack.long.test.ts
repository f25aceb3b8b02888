import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

import { PACKAGES } from './packages/packages.ts';
import { ROOT, runProgram } from './programs/run-tool.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-pay-packages-'));

const PATIENT_MS = 120_000;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('npm run pack writes each package into the folder and prints its name', {
  timeout: PATIENT_MS,
}, async () => {
  const { exitCode, output } = await npm('run', '--silent', 'pack', '--', join(folder, 'packages'));

  const files = readdirSync(join(folder, 'packages'));
  expect(exitCode, output).toBe(0);
  expect(output.trim().split('\n').sort()).toEqual(files.sort());
  expect(files.map((file) => file.replace(/-\d.*\.tgz$/, ''))).toEqual([
    'service-pay-contract',
    'service-pay-sandbox',
    'service-pay-server',
    'service-pay-widget',
  ]);
});

test('npm run pack without a folder names what is missing in one sentence', async () => {
  const { exitCode, output } = await npm('run', '--silent', 'pack');

  expect(exitCode).toBe(1);
  expect(output.trim()).toBe('Name a folder for the packages: npm run pack -- <folder>');
});

test.each(PACKAGES)('plain npm pack in %s fails and names npm run pack', async (workspace) => {
  const target = mkdtempSync(join(folder, 'plain-'));

  const { exitCode, output } = await runProgram('npm', ['pack', '--pack-destination', target], {
    cwd: join(ROOT, workspace),
    quiet: true,
  });

  expect(exitCode).not.toBe(0);
  expect(output).toContain('Pack it in the root of the project: npm run pack -- <folder>');
  expect(readdirSync(target)).toEqual([]);
});

function npm(...args: string[]) {
  return runProgram('npm', args, { quiet: true });
}
