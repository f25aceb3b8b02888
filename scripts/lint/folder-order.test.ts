import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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
    ...['require-node.ts', 'object-members.ts', 'paths.ts', 'time', 'storage'],
    ...['history', 'test-numbers', 'payments', 'http', 'faults', 'webhooks', 'control', 'api'],
    ...['pages', 'options.ts', 'app.ts', 'start.ts', 'playwright', 'cli', 'conversations'],
  ],
  scripts: [...['programs', 'test', 'lint', 'build', 'packages', 'docs', 'demo', 'pictures']],
  'server/src': [
    ...[
      'require-node.ts',
      'support',
      'errors.ts',
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
      'options.ts',
      'create-payments.ts',
      'express',
      'fetch',
      'cli',
    ],
  ],
  'widget/src/checkout': [
    ...['styles', 'flow', 'page', 'language', 'parts', 'card', 'mobile-money', 'screens'],
    ...['app-styles.ts', 'app.ts'],
  ],
  'widget/src/inline': [
    ...['dom', 'errors.ts', 'service.ts', 'frame', 'messages.ts', 'messages', 'popup'],
  ],
};

const IMPORT = /^(?:import|export)\b[^;']*?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

/** Lists the imports of a source file from folders later in the order. */
function findUpwardImports(root: string, file: string, source: string): string[] {
  const order = ORDERS[root]!;
  const placeOf = (path: string) => {
    const place = order.indexOf(relative(root, path).split('/')[0]!);
    return place === -1 ? order.length : place;
  };
  return [...source.matchAll(IMPORT)]
    .map(([, named, loaded]) => join(dirname(file), (named ?? loaded)!))
    .filter((imported) => imported.startsWith(`${root}/`) && placeOf(imported) > placeOf(file))
    .map((imported) => `${file} imports ${imported}`);
}

describe('order of folders', () => {
  test.each(Object.keys(ORDERS))('%s: no file imports from a later folder', (root) => {
    const sources = readdirSync(join(ROOT, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.[jt]s$/.test(file) && !/\.test\.ts$|(?:^|\/)(?:test|dist)\//.test(file))
      .map((file) => join(root, file));

    const upward = sources.flatMap((file) =>
      findUpwardImports(root, file, readFileSync(join(ROOT, file), 'utf8')),
    );

    expect(upward, 'Move what both files need down, or change ORDERS in this file').toEqual([]);
  });

  test('workspaces import each other by package name', () => {
    const sources = execFileSync('git', ['ls-files', '*.ts'], { cwd: ROOT, encoding: 'utf8' });
    const byPath = sources
      .split('\n')
      .filter((file) => /^(?:contract|widget|server|sandbox|e2e|scripts)\//.test(file))
      .filter((file) => file !== 'scripts/lint/walls.test.ts')
      .filter((file) =>
        /(?:from|import) '(?:\.\.\/)+(?:contract|widget|server|sandbox|bff-example)\/.+\.ts'/.test(
          readFileSync(join(ROOT, file), 'utf8'),
        ),
      );

    expect(byPath).toEqual([]);
  });

  test('finds imports and exports of values and types, in one line, in several and in a call', () => {
    const source = [
      "import type { Scenarios } from '../faults/scenarios.ts';",
      "import {\n  type News,\n  readNews,\n} from '../control/event-reader.ts';",
      "export { listen } from '../http/listen.ts';",
      "import '../start.ts';",
      "const app = await import('../app.ts');",
      "import { Clock } from '../time/clock.ts';",
      "import { readInstrument } from './instrument.ts';",
    ].join('\n');

    const upward = findUpwardImports('sandbox/src', 'sandbox/src/payments/flow.ts', source);

    expect(upward.map((line) => line.split('/').at(-1)).sort()).toEqual(
      ['app.ts', 'event-reader.ts', 'listen.ts', 'scenarios.ts', 'start.ts'].sort(),
    );
  });
});
