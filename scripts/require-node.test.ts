import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { ROOT } from './run-tool.ts';

test('a program stops once the shell that npm started it through has gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-pay-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'program.js'),
    `process.on('SIGTERM', () => { console.log('stopped'); process.exit(); });
    setTimeout(() => process.exit(), 20_000);
    console.log('started');`,
  );

  const command = `"${process.execPath}" "${join(ROOT, 'scripts/require-node.js')}" program.js; true`;
  const shell = spawn('sh', ['-c', command], {
    cwd: folder,
    env: { ...process.env, NODE_COMPILE_CACHE: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const text of shell.stdout.setEncoding('utf8')) {
    output += text;
    if (text.includes('started')) shell.kill('SIGTERM');
  }

  expect(output).toBe('started\nstopped\n');
});
