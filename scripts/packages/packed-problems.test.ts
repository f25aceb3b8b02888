import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { runProgram } from '../programs/run-tool.ts';
import { findPackedProblems } from './packed-problems.ts';

const MANIFEST = {
  name: '@service-pay/server',
  version: '0.3.0',
  keywords: ['payments'],
  bugs: 'https://shop.example/issues',
  dependencies: { '@service-pay/contract': '0.3.0', express: '^5.3.0' },
};

const READY = {
  'package.json': JSON.stringify(MANIFEST),
  'README.md': '# Server',
  'openapi/merchant.json': '{"info":{"version":"0.3.0"}}',
  'dist/index.js': '',
  'dist/index.js.map': '{}',
};

test.each<[string, Record<string, string>, string[]]>([
  ['is ready', {}, []],
  [
    'has another version',
    { 'package.json': JSON.stringify({ ...MANIFEST, version: '0.2.0' }) },
    ['package.json has version 0.2.0, expected 0.3.0.'],
  ],
  [
    'has a forgotten pin',
    {
      'package.json': JSON.stringify({
        ...MANIFEST,
        dependencies: { '@service-pay/contract': '0.2.0' },
      }),
    },
    ['package.json depends on @service-pay/contract 0.2.0, expected 0.3.0.'],
  ],
  [
    'describes the API of another version',
    { 'openapi/merchant.json': '{"info":{"version":"0.2.0"}}' },
    ['openapi/merchant.json describes version 0.2.0, expected 0.3.0.'],
  ],
  [
    'says that it is not published',
    { 'README.md': 'The packages are not on a registry yet.' },
    ['README.md says that the packages are not published. Mark it as unpublished.'],
  ],
  ['has no source map', { 'dist/index.js.map': '' }, ['It has no source map.']],
])('a package that %s is found before it is published', async (_what, change, problems) => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-problems-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [file, text] of Object.entries({ ...READY, ...change })) {
    if (file.endsWith('.map') && text === '') continue;
    const path = join(folder, 'package', file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  await runProgram('tar', ['-czf', 'one.tgz', 'package'], { cwd: folder, quiet: true });

  expect(await findPackedProblems(folder, '0.3.0')).toEqual(
    problems.map((problem) => `one.tgz: ${problem}`),
  );
});
