import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, runProgram, runTool } from '../programs/run-tool.ts';
import { UNLOCKED_INSTALL } from './installed-project.ts';
import { pack } from './pack.ts';
import type { PackageFolder } from './packages.ts';

const PATIENT_MS = 120_000;

const COMPILER_OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  target: 'es2024',
  types: [],
  jsx: 'react-jsx',
};

const PACKED = [
  /^LICENSE$/,
  /^README\.md$/,
  /^package\.json$/,
  /^dist\/npm\/types\/(?!.*(?:\btest\b|stand-in))(?:inline|flow)\/(?:(?:course|dom|frame|popup)\/)?[\w.-]+\.d\.ts(?:\.map)?$/,
  /^src\/(?!.*\.test\.)(?:inline|flow)\/(?:(?:course|dom|frame|popup|messages)\/)?[\w.-]+\.ts$/,
  /^dist\/npm\/[\w-]+\.js$/,
  /^dist\/npm\/[\w-]+\.js\.map$/,
  /^dist\/npm\/(?:custom-elements|accessible-names|vscode\.html-custom-data|web-types)\.json$/,
  /^dist\/js\/(?:v1|\d+\.\d+\.\d+)\/(?:inline|flow)\.js(?:\.br|\.gz)?$/,
  /^dist\/js\/(?:v1|\d+\.\d+\.\d+)\/words\/[a-z]{2}\.json(?:\.br|\.gz)?$/,
  /^dist\/js\/v1\/(?:integrity|scripts)\.json(?:\.br|\.gz)?$/,
  /^dist\/checkout\/v1\/index\.html(?:\.br|\.gz)?$/,
  /^dist\/checkout\/v1\/assets\/[\w-]+\.js(?:\.br|\.gz)?$/,
];

const PAGE = `
import type { ServicePayElement, SuccessEvent } from '@service-pay/widget';
import type {} from '@service-pay/widget/jsx';
import type * as define from '@service-pay/widget/define';
import type * as loader from '@service-pay/widget/loader';
import { stubPayment } from '@service-pay/widget/testing';

const load = (element: ServicePayElement | null): void => element?.preload();
const verify = ({ reference }: SuccessEvent): string => reference;

export const right = (
  <service-pay key="1" id="pay" ref={load} public-key="pub_1" amount="10.75" channels={['card']} customer={{ firstName: 'Ann' }}
    prepare={async () => ({ reference: 'order-1' })} onservice-pay-success={verify} onservice-pay-error={({ error }) => error.code}>
    <button>Pay</button>
  </service-pay>
);
export const byTag = () =>
  window.ServicePay?.getPaid({ key: 'pub_1', email: 'a@b.example', reference: 'r', amount: 1 }).close();
// @ts-expect-error: the script's tag may not have loaded
export const tooEarly = () => window.ServicePay.preload({ key: 'pub_1' });
// @ts-expect-error: an amount is a number or a text
export const wrongAmount = <service-pay amount={{}} />;
// @ts-expect-error: a page has no such property
export const wrongName = <service-pay amonut="10.75" />;
export const restore: () => void = stubPayment('confirmation-pending');
// @ts-expect-error: no such outcome
stubPayment('failed');
// @ts-expect-error: onClose has no reference
export const wrongEvent = <service-pay onservice-pay-close={verify} />;
`;

/** A page that takes the tag's types alone. */
const TAG = `
import type {} from '@service-pay/widget/jsx';

export const tag = <service-pay onservice-pay-success={({ reference }) => reference.trim()} />;
`;

/** A page of Solid, whose listeners are spelled in another way. */
const SOLID = `
import type { ServicePayElement } from '@service-pay/widget';
import type {} from '@service-pay/widget/jsx';

let element: ServicePayElement | undefined;
export const right = (
  <service-pay ref={element} class="pay" public-key="pub_1" channels={['card']}
    prepare={async () => ({ reference: 'order-1' })} on:service-pay-success={({ reference }) => reference.trim()}>
    <button>Pay</button>
  </service-pay>
);
// @ts-expect-error: a page has no such property
export const wrongName = <service-pay amonut="10.75" />;
// @ts-expect-error: onClose has no reference
export const wrongEvent = <service-pay on:service-pay-close={({ reference }) => reference} />;
`;

describe('the packed widget', () => {
  let folder: string;
  let packed: string;
  let tarball: Buffer;

  beforeAll(async () => {
    // Below node_modules, so that dependencies resolve as in an installed package.
    folder = await mkdtemp(join(ROOT, 'node_modules/.widget-package-'));
    await install('contract');
    packed = await install('widget');
    tarball = await readFile(packed);
  }, PATIENT_MS);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function install(workspace: PackageFolder): Promise<string> {
    const file = join(folder, await pack(workspace, folder));
    const target = join(folder, 'node_modules/@service-pay', workspace);
    await mkdir(target, { recursive: true });
    expect(
      await runProgram('tar', ['-xzf', file, '-C', target, '--strip-components=1']),
    ).toMatchObject({ exitCode: 0 });
    return file;
  }

  it('the packed widget has nothing publint would say', async () => {
    const { messages, pkg } = await publint({ pack: { tarball: toArrayBuffer(tarball) } });

    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it('the packed widget carries what is built, its types and source maps, and nothing else', async () => {
    const { output } = await runProgram('tar', ['-tzf', packed], { quiet: true });
    const files = output
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, ''));

    expect(files.filter((file) => !PACKED.some((pattern) => pattern.test(file)))).toEqual([]);
    for (const pattern of PACKED)
      expect(
        files.some((file) => pattern.test(file)),
        `${pattern}`,
      ).toBe(true);
  });

  it('the packed widget has source maps that lead to our sources, and that name nothing of the machine or of anybody else', async () => {
    const npm = join(folder, 'node_modules/@service-pay/widget/dist/npm');
    const scripts = (await readdir(npm)).filter((name) => name.endsWith('.js'));
    const maps = (await Promise.all(scripts.map((name) => readFile(join(npm, name), 'utf8'))))
      .flatMap((text) => /sourceMappingURL=(\S+)/.exec(text)?.slice(1) ?? [])
      .map((name) => join(npm, name));
    expect(maps.length).toBeGreaterThan(2);

    for (const file of maps) {
      const text = await readFile(file, 'utf8');
      const { sources, sourcesContent } = JSON.parse(text) as {
        sources: string[];
        sourcesContent: (string | null)[];
      };
      const isOurs = sources.map((source) =>
        /^@service-pay\/(?:widget|contract)\/src\/[\w./-]+\.ts$/.test(source),
      );
      expect(
        sources.filter(
          (source, at) =>
            !isOurs[at] && !/^(?:valibot\/dist\/|@lit\/reactive-element\/)/.test(source),
        ),
      ).toEqual([]);
      expect(sourcesContent.map((content) => content !== null)).toEqual(isOurs);
      expect(text).not.toMatch(/\/work\/|\/home\/|\/Users\/|sec_sandbox/);
      expect(text).not.toContain(ROOT);
    }
  });

  it('the packed widget has correct source maps for shortened literals', async () => {
    const npm = join(folder, 'node_modules/@service-pay/widget/dist/npm');
    const [name] = (await readdir(npm)).filter((file) => /^service-pay-.+\.js$/.test(file));
    const lines = (await readFile(join(npm, `${name}`), 'utf8')).split('\n');
    const map = JSON.parse(await readFile(join(npm, `${name}.map`), 'utf8')) as SourceMapPayload;
    const line = lines.findLastIndex((text) => text.includes('disconnectedCallback()'));

    const entry = new SourceMap(map).findEntry(line, lines[line]!.indexOf('disconnectedCallback'));

    if (!('originalLine' in entry)) throw new Error('The method is mapped nowhere.');
    expect(entry.originalSource).toBe('@service-pay/widget/src/inline/service-pay.ts');
    const original =
      map.sourcesContent[map.sources.indexOf(entry.originalSource)]!.split('\n')[
        entry.originalLine
      ];
    expect(original).toContain('disconnectedCallback()');
  });

  it('the packed widget carries a manifest, web-types and data for VS Code that name the attributes its element observes', async () => {
    const read = async (file: string) =>
      readFile(join(folder, 'node_modules/@service-pay/widget', file), 'utf8');
    const { customElements, 'web-types': webTypes } = JSON.parse(await read('package.json'));
    const { modules } = JSON.parse(await read(customElements));
    const { contributions } = JSON.parse(await read(webTypes));
    const { tags } = JSON.parse(await read('dist/npm/vscode.html-custom-data.json'));
    const [{ path, declarations }] = modules;
    const built = await import(join(folder, 'node_modules/@service-pay/widget', path));

    const [{ name, tagName }] = declarations;
    for (const [element] of [declarations, contributions.html.elements, tags]) {
      const names = element.attributes.map((attribute: { name: string }) => attribute.name);
      expect(names).toEqual(built[name].observedAttributes);
      expect(element.tagName ?? element.name).toBe(tagName);
    }
  });

  it('the packed widget stubs outcomes in happy-dom, for getPaid, the global and the element, and names the stub without it', {
    timeout: PATIENT_MS,
  }, async () => {
    const project = join(folder, 'happy');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "private": true }');
    const args = ['install', ...UNLOCKED_INSTALL, 'happy-dom@21.0.4'];
    const installed = await runProgram('npm', args, { cwd: project, quiet: true });
    expect(installed.exitCode, installed.output).toBe(0);
    const program = join(project, 'happy.mjs');
    await writeFile(
      program,
      `import { Window } from 'happy-dom';
       const page = new Window({ url: 'https://shop.example/' });
       for (const name of ['document', 'navigator', 'location', 'customElements', 'HTMLElement', 'MutationObserver', 'Event', 'addEventListener'])
         Object.defineProperty(globalThis, name, { value: page[name], configurable: true, writable: true });
       globalThis.window = globalThis.self = page;
       const { getPaid } = await import('@service-pay/widget');
       await import('@service-pay/widget/define');
       const { stubPayment } = await import('@service-pay/widget/testing');
       const seen = [];
       const order = { key: 'pub_1', email: 'ann@example.com', reference: 'order-1', amount: 10,
         onSuccess: ({ reference }) => seen.push('success ' + reference), onClose: () => seen.push('closed'),
         onConfirmationPending: () => seen.push('confirmation-pending') };
       const attempt = (act) => { try { act(); } catch ({ message }) { seen.push(message); } };
       attempt(() => getPaid(order));

       let restore = stubPayment('success');
       await getPaid(order).result;
       await globalThis.ServicePay.getPaid(order).result;
       attempt(() => getPaid({ ...order, amount: -1 }));
       restore();
       restore = stubPayment('confirmation-pending');
       const element = document.createElement('service-pay');
       element.publicKey = 'pub_1';
       element.email = order.email;
       element.prepare = async () => ({ reference: 'order-2', amount: '3.50' });
       for (const end of ['success', 'close', 'confirmation-pending', 'error'])
         document.addEventListener('service-pay-' + end, ({ type, error }) => seen.push(error ? error.code : type));
       document.body.append(element);
       await getPaid(order).result;
       element.dispatchEvent(new Event('pointerenter'));
       seen.push((await element.pay().result).reference);
       element.prepare = async () => { throw new Error('no stock') };
       console.error = () => {};
       await element.pay().result;
       element.prepare = async () => { throw new DOMException('', 'AbortError') };
       await element.pay().result;
       const handle = getPaid(order);
       handle.close();
       await handle.result;
       restore();
       attempt(() => getPaid(order));
       console.log(JSON.stringify([...seen, typeof globalThis.ServicePay, document.querySelectorAll('iframe').length]));`,
    );
    const { output } = await runProgram(process.execPath, [program], { quiet: true });
    const rejection = expect.stringContaining('use @service-pay/widget/testing in jsdom');

    expect(JSON.parse(output)).toEqual([
      rejection,
      ...['success order-1', 'success order-1'],
      expect.stringContaining('amount must be'),
      'confirmation-pending',
      ...['service-pay-confirmation-pending', 'order-2'],
      ...['prepare_failed', 'service-pay-close'],
      'service-pay-close',
      'closed',
      rejection,
      'undefined',
      0,
    ]);
  });

  it('the packed widget has types for <service-pay> in the JSX of Solid', {
    timeout: PATIENT_MS,
  }, async () => {
    const project = join(folder, 'solid');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    const args = ['install', ...UNLOCKED_INSTALL, 'solid-js@1.9.19'];
    const installed = await runProgram('npm', args, { cwd: project, quiet: true });
    expect(installed.exitCode, installed.output).toBe(0);
    // beside it, as npm would install both
    await cp(
      join(folder, 'node_modules/@service-pay'),
      join(project, 'node_modules/@service-pay'),
      {
        recursive: true,
      },
    );
    const module = { module: 'nodenext', jsx: 'preserve', jsxImportSource: 'solid-js' };
    const compilerOptions = { ...COMPILER_OPTIONS, ...module };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await writeFile(join(project, 'page.tsx'), SOLID);

    const { exitCode, output } = await runTool('tsc', ['-p', project], { quiet: true });

    expect([exitCode, output]).toEqual([0, '']);
  });

  it.each([
    ['react', 'nodenext', 'nodenext'],
    ['preact', 'esnext', 'bundler'],
  ])(
    'the packed widget has types for each of its entries, and <service-pay> in the JSX of %s (module %s, moduleResolution %s)',
    { timeout: PATIENT_MS },
    async (framework, module, moduleResolution) => {
      const project = join(folder, framework);
      await mkdir(project);
      const compilerOptions = {
        ...COMPILER_OPTIONS,
        module,
        moduleResolution,
        jsxImportSource: framework,
      };
      await writeFile(
        join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, include: ['.'] }),
      );

      for (const source of [PAGE, TAG]) {
        await writeFile(join(project, 'page.tsx'), source);
        const { exitCode, output } = await runTool('tsc', ['-p', project], { quiet: true });

        expect([exitCode, output]).toEqual([0, '']);
      }
    },
  );
});

function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
