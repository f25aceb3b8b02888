import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

import { ROOT } from '../programs/run-tool.ts';

/**
 * The folders of a workspace, and the files beside them, in the order in which they may import:
 * each from itself and from those before it. Files that are not listed come last.
 */
const ORDERS: Record<string, string[]> = {
  e2e: [
    ...['lab', 'model', 'support', 'stack.ts', 'popup', 'access', 'attacks', 'docs', 'sandbox'],
    ...['shop', 'shop-http', 'faults', 'bench'],
  ],
  'e2e/faults': [
    ...['random.ts', 'harness.ts', 'mutant-table.ts', 'mutants.ts', 'databases.ts', 'shop'],
    ...['troubles', 'scenes'],
  ],
  'sandbox/pages': ['parts', 'dashboard'],
  'sandbox/src': [
    ...['time', 'storage', 'http', 'test-numbers', 'payments', 'faults', 'webhooks', 'control'],
    ...['routes', 'app', 'check', 'testing', 'cli'],
  ],
  scripts: [...['programs', 'test', 'lint', 'build', 'packages', 'docs', 'demo', 'pictures']],
  'server/src': [
    ...[
      'require-node.ts',
      'support',
      'errors.ts',
      'peer.ts',
      'database',
      'service',
      'observe',
      'payments',
      'transaction.ts',
    ],
    ...[
      'events',
      'fulfilment',
      'webhooks',
      'transport',
      'work.ts',
      'options.ts',
      'start-parts.ts',
      'create-payments.ts',
      'routes',
      'express',
      'fetch',
      'cli',
    ],
  ],
  'widget/src/checkout': [
    ...['styles', 'flow', 'page', 'language', 'parts', 'card', 'mobile-money', 'screens'],
    ...['shell', 'app-styles.ts', 'app.ts', 'rehearse.ts', 'lazy.ts'],
  ],
  'widget/src/inline': [
    ...['dom', 'errors.ts', 'service.ts', 'frame', 'messages.ts', 'messages', 'popup'],
  ],
};

/** Imports that cross a wall between packages, or between a package and a runtime. */
const WALLS: readonly { files: RegExp; imports: RegExp; why: string }[] = [
  {
    files: /^(?:contract|widget|server|sandbox|bff-example|public)\//,
    imports: /^(?:e2e|scripts)\//,
    why: 'no package imports e2e or scripts',
  },
  { files: /^(?!public\/)/, imports: /^public\//, why: 'nothing imports the demo pages' },
  {
    files: /^scripts\//,
    imports: /^e2e\/|^@service-pay\/bff-example/,
    why: 'scripts build the packages, and import neither shop nor tests',
  },
  {
    files: /^contract\/src\//,
    imports: /^@service-pay\/|^node:/,
    why: 'all import the contract, which imports nothing of ours and does no I/O',
  },
  {
    files: /^widget\/src\//,
    imports: /^node:|^@service-pay\/(?!contract\/)|\/webhook-signature$/,
    why: 'a browser gets the contract alone of ours, and nothing of Node',
  },
  {
    files: /^widget\/src\/(?:inline|flow)\//,
    imports: /^big\.js$|^widget\/src\/(?:checkout|gallery)\//,
    why: "the page's side is small, and shares the contract alone with the frame",
  },
  {
    files: /^widget\/src\/checkout\//,
    imports: /^widget\/src\/(?:inline|flow|gallery)\//,
    why: "the frame shares the contract alone with the page's side",
  },
  {
    files: /^(?:server|sandbox)\/src\//,
    imports: /^@service-pay\/(?!contract\/)/,
    why: 'server and sandbox import the contract alone of ours',
  },
  {
    files: /^bff-example\/src\//,
    imports: /^@service-pay\/(?!contract\/|server(?:\/|$))/,
    why: 'the shop imports the contract and the server package',
  },
  {
    files: /^(?:server|sandbox|bff-example)\/src\/(?!(?:time|support)\/clock\.ts$)/,
    imports: /^(?:node:)?timers/,
    why: 'servers wait by their clock',
  },
];

/** Node's cryptography is no I/O. */
const SIGNS = /^contract\/src\/webhook-signature\.ts imports node:crypto$/;

/**
 * An import, as Biome's format writes it. dependency-cruiser reads TypeScript through its API, which
 * 7.1 is to have.
 */
const IMPORT = /^(?:import|export)\b(?:[^;']*?\bfrom)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm;

/** Lists what a source file imports: a file by its path in the repository, a package by its name. */
function findImports(file: string, source: string): string[] {
  return [...source.matchAll(IMPORT)]
    .map(([, named, loaded]) => (named ?? loaded)!)
    .map((imported) => (imported.startsWith('.') ? join(dirname(file), imported) : imported));
}

/** Lists the imports of a source file from folders later in the order. */
function findUpwardImports(root: string, file: string, source: string): string[] {
  const order = ORDERS[root]!;
  const placeOf = (path: string) => {
    const place = order.indexOf(relative(root, path).split('/')[0]!);
    return place === -1 ? order.length : place;
  };
  return findImports(file, source)
    .filter((imported) => imported.startsWith(`${root}/`) && placeOf(imported) > placeOf(file))
    .map((imported) => `${file} imports ${imported}`);
}

function findCrossings(file: string, source: string): string[] {
  return WALLS.filter(({ files }) => files.test(file)).flatMap(({ imports, why }) =>
    findImports(file, source)
      .filter((imported) => imports.test(imported))
      .map((imported) => `${file} imports ${imported}`)
      .filter((crossing) => !SIGNS.test(crossing))
      .map((crossing) => `${crossing}: ${why}`),
  );
}

const isTest = (file: string) => /\.test\.ts$|(?:^|\/)(?:test|dist)\//.test(file);

describe('order of folders', () => {
  test.each(Object.keys(ORDERS))('no file of %s imports from a later folder', (root) => {
    const sources = readdirSync(join(ROOT, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.[jt]s$/.test(file) && !isTest(file))
      .map((file) => join(root, file));

    const upward = sources.flatMap((file) =>
      findUpwardImports(root, file, readFileSync(join(ROOT, file), 'utf8')),
    );

    expect(upward, 'Move what both files need down, or change ORDERS in this file').toEqual([]);
  });

  test('the order of folders finds imports and exports of values and types, in one line, in several and in a call', () => {
    const source = [
      "import type { Scenarios } from '../faults/scenarios.ts';",
      "import {\n  type News,\n  readNews,\n} from '../control/event-reader.ts';",
      "export { sendWebhook } from '../webhooks/request.ts';",
      "import '../start.ts';",
      "const app = await import('../app.ts');",
      "import { Clock } from '../time/clock.ts';",
      "import { readInstrument } from './instrument.ts';",
    ].join('\n');

    const upward = findUpwardImports('sandbox/src', 'sandbox/src/payments/flow.ts', source);

    expect(upward.map((line) => line.split('/').at(-1)).sort()).toEqual(
      ['app.ts', 'event-reader.ts', 'request.ts', 'scenarios.ts', 'start.ts'].sort(),
    );
  });
});

describe('walls between packages', () => {
  test('walls between packages are crossed by no import', () => {
    const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.js'];
    const sources = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' })
      .split('\n')
      .filter((file) => file && !isTest(file) && existsSync(join(ROOT, file)));

    const crossings = sources.flatMap((file) =>
      findCrossings(file, readFileSync(join(ROOT, file), 'utf8')),
    );

    expect(crossings).toEqual([]);
  });

  test.each([
    ['contract/src/bad.ts', '@service-pay/widget/define'],
    ['contract/src/io.ts', 'node:fs'],
    ['contract/src/webhook-signature.ts', 'node:fs'],
    ['widget/src/checkout/bad.ts', '@service-pay/contract/webhook-signature'],
    ['widget/src/inline/bad.ts', '../checkout/card-form.ts'],
    ['widget/src/flow/bad.ts', '../checkout/card-form.ts'],
    ['widget/src/inline/bad.ts', '../gallery/stage.ts'],
    ['widget/src/inline/bad.ts', 'big.js'],
    ['widget/src/inline/bad.ts', '@service-pay/sandbox'],
    ['widget/src/checkout/bad.ts', '../inline/outcome.ts'],
    ['widget/src/checkout/bad.ts', '../gallery/stage.ts'],
    ['bff-example/src/bad.ts', '@service-pay/sandbox'],
    ['bff-example/src/bad.ts', '../../e2e/stack.ts'],
    ['sandbox/src/bad.ts', '@service-pay/bff-example'],
    ['sandbox/src/bad.ts', '../../scripts/start.ts'],
    ['sandbox/src/bad.ts', 'node:timers/promises'],
    ['server/src/bad.ts', '@service-pay/sandbox'],
    ['server/src/bad.ts', '@service-pay/bff-example/app'],
    ['scripts/bad.ts', '../e2e/lab/load.ts'],
  ])('walls between packages keep %s from importing %s', (file, imported) => {
    expect(findCrossings(file, `import '${imported}';`)).toHaveLength(1);
  });

  test.each([
    ['contract/src/webhook-signature.ts', 'node:crypto'],
    ['widget/src/inline/money.ts', '@service-pay/contract/money'],
    ['bff-example/src/app.ts', '@service-pay/server/express'],
    ['sandbox/src/time/clock.ts', 'node:timers/promises'],
    ['e2e/bench/browser.ts', '../../scripts/programs/find-browser.ts'],
  ])('walls between packages let %s import %s', (file, imported) => {
    expect(findCrossings(file, `import '${imported}';`)).toEqual([]);
  });
});
