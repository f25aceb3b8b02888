import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CONFIG = join(ROOT, 'vite.config.ts');

/** Budget B1, in bytes of brotli at quality 11; measured: 8 400 on 2026-11-20. */
const MOST_BYTES = 10_500;

describe('the built widget', () => {
  let folder: string;

  beforeAll(async () => {
    // Below node_modules, so that the package's entries find their imports as they would when installed.
    folder = await mkdtemp(join(ROOT, 'node_modules/.widget-build-'));
    await build({ configFile: CONFIG, mode: 'inline', build: { outDir: join(folder, 'js') } });
    await build({ configFile: CONFIG, mode: 'npm', build: { outDir: join(folder, 'npm') } });
  });

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('has a script of at most 10.5 kB (B1)', async () => {
    const script = await readFile(join(folder, 'js/inline.js'));
    const { length } = brotliCompressSync(script, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

    expect(length).toBeGreaterThan(1_000);
    expect(length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('can be imported on a server, where nothing happens and the loader gives null (U7)', async () => {
    const program = join(folder, 'server.mjs');
    await writeFile(
      program,
      `import * as widget from './npm/index.js';
       import { loadServicePay } from './npm/loader.js';
       console.log(JSON.stringify([Object.keys(widget).sort(), await loadServicePay('https://pay.example/js/v1/inline.js')]));`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [program]);

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
    ]);
  });
});
