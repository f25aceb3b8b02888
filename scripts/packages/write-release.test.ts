import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { ROOT, runNode } from '../programs/run-tool.ts';

test('a tag that is not the version of the packages stops the release before anything is written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  const program = join(ROOT, 'scripts/packages/write-release.ts');

  const { exitCode, output } = await runNode([program, folder, 'v99.0.0'], { quiet: true });

  expect(exitCode).toBe(1);
  expect(output).toMatch(
    /^The tag v99\.0\.0 is not the version of the packages\. Delete it, and push v\d+\.\d+\.\d+ instead\.\n$/,
  );
  expect(readdirSync(folder)).toEqual([]);
});
