import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type PackageFolder, pack } from './pack.ts';
import { ROOT, runProgram, runTool } from './run-tool.ts';

/** It may have to build first. */
const PATIENT_MS = 120_000;

/** How CommonJS looks for a package: ours is for modules alone. */
const NOT_FOR = ['node10', 'node16-cjs'];

/** As strict as a project can be, libraries looked into too. */
const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2024',
  module: 'nodenext',
  types: [],
  jsx: 'react-jsx',
};

const PAGE = `
import type { ServicePayElement, SuccessEvent } from '@service-pay/widget';
import type {} from '@service-pay/widget/jsx';

const load = (element: ServicePayElement | null): void => element?.preload();
const verify = ({ reference }: SuccessEvent): string => reference;

export const right = (
  <service-pay key="1" id="pay" ref={load} public-key="pub_1" amount="10.75" channels={['card']} customer={{ firstName: 'Ann' }}
    prepare={async () => ({ reference: 'order-1' })} onservice-pay-success={verify} onservice-pay-error={({ error }) => error.code}>
    <button>Pay</button>
  </service-pay>
);
// @ts-expect-error: an amount is a number or a text
export const wrongAmount = <service-pay amount={{}} />;
// @ts-expect-error: a page has no such property
export const wrongName = <service-pay amonut="10.75" />;
// @ts-expect-error: closing tells no reference
export const wrongEvent = <service-pay onservice-pay-close={verify} />;
`;

describe('the packed widget', () => {
  let folder: string;
  let tarball: Buffer;

  beforeAll(async () => {
    // Below node_modules, so that what the packages need is found as it would be when installed.
    folder = await mkdtemp(join(ROOT, 'node_modules/.widget-package-'));
    await install('contract');
    tarball = await readFile(await install('widget'));
  }, PATIENT_MS);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Packs a package and unpacks it below the folder, as installing does. Gives the tarball. */
  async function install(workspace: PackageFolder): Promise<string> {
    const packed = join(folder, await pack(workspace, folder));
    const target = join(folder, 'node_modules/@service-pay', workspace);
    await mkdir(target, { recursive: true });
    expect(await runProgram('tar', ['-xzf', packed, '-C', target, '--strip-components=1'])).toMatchObject({ exitCode: 0 });
    return packed;
  }

  it('has nothing publint would say', async () => {
    const { messages, pkg } = await publint({ pack: { tarball: toArrayBuffer(tarball) } });

    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it('has the right types for each of its entries', { timeout: PATIENT_MS }, async () => {
    const result = await checkPackage(createPackageFromTarballData(tarball));
    const problems = 'problems' in result ? result.problems : undefined;

    expect(problems?.filter((problem) => !('resolutionKind' in problem && NOT_FOR.includes(problem.resolutionKind)))).toEqual([]);
  });

  it('carries a manifest that names the attributes its element observes', async () => {
    const read = async (file: string) => readFile(join(folder, 'node_modules/@service-pay/widget', file), 'utf8');
    const { customElements } = JSON.parse(await read('package.json'));
    const { modules } = JSON.parse(await read(customElements));
    const [{ path, declarations }] = modules;
    const built = await import(join(folder, 'node_modules/@service-pay/widget', path));

    const [{ name, attributes }] = declarations;
    expect(attributes.map((attribute: { name: string }) => attribute.name)).toEqual(built[name].observedAttributes);
  });

  it.each(['react', 'preact'])('types <service-pay> in the JSX of %s', { timeout: PATIENT_MS }, async (framework) => {
    const project = join(folder, framework);
    await mkdir(project);
    await writeFile(join(project, 'page.tsx'), PAGE);
    const compilerOptions = { ...COMPILER_OPTIONS, jsxImportSource: framework };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }));

    const { exitCode, output } = await runTool('tsc', ['-p', project], { quiet: true });

    expect(output).toBe('');
    expect(exitCode).toBe(0);
  });
});

/** The bytes alone: a Buffer may lie in a pool with others. */
function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
