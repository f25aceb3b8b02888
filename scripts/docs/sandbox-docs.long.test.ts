import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPackedShop, type PackedShop } from '../packages/packed-shop.ts';
import { ROOT, runProgram } from '../programs/run-tool.ts';

const PATIENT_MS = 120_000;

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const page = read('docs/sandbox.md');

const fences = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', code = '']) => ({ language, code }),
);
const codeIn = (...languages: string[]) =>
  fences.filter(({ language }) => languages.includes(language)).map(({ code }) => code);

const RUN = ['node-test/payments.test.js', 'node-test/recipes.test.js'];

const has = (program: string) => spawnSync(program, ['--version']).status === 0;

describe('docs/sandbox.md', () => {
  let shop: PackedShop;

  beforeAll(async () => {
    shop = await buildPackedShop();
  }, PATIENT_MS);

  afterAll(() => shop.remove());

  it('shows tests as they are run', () => {
    const files = RUN.map((file) => read(`e2e/merchant/${file}`));
    const examples = codeIn('js');

    expect(examples.length).toBeGreaterThan(RUN.length);
    expect(examples.filter((code) => !files.some((file) => file.includes(code)))).toEqual([]);
    expect(new Set(fences.map(({ language }) => language))).toEqual(
      new Set(['sh', 'js', 'python']),
    );
  });

  it.skipIf(!has('python3'))(
    'shows Python that works, and leaves nothing behind',
    { timeout: PATIENT_MS },
    async () => {
      const [code = ''] = codeIn('python');
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
              () => 'answers',
              () => 'gone',
            ),
          { timeout: 30_000 },
        )
        .toBe('gone');
    },
  );
});
