import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, runNode, runProgram, runTool } from '../programs/run-tool.ts';
import { buildPackedShop, type PackedShop } from './packed-shop.ts';

const PATIENT_MS = 120_000;

const MERCHANT = join(ROOT, 'e2e/merchant');

const PACKED = [
  /^LICENSE$/,
  /^README\.md$/,
  /^package\.json$/,
  /^(?:dist|src)\/routes\/openapi\/control-examples\.json$/,
  /^dist\/(?:(?!test\/)[a-z-]+\/)*[a-z0-9-]+\.(?:js|d\.ts)(?:\.map)?$/,
  /^src\/(?:(?!test\/)[a-z-]+\/)*[a-z0-9-]+\.ts$/,
  /^openapi\/[a-z-]+\.(?:postman_collection\.)?json$/,
  /^pages\/dist\/[a-z-]+\.(?:html|js|css|svg)$/,
];

/** A runner's words about a test that leaves something open. */
const LEFT_OPEN = /did not exit|open handle|close timed out|MaxListeners|force exited/i;

const CONSUMER = `
import { type Control, type Delivery, type FaultSettings, type Sandbox, type SandboxOptions, ControlError, startSandbox } from '@service-pay/sandbox';
import type * as playwright from '@service-pay/sandbox/playwright';

const options: SandboxOptions = { port: 0, clock: 'virtual', seed: 7 };
await using sandbox: Sandbox = await startSandbox(options);
const control: Control = sandbox.control;
const { now }: { now: string } = await control.advance(60);
const faults: FaultSettings = { webhooks: { drop: 1 } };
await control.setFaults(faults);
const deliveries: Delivery[] = await control.webhooks();
const statuses: string[] = deliveries.map(({ status }) => status);
export const seen = { now, statuses, wasRejected: new Error() instanceof ControlError };
// @ts-expect-error: time is in seconds
await control.advance('60');
// @ts-expect-error: no such option
await startSandbox({ prot: 4010 });
`;

/** Vitest does not report what a test leaves open, so this test file checks it. */
const LEAVES_NOTHING_OPEN = `
import { startSandbox } from '@service-pay/sandbox';
import { expect, test } from 'vitest';

const countOpen = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length;

test('a sandbox leaves nothing open', { timeout: 30_000 }, async () => {
  const before = countOpen();
  const { url, control, close } = await startSandbox();
  await control.putCollection({ reference: 'order-1' });
  await (await fetch(url + '/js/v1/integrity.json')).text();
  expect(countOpen()).toBeGreaterThan(before);

  await close();

  await expect.poll(countOpen, { timeout: 10_000 }).toBe(before);
});
`;

describe('the packed sandbox', () => {
  let shop: PackedShop;
  let tarball: string;

  beforeAll(async () => {
    shop = await buildPackedShop();
    tarball = shop.tarballs.sandbox;
  }, PATIENT_MS);

  afterAll(() => shop.remove());

  it('the packed sandbox has nothing publint would say', async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: toArrayBuffer(await readFile(tarball)) },
    });

    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it('the packed sandbox says which Node it needs', async () => {
    const manifest = join(shop.folder, 'node_modules/@service-pay/sandbox/package.json');

    expect(JSON.parse(await readFile(manifest, 'utf8')).engines).toEqual({ node: '>=22.19' });
  });

  it('the packed sandbox carries what is built, its types and pages, and no test', async () => {
    const { output } = await runProgram('tar', ['-tzf', tarball], { quiet: true });
    const files = output
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, ''));

    expect(files.filter((file) => !PACKED.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(PACKED.filter((pattern) => !files.some((file) => pattern.test(file)))).toEqual([]);
    expect(files).toContain('dist/cli/main.js');
  });

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])(
    'the packed sandbox has types for each of its entries that a consumer of module %s, moduleResolution %s, may use',
    { timeout: PATIENT_MS },
    async (module, moduleResolution) => {
      const project = await mkdtemp(join(shop.folder, 'types-'));
      await writeFile(join(project, 'shop.ts'), CONSUMER);
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2022',
      };
      const lib = ['es2024', 'esnext.disposable', 'dom']; // Playwright's types need the last
      await writeFile(
        join(project, 'tsconfig.json'),
        JSON.stringify({
          compilerOptions: { ...compilerOptions, lib, module, moduleResolution, types: ['node'] },
        }),
      );

      const { exitCode, output } = await runTool('tsc', ['-p', project], { quiet: true });

      expect(output).toBe('');
      expect(exitCode).toBe(0);
    },
  );

  it('the packed sandbox can be loaded with require, and leaves nothing open', async () => {
    const script =
      "require('@service-pay/sandbox').startSandbox().then((sandbox) => sandbox.close())";

    expect(await runNode(['-e', script], { cwd: shop.folder, quiet: true })).toEqual({
      exitCode: 0,
      output: '',
    });
  });

  it('the packed sandbox runs under node:test, and leaves nothing open', {
    timeout: PATIENT_MS,
  }, async () => {
    await cp(join(MERCHANT, 'node-test'), join(shop.folder, 'node-test'), { recursive: true });

    const { exitCode, output } = await runNode(
      ['--test', '--test-reporter=spec', 'node-test/**/*.test.js'],
      {
        cwd: shop.folder,
        quiet: true,
      },
    );

    expect(output).toMatch(/^ℹ fail 0$/m);
    expect(output).toMatch(/^ℹ pass [1-9]/m);
    expect(output).not.toMatch(LEFT_OPEN);
    expect(exitCode).toBe(0);
  });

  it('the packed sandbox runs under Vitest, and leaves nothing open', {
    timeout: PATIENT_MS,
  }, async () => {
    await cp(join(MERCHANT, 'vitest'), join(shop.folder, 'vitest'), { recursive: true });
    await writeFile(join(shop.folder, 'vitest/open.test.ts'), LEAVES_NOTHING_OPEN);

    const { exitCode, output } = await runTool(
      'vitest',
      ['run', '--root', 'vitest', '--reporter=verbose'],
      {
        cwd: shop.folder,
        quiet: true,
        env: { NO_COLOR: '1', VITEST: '' },
      },
    );

    expect(output).toMatch(/Tests +2 passed/);
    expect(output).not.toMatch(LEFT_OPEN);
    expect(exitCode).toBe(0);
  });
});

/** Copies the bytes, because a Buffer may share its memory with others. */
function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
