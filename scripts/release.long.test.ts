import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

import { PACKAGES } from './packages/packages.ts';
import { ROOT, runProgram } from './programs/run-tool.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'service-pay-release-')), 'out');

const PATIENT_MS = 3 * 60_000;

afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const VERSION = '99.0.0';

test('a dry run of npm run release packs the new version everywhere, with notes, bills and checksums', {
  timeout: PATIENT_MS,
}, async () => {
  const { exitCode, output } = await runProgram(
    'npm',
    ['run', '--silent', 'release', '--', '--version', VERSION, '--dry-run', '--folder', folder],
    { quiet: true },
  );

  expect(exitCode, output).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(
    [
      'NOTES.md',
      'image',
      'SHA256SUMS',
      'scripts.json',
      ...PACKAGES.map((name) => `${name}.cdx.json`),
      ...PACKAGES.map((name) => `service-pay-${name}-${VERSION}.tgz`),
      `create-service-pay-${VERSION}.tgz`,
    ].sort(),
  );
  const bill = JSON.parse(readFileSync(join(folder, 'server.cdx.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8'));
  const named = bill.components.map(({ group, name }: { group?: string; name: string }) =>
    group ? `${group}/${name}` : name,
  );
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(bill.metadata.component.purl).toBe(`pkg:npm/%40service-pay/server@${VERSION}`);
  for (const dependency of Object.keys(manifest.dependencies)) expect(named).toContain(dependency);
  expect(readFileSync(join(folder, 'NOTES.md'), 'utf8')).not.toMatch(/\]\((?!https:)/);
  for (const line of readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n')) {
    const [sum, file = ''] = line.split('  ');
    const bytes = readFileSync(join(folder, file));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(sum);
  }
});
