import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import { ROOT } from './programs/run-tool.ts';

test('a program stops once the shell that npm started it through has gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-pay-program-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'program.js'),
    `process.on('SIGTERM', () => { console.log('stopped'); process.exit(); });
    setTimeout(() => process.exit(), 20_000);
    console.log('started');`,
  );

  const command = `"${process.execPath}" "${join(ROOT, 'scripts/run.js')}" program.js; true`;
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

test('a plain copy of the template names the command that copies it with its packages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-pay-literal-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ['package.json', 'run.js'])
    cpSync(join(ROOT, 'bff-example', file), join(folder, file));

  const { status, stderr } = spawnSync('npm', ['start'], { cwd: folder, encoding: 'utf8' });

  expect(status).toBe(1);
  expect(stderr).toContain(
    'Copy it with this command, run in the ServicePay project: npm run copy-template -- <folder>',
  );
});

test('a program starts in a folder of any name, by a relative or absolute path', () => {
  const folder = mkdtempSync(join(tmpdir(), `service-pay C# %41 é'"`));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'program #1.js'), `console.log(process.argv.slice(1).join());`);

  for (const program of ['program #1.js', join(folder, 'program #1.js')]) {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'scripts/run.js'), program, 'more'],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(stdout).toBe(`${program},more\n`);
  }
});
