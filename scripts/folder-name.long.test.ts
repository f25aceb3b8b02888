import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
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

const PORTS = { SANDBOX_PORT: '0', DEMO_PORT: '0' };

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
  const { output } = await start(clone, ['npm', 'start'], 'Ctrl-C stops it', PORTS);
  const addressOf = (name: string) => new RegExp(`${name} +(http\\S+)`).exec(output)?.[1] ?? '';

  for (const url of [
    `${addressOf('Shop')}/`,
    `${addressOf('Demo pages')}/react.html`,
    `${addressOf('Gallery')}`,
    `${addressOf('Dashboard')}`,
    `${addressOf('Sandbox')}/assets/dashboard.js`,
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

test('npm run build builds every part', async () => {
  await promisify(execFile)('npm', ['run', 'build'], { cwd: clone });

  for (const file of [
    'widget/dist/js/v1/inline.js',
    'contract/dist/card.js',
    'sandbox/dist/app/start.js',
  ])
    expect(existsSync(join(clone, file)), file).toBe(true);
}, 90_000);

test('npm run dev rebuilds the popup when a source of it changes', async () => {
  const dev = await start(clone, ['npm', 'run', 'dev'], 'Ctrl-C stops it', PORTS);

  appendFileSync(join(clone, 'widget/src/inline/inline.ts'), '\n');

  await dev.says('Rebuilt the widget. Reload the page.');
}, 90_000);

test('a copy of the template starts in a folder of any name', async () => {
  const shop = join(clone, 'shop');
  cpSync(join(ROOT, 'bff-example'), shop, {
    recursive: true,
    filter: (file) => !/[/\\](?:node_modules|\.data|\.env)$/.test(file),
  });
  cpSync(join(ROOT, 'scripts/run.js'), join(shop, 'run.js'));
  symlinkSync(join(ROOT, OWN), join(shop, 'node_modules'));

  const run = (...args: string[]) => [process.execPath, 'run.js', ...args];
  const sandbox = await start(shop, run('src/sandbox.ts', '--port', '0'), 'Dashboard');
  const [url = ''] = /http:\/\/localhost:\d+/.exec(sandbox.output) ?? [];
  const { output } = await start(shop, run('src/main.ts'), 'listening', {
    SERVICE_PAY_API_URL: url,
    SERVICE_PAY_SCRIPT_URL: `${url}/js/v1/inline.js`,
  });

  expect((await fetch(`${/"url":"([^"]+)"/.exec(output)?.[1]}/readyz`)).status).toBe(200);
});

interface Started {
  readonly output: string;
  /** Waits until the program has printed a text. */
  says(text: string): Promise<void>;
}

/** Starts a program, and stops it after the test. Resolves when it has printed `ready`. */
async function start(
  cwd: string,
  [program = '', ...args]: string[],
  ready: string,
  env: Record<string, string> = {},
): Promise<Started> {
  const child = spawn(program, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
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
      child.emit('output');
    });
  const says = async (text: string) => {
    while (!output.includes(text)) {
      const [hasOutput] = await Promise.race([once(child, 'output').then(() => [true]), closed]);
      if (hasOutput !== true) throw new Error(`It exited:\n${output}`);
    }
  };
  await says(ready);
  return { output, says };
}
