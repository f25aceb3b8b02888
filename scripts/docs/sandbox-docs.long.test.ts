import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildPackedShop, type PackedShop } from '../packages/packed-shop.ts';
import { ROOT, runProgram } from '../programs/run-tool.ts';
import { findFreePort } from '../programs/server-program.ts';

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
  let port: number;
  const groups: ChildProcess[] = [];

  beforeAll(async () => {
    shop = await buildPackedShop();
  }, PATIENT_MS);

  beforeEach(async () => {
    port = await findFreePort();
  });

  afterEach(() => {
    for (const { pid } of groups.splice(0)) killGroup(pid);
  });

  afterAll(() => shop.remove());

  /** Runs lines in a shell of their own. Background programs they start keep running. */
  async function sh(lines: string): Promise<number | null> {
    const shell = start(lines);
    const [exitCode] = (await once(shell, 'exit')) as [number | null];
    return exitCode;
  }

  function start(lines: string): ChildProcess {
    const shell = spawn('sh', ['-e', '-c', at(lines)], {
      cwd: shop.folder,
      env: { ...process.env, ...shop.env },
      stdio: 'ignore',
      detached: true,
    });
    groups.push(shell);
    return shell;
  }

  function at(text: string): string {
    return text.replaceAll('4010', `${port}`);
  }

  it('shows tests as they are run', () => {
    const files = RUN.map((file) => read(`e2e/merchant/${file}`));
    const examples = codeIn('js');

    expect(examples.length).toBeGreaterThan(RUN.length);
    expect(examples.filter((code) => !files.some((file) => file.includes(code)))).toEqual([]);
    expect(new Set(fences.map(({ language }) => language))).toEqual(
      new Set(['sh', 'js', 'python']),
    );
  });

  it.skipIf(!has('curl'))('shows commands that work', { timeout: PATIENT_MS }, async () => {
    const [program = '', ...calls] = codeIn('sh');
    start(`${program.trim()} --port 4010`);
    await answering();

    for (const lines of calls)
      expect(await sh(lines.replaceAll('curl ', 'curl --fail --silent ')), lines).toBe(0);
    expect(calls.length).toBeGreaterThan(0);
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

  async function answering(): Promise<void> {
    const isThere = () =>
      fetch(at('http://localhost:4010/_sandbox/clock')).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isThere, { timeout: 60_000 }).toBe(true);
  }
});

function killGroup(pid: number | undefined): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
