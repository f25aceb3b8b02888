import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT, runTool } from '../programs/run-tool.ts';

const BROKEN: [wall: string, file: string, line: string][] = [
  [
    'the contract imports nothing of ours',
    'contract/src/bad.ts',
    "import '@service-pay/widget/define';",
  ],
  ['the contract does no I/O', 'contract/src/io.ts', "import 'node:fs';"],
  ['a signature needs no file', 'contract/src/webhook-signature.ts', "import 'node:fs';"],
  [
    'no webhook is signed in a browser',
    'widget/src/checkout/bad.ts',
    "import '@service-pay/contract/webhook-signature';",
  ],
  [
    'a workspace is crossed by package name alone',
    'sandbox/src/bad.ts',
    "import '../../contract/src/money.ts';",
  ],
  [
    'the page does not import the frame',
    'widget/src/inline/bad.ts',
    "import '../checkout/card-form.ts';",
  ],
  [
    'the frame does not import the page',
    'widget/src/checkout/bad.ts',
    "import '../inline/outcome.ts';",
  ],
  [
    'the page does not import the gallery',
    'widget/src/inline/show.ts',
    "import '../gallery/stage.ts';",
  ],
  [
    'the frame does not import the gallery',
    'widget/src/checkout/show.ts',
    "import '../gallery/stage.ts';",
  ],
  ['the page leaves big.js out', 'widget/src/inline/big.ts', "import 'big.js';"],
  [
    'the widget does not import the sandbox',
    'widget/src/inline/sandbox.ts',
    "import '@service-pay/sandbox';",
  ],
  [
    'the shop does not import the sandbox outside its tests',
    'bff-example/src/bad.ts',
    "import '@service-pay/sandbox';",
  ],
  [
    'the sandbox does not import the shop',
    'sandbox/src/shop.ts',
    "import '@service-pay/bff-example';",
  ],
  [
    'the server package imports the contract alone',
    'server/src/sandbox.ts',
    "import '@service-pay/sandbox';",
  ],
  [
    'the server package does not import the shop',
    'server/src/shop.ts',
    "import '@service-pay/bff-example';",
  ],
  [
    'nothing imports the end-to-end tests',
    'bff-example/src/e2e.ts',
    "import '../../e2e/stack.ts';",
  ],
  ['no package imports the scripts', 'sandbox/src/tool.ts', "import '../../scripts/start.ts';"],
  [
    'tests of the server package cross workspaces by package name',
    'server/test/bad.ts',
    "import '../../sandbox/src/start.ts';",
  ],
  [
    'end-to-end tests cross workspaces by package name',
    'e2e/popup/bad.ts',
    "import '../../widget/src/inline/get-paid.ts';",
  ],
  ['scripts do not import end-to-end tests', 'scripts/bad.ts', "import '../e2e/lab/load.ts';"],
  [
    'the environment is read in config.ts alone',
    'bff-example/src/env.ts',
    'export const token = process.env.TOKEN;',
  ],
  ['a server asks its clock for the time', 'sandbox/src/now.ts', 'export const now = Date.now();'],
  [
    'a server asks its clock for the date',
    'bff-example/src/date.ts',
    'export const now = new Date();',
  ],
  [
    'a server asks its clock to wait',
    'bff-example/src/wait.ts',
    'setTimeout(() => undefined, 10);',
  ],
  [
    'a server waits on no timer promise',
    'sandbox/src/pause.ts',
    "import { setTimeout as pause } from 'node:timers/promises';\nexport { pause };",
  ],
  [
    'text is never written as markup',
    'widget/src/inline/markup.ts',
    "document.body.innerHTML = '<b>';",
  ],
  [
    'text is never inserted as markup',
    'public/markup.js',
    "document.body.insertAdjacentHTML('beforeend', '<b>');",
  ],
  [
    'Lit writes no unsafe markup',
    'widget/src/checkout/unsafe.ts',
    "import { unsafeHTML } from 'lit/directives/unsafe-html.js';\nexport { unsafeHTML };",
  ],
  [
    'a message names its target origin',
    'widget/src/checkout/star.ts',
    "window.parent.postMessage({}, '*');",
  ],
  [
    'a message with a port names its target origin',
    'widget/src/inline/port.ts',
    "window.postMessage({}, '*', [new MessageChannel().port1]);",
  ],
  [
    'a message with options names its target origin',
    'widget/src/inline/options.ts',
    "window.postMessage({}, { targetOrigin: '*' });",
  ],
  [
    'a message to a window that may be gone names its target origin',
    'widget/src/inline/maybe.ts',
    "window.frames[0]?.postMessage({}, '*', [new MessageChannel().port1]);",
  ],
  [
    'a message without a window named names its target origin',
    'widget/src/inline/bare.ts',
    "postMessage({}, '*');",
  ],
  [
    'an origin is compared whole (T23)',
    'widget/src/inline/origin.ts',
    "export const is = (event: MessageEvent) => event.origin.endsWith('.example');",
  ],
  [
    'an origin that may be missing is compared whole (T23)',
    'widget/src/inline/maybe-origin.ts',
    "export const is = (event?: MessageEvent) => event?.origin?.endsWith('.example');",
  ],
  [
    'a secret is compared in constant time',
    'bff-example/src/equals.ts',
    'export const is = (given: Buffer, made: Buffer) => given.equals(made);',
  ],
  [
    'a secret is compared in constant time, also in the order of bytes',
    'sandbox/src/compare.ts',
    'export const is = (given: Buffer, made: Buffer) => Buffer.compare(given, made) === 0;',
  ],
  [
    'a signature is compared in constant time, also as text',
    'bff-example/src/signature.ts',
    "export const is = (given: string, hash: import('node:crypto').Hash) => given === hash.digest('hex');",
  ],
  [
    'a promise does not float',
    'sandbox/src/float.ts',
    'async function ask(): Promise<void> {}\nask();',
  ],
];

const SOUND: [file: string, line: string][] = [
  ['bff-example/src/config.ts', 'export const token = process.env.TOKEN;'],
  ['bff-example/src/shop.test.ts', "import '@service-pay/sandbox';"],
  ['e2e/bench/browser.ts', "import '../../scripts/programs/find-browser.ts';"],
  ['e2e/shop-http/shop.ts', "import '@service-pay/bff-example/app';"],
  ['sandbox/src/time/clock.ts', 'export const now = Date.now();'],
  ['sandbox/src/fixed-date.ts', 'export const at = new Date(0);'],
  ['widget/src/inline/money.ts', "import '@service-pay/contract/money';"],
  [
    'widget/src/inline/told.ts',
    "export const tell = (to: Window, told: string) => to.postMessage({ type: 'ping' }, told);",
  ],
  [
    'sandbox/src/safe.ts',
    "import { timingSafeEqual } from 'node:crypto';\nexport const is = (given: Buffer, made: Buffer) => timingSafeEqual(given, made);",
  ],
  [
    'widget/src/inline/exact.ts',
    'export const is = (event: MessageEvent, told: string) => event.origin === told;',
  ],
];

let folder: string;
let report: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'service-pay-walls-'));
  cpSync(join(ROOT, 'scripts/lint'), join(folder, 'scripts/lint'), { recursive: true });
  const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  writeFileSync(
    join(folder, 'biome.json'),
    JSON.stringify({ ...config, $schema: undefined, vcs: { enabled: false } }),
  );
  for (const [file, text] of [...BROKEN.map(([, file, line]) => [file, line] as const), ...SOUND]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${text}\n`);
  }
  const { output } = await runTool(
    'biome',
    ['lint', '--colors=off', '--max-diagnostics=200', '--diagnostic-level=error'],
    {
      cwd: folder,
      quiet: true,
    },
  );
  report = output;
}, 30_000);

afterAll(() => rmSync(folder, { recursive: true }));

describe('the walls of the project', () => {
  test.each(BROKEN)('%s', (_wall, file) => {
    expect(report).toContain(`${file}:`);
  });

  test.each(SOUND)('leave %s alone', (file) => {
    expect(report).not.toContain(`${file}:`);
  });
});
