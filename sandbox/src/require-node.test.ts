import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { findNodeProblem } from './node-version.ts';

test.each([
  ['20.20.2', false],
  ['22.18.9', false],
  ['22.19.0', true],
  ['24.0.0', true],
])('Node %s is new enough: %s', (version, isEnough) => {
  expect(findNodeProblem(version) === undefined).toBe(isEnough);
});

test.each(['start.ts', 'playwright/index.ts'])(
  "importing %s on an unsupported Node fails with the program's message",
  (entry) => {
    const program = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
    await import(${JSON.stringify(new URL(entry, import.meta.url).href)}).catch(({ message }) => console.log(message));`;

    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });

    expect(stdout).toBe(
      'The sandbox needs Node 22.19 or newer; this is 20.20.2. Install a newer Node.\n',
    );
  },
);
