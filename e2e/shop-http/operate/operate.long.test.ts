import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../../scripts/programs/run-tool.ts';
import { findProgram } from '../../lab/find-program.ts';

const OPERATE = fileURLToPath(new URL('../../../server/operate/', import.meta.url));
const { panels: PANELS } = JSON.parse(
  readFileSync(join(OPERATE, 'grafana-dashboard.json'), 'utf8'),
) as { panels: { targets?: { expr: string }[] }[] };

const promtool = findProgram('promtool', '--version');

describe.skipIf(!promtool)(
  'promtool (skipped where the Debian package prometheus is not installed)',
  { timeout: 120_000 },
  () => {
    test('promtool accepts the rules', async () => {
      await expectToTake(['check', 'rules', 'alerts.yml']);
    });

    test('promtool accepts the settings that scrape', async () => {
      await expectToTake(['check', 'config', 'prometheus.yml']);
    });

    test('each rule fires when it should, and at no other time', async () => {
      await expectToTake(['test', 'rules', 'alerts.test.yml']);
    });

    test('promtool accepts every query of the dashboard', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'rules-'));
      const rules = PANELS.flatMap(({ targets = [] }) => targets).map(({ expr }, at) => ({
        record: `panel:${at}`,
        expr,
      }));
      writeFileSync(
        join(folder, 'panels.yml'),
        JSON.stringify({ groups: [{ name: 'panels', rules }] }),
      );

      const output = await expectToTake(['check', 'rules', 'panels.yml'], folder);

      expect(output).toContain(`${rules.length} rules found`);
      rmSync(folder, { recursive: true });
    });
  },
);

async function expectToTake(args: string[], cwd = OPERATE): Promise<string> {
  const { exitCode, output } = await runProgram(promtool as string, args, { cwd, quiet: true });
  expect(exitCode, output).toBe(0);
  return output;
}
