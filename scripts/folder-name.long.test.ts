import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { ROOT } from './programs/run-tool.ts';

/** Means something else in a URL, in a shell or in a settings file. */
const NAME = `C# work %41 é'"`;
const OURS = join('node_modules', '@service-pay');
/** Holds what npm could not put beside another package's version. */
const OWN = join('bff-example', 'node_modules');

const folder = mkdtempSync(join(tmpdir(), 'service-pay-folder-'));
const clone = join(folder, NAME);

beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.split('\0').filter(Boolean)) cpSync(join(ROOT, file), join(clone, file));
  mkdirSync(join(clone, OURS), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && name !== '@service-pay') link(name);
  link('.bin');
  symlinkSync(join(ROOT, OWN), join(clone, OWN));
  for (const name of readdirSync(join(ROOT, OURS)))
    symlinkSync(join('../..', name), join(clone, OURS, name));

  function link(name: string): void {
    symlinkSync(join(ROOT, 'node_modules', name), join(clone, 'node_modules', name));
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

test('a fresh clone builds the popup and starts in a folder of any name', async () => {
  const output = await start(clone, ['scripts/run.js', 'scripts/start.ts'], 'Ctrl-C stops it', {
    SANDBOX_PORT: '0',
    DEMO_PORT: '0',
  });
  const addressOf = (name: string) => new RegExp(`${name} +(http\\S+)`).exec(output)?.[1] ?? '';

  for (const url of [
    `${addressOf('Shop')}/`,
    `${addressOf('Demo pages')}/react.html`,
    `${addressOf('Gallery')}`,
    `${addressOf('Dashboard')}`,
    `${addressOf('Sandbox')}/assets/parts/lit.js`,
    `${addressOf('Sandbox')}/js/v1/words/fr.json`,
    `${addressOf('Sandbox')}/checkout/v1/`,
  ])
    expect((await fetch(url)).status, url).toBe(200);
  const doctor = await promisify(execFile)(
    process.execPath,
    [join('server', 'src/cli/main.ts'), 'doctor', '--env-file', 'bff-example/.data/demo.env'],
    { cwd: clone },
  );
  expect(doctor.stdout).toMatch(/^ok +Webhook +A signed event arrives and is stored\.$/m);
}, 90_000);

test('a copy of the template starts in a folder of any name', async () => {
  const shop = join(clone, 'shop');
  cpSync(join(ROOT, 'bff-example'), shop, {
    recursive: true,
    filter: (file) => !/[/\\](?:node_modules|\.data|\.env)$/.test(file),
  });
  cpSync(join(ROOT, 'scripts/run.js'), join(shop, 'run.js'));
  symlinkSync(join(ROOT, OWN), join(shop, 'node_modules'));

  const sandbox = await start(shop, ['run.js', 'src/sandbox.ts', '--port', '0'], 'Dashboard');
  const [url = ''] = /http:\/\/localhost:\d+/.exec(sandbox) ?? [];
  const output = await start(shop, ['run.js', 'src/main.ts'], 'listening', {
    SERVICE_PAY_API_URL: url,
    SERVICE_PAY_SCRIPT_URL: `${url}/js/v1/inline.js`,
  });

  expect((await fetch(`${/"url":"([^"]+)"/.exec(output)?.[1]}/readyz`)).status).toBe(200);
});

/** Starts a program, and stops it after the test. Returns what it printed up to `ready`. */
async function start(
  cwd: string,
  args: string[],
  ready: string,
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      SERVICE_PAY_PUBLIC_KEY: 'pub_sandbox_demo',
      SERVICE_PAY_API_TOKEN: 'sec_sandbox_demo',
      SESSION_SECRET: 'a'.repeat(64),
      ...env,
    },
  });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      child.emit('heard');
    });
  while (!output.includes(ready)) {
    const [heard] = await Promise.race([once(child, 'heard').then(() => [true]), closed]);
    if (heard !== true) throw new Error(`It exited:\n${output}`);
  }
  return output;
}
