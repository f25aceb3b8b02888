import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackedShop, type PackedShop } from '../packages/packed-shop.ts';
import { runProgram } from '../programs/run-tool.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';

const PATIENT_MS = 120_000;

const has = (program: string) => spawnSync(program, ['--version']).status === 0;

describe('docs/testing.md', () => {
  let shop: PackedShop;

  beforeAll(async () => {
    shop = await buildPackedShop();
  }, PATIENT_MS);

  afterAll(() => shop.remove());

  it.skipIf(!has('python3'))(
    'docs/testing.md shows Python that works, and leaves nothing behind',
    { timeout: PATIENT_MS },
    async () => {
      const code = new MarkedPage('docs/testing.md').example('python');
      writeFileSync(join(shop.folder, 'shop.py'), `${code}\nprint(url)\n`);

      const { exitCode, output } = await runProgram('python3', ['shop.py'], {
        cwd: shop.folder,
        quiet: true,
        env: shop.env,
      });
      const [url = ''] = /http:\/\/localhost:\d+/.exec(output) ?? [];

      expect(exitCode, output).toBe(0);
      await expect
        .poll(
          () =>
            fetch(url).then(
              () => 'responds',
              () => 'gone',
            ),
          { timeout: 30_000 },
        )
        .toBe('gone');
    },
  );

  expectEveryBlockRun(['docs/testing.md'], has('python3') ? [] : ['python']);
});
