import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { integrityOf } from './served-copies.ts';
import { SIZE_BUDGETS } from './size-budgets.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CONFIG = join(ROOT, 'vite.config.ts');

const PATIENT_MS = 120_000;

/** Largest difference between a size in `docs/project/budgets.md` and the built one, in kB. */
const STATED_WITHIN_KB = 0.5;

describe('the built widget', () => {
  let folder: string;
  let frame: { form: number; one: number; all: number };

  beforeAll(async () => {
    // Below node_modules, so that imports resolve as in an installed package.
    folder = await mkdtemp(join(ROOT, 'node_modules/.widget-build-'));
    await build({ configFile: CONFIG, mode: 'inline', build: { outDir: join(folder, 'js') } });
    await build({ configFile: CONFIG, mode: 'flow', build: { outDir: join(folder, 'flow') } });
    await build({
      configFile: CONFIG,
      mode: 'checkout',
      build: { outDir: join(folder, 'checkout') },
    });
    await build({ configFile: CONFIG, mode: 'npm', build: { outDir: join(folder, 'npm') } });
    frame = await weighFrame();
  }, PATIENT_MS);

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('the built widget has a script within its budget (B1)', async () => {
    const bytes = await weigh('js/inline.js');

    expect(bytes).toBeGreaterThan(1_000);
    expectWithin(SIZE_BUDGETS.script, bytes);
  });

  it('the built widget has a script without what only the npm package needs: servers and unit tests', async () => {
    const script = await readFile(join(folder, 'js/inline.js'), 'utf8');

    expect(script.includes('this browser is too old')).toBe(true);
    expect(/jsdom|only a browser|PACKAGE/.exec(script)?.[0]).toBeUndefined();
  });

  it('the built widget has a page library within its budget (B11)', async () => {
    expectWithin(SIZE_BUDGETS.flow, await weigh('flow/flow.js'));
  });

  it('the built widget has a frame within its budgets, up to its form and in one language (B2, B3)', async () => {
    const page = await readFile(join(folder, 'checkout/index.html'), 'utf8');
    const files = [...page.matchAll(/(?:src|href)="\/checkout\/v1\/([^"]+)"/g)].map(
      ([, file]) => `checkout/${file}`,
    );

    expect(files.filter((file) => file.startsWith('checkout/assets/'))).toHaveLength(1);
    expect(await weigh('checkout/index.html', ...files)).toBe(frame.form);
    expectWithin(SIZE_BUDGETS.form, frame.form);
    expectWithin(SIZE_BUDGETS.frame, frame.one);
  });

  it('the built widget has the budgets and the sizes that the documents state', async () => {
    const text = await readFile(join(ROOT, 'docs/project/budgets.md'), 'utf8');
    const budgets = [...text.matchAll(/^\| B(?:1|2|3|11) \|.*\| ([\d.]+) kB \| [\d.]+ kB \|$/gm)];
    const { groups: stated = {} } =
      /`inline\.js` (?<script>[\d.]+) kB, the frame up to its form (?<form>[\d.]+) kB, all of it in one language (?<one>[\d.]+) kB and in all five (?<all>[\d.]+) kB/.exec(
        text.replaceAll('\n', ' '),
      ) ?? {};
    const built = { script: await weigh('js/inline.js'), ...frame };

    expect(budgets.map(([, kilobytes]) => Number(kilobytes))).toEqual(Object.values(SIZE_BUDGETS));
    for (const [name, bytes] of Object.entries(built)) {
      expect(
        Math.abs(Number(stated[name]) - bytes / 1_000),
        `${name}: ${bytes} bytes`,
      ).toBeLessThanOrEqual(STATED_WITHIN_KB);
    }
  });

  it('the built widget has a page inside the frame that runs no script but the one it was built with', async () => {
    const page = await readFile(join(folder, 'checkout/index.html'), 'utf8');
    const [, integrity, file] =
      /<script type="module" crossorigin integrity="(\S+)" src="\/checkout\/v1\/(\S+)">/.exec(
        page,
      ) ?? [];

    expect(integrity).toBe(integrityOf(await readFile(join(folder, 'checkout', `${file}`))));
  });

  function expectWithin(budget: number, bytes: number): void {
    const message = `${bytes} bytes: see "If a size test fails" in CONTRIBUTING.md`;
    expect(bytes, message).toBeLessThanOrEqual(budget * 1_000);
  }

  async function weighFrame(): Promise<typeof frame> {
    const page = 'checkout/index.html';
    const scripts = (await readdir(join(folder, 'checkout/assets'))).map(
      (name) => `checkout/assets/${name}`,
    );
    const words = scripts.filter((file) => /\/[a-z]{2}-[\w-]+\.js$/.test(file));
    expect(words).toHaveLength(4);
    const heaviest = Math.max(...(await Promise.all(words.map((file) => weigh(file)))));
    return {
      form: await weigh(page, ...scripts.filter((file) => file.includes('/index-'))),
      one: (await weigh(page, ...scripts.filter((file) => !words.includes(file)))) + heaviest,
      all: await weigh(page, ...scripts),
    };
  }

  async function weigh(...files: string[]): Promise<number> {
    const contents = await Promise.all(files.map((file) => readFile(join(folder, file))));
    const sizes = contents.map(
      (bytes) =>
        brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  it('the built widget can be imported on a server: the loader returns null, and a payment fails with a message (U7)', async () => {
    const program = join(folder, 'server.mjs');
    await writeFile(
      program,
      `import * as widget from './npm/index.js';
       import './npm/define.js';
       import './npm/jsx.js';
       import { loadServicePay } from './npm/loader.js';
       const rejected = [() => widget.getPaid({}), () => widget.preload({ key: 'pub_1' })].map((act) => {
         try { return act(); } catch ({ name, code, message }) { return [name, code, message]; }
       });
       console.log(JSON.stringify([
         Object.keys(widget).sort(), await loadServicePay('https://pay.example/js/v1/inline.js'), typeof customElements, ...rejected,
       ]));`,
    );
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program]);
    const rejection = ['ServicePayError', 'load_failed', expect.stringContaining('only a browser')];

    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([
      [
        'ClosedEvent',
        'ConfirmationPendingEvent',
        'PaymentErrorEvent',
        'ServicePayElement',
        'ServicePayError',
        'SuccessEvent',
        'configure',
        'getPaid',
        'isServicePayError',
        'preload',
      ],
      null,
      'undefined',
      rejection,
      rejection,
    ]);
  });
});
