import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test.each(['start.ts', '../testing/playwright/index.ts'])(
  "importing %s on an unsupported Node fails with the program's message",
  (entry) => {
    const program = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
    await import(${JSON.stringify(new URL(entry, import.meta.url).href)}).catch(({ message }) => console.log(message));`;

    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });

    expect(stdout).toMatch(
      /^The sandbox needs Node 22\.19 or newer; this is 20\.20\.2\. Install Node 24/,
    );
  },
);
