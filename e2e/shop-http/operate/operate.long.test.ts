import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findProgram, runProgram } from '../../lab/programs.ts';

const OPERATE = fileURLToPath(new URL('../../../server/operate/', import.meta.url));
const { panels: PANELS } = JSON.parse(
  readFileSync(join(OPERATE, 'grafana-dashboard.json'), 'utf8'),
) as { panels: { targets?: { expr: string }[] }[] };

const promtool = findProgram('promtool', '--version');

describe.skipIf(!promtool)(
  'promtool (skipped where the Debian package prometheus is not installed)',
  { timeout: 120_000 },
  () => {
    test('takes the rules', () => {
      expect(
        runProgram(promtool as string, ['check', 'rules', 'alerts.yml'], OPERATE),
      ).toMatchObject({ status: 0 });
    });

    test('takes the settings that scrape', () => {
      expect(
        runProgram(promtool as string, ['check', 'config', 'prometheus.yml'], OPERATE),
      ).toMatchObject({ status: 0 });
    });

    test('sees each rule fire when it should, and at no other time', () => {
      expect(
        runProgram(promtool as string, ['test', 'rules', 'alerts.test.yml'], OPERATE),
      ).toMatchObject({ status: 0 });
    });

    test('takes every query of the dashboard', () => {
      const folder = mkdtempSync(join(tmpdir(), 'rules-'));
      const rules = PANELS.flatMap(({ targets = [] }) => targets).map(({ expr }, at) => ({
        record: `panel:${at}`,
        expr,
      }));
      writeFileSync(
        join(folder, 'panels.yml'),
        JSON.stringify({ groups: [{ name: 'panels', rules }] }),
      );

      const { status, output } = runProgram(
        promtool as string,
        ['check', 'rules', 'panels.yml'],
        folder,
      );

      expect(output).toContain(`${rules.length} rules found`);
      expect(status).toBe(0);
      rmSync(folder, { recursive: true });
    });
  },
);
