import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { buildStaleWidget, buildWidget } from './build/built-widget.ts';
import { adoptDatabase } from './demo/adopt-database.ts';
import { GALLERY_PATH } from './demo/gallery.ts';
import { startDemoPages } from './demo/pages.ts';
import { type DemoSettings, readDemoSettings } from './demo/settings.ts';
import { ROOT } from './programs/run-tool.ts';

const SHOP = join(ROOT, 'bff-example');
const DEMO_KEY = 'pub_sandbox_demo';
const DEMO_TOKEN = 'sec_sandbox_demo';

/** Time limit for a program's first response, and for its exit. */
const START_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 10_000;

const USAGE = `npm start [-- options]

  Starts a shop, demo pages and the sandbox, and prints their addresses. Ctrl-C stops them.

  --watch  restart or rebuild when a source changes, as npm run dev does
  --help   print this help

Environment
  PORT, SANDBOX_PORT, DEMO_PORT  ports (default 3000, 4010, 3001); 0 picks a free one
  PUBLIC_URL                     the address at which browsers reach the shop
  DATABASE_URL                   the shop's orders (default file:.data/shop.db)`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(USAGE);
  process.exit();
}
const children = new Map<string, ChildProcess>();
let stopping = false;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));
stopWithParent();
await start().catch(async (error: Error) => {
  if (!stopping) console.error(error.message);
  await stop(1);
});

async function start(): Promise<void> {
  if (existsSync(join(SHOP, '.env'))) process.loadEnvFile(join(SHOP, '.env'));
  const settings = await readDemoSettings(process.env);
  await buildStaleWidget().catch((error: Error) => {
    if (!options.watch) throw error;
    console.error(error.message);
  });

  run(
    'sandbox',
    ROOT,
    [
      'sandbox/src/cli/main.ts',
      '--port',
      String(settings.sandboxPort),
      '--webhook-url',
      settings.webhookUrl,
    ],
    {},
  );
  if (!process.env.DATABASE_URL) await adoptDatabase(join(SHOP, '.data/shop.db'), DEMO_KEY);
  const environment = shopEnvironment(settings);
  const settingsFile = writeSettings(environment);
  run('shop', SHOP, ['src/main.ts'], environment);
  const pages = await startDemoPages({
    port: settings.pagesPort,
    serviceUrl: settings.sandboxUrl,
    shopUrl: settings.publicUrl,
  });
  await Promise.all([
    responds('sandbox', settings.scriptUrl),
    responds('shop', `http://localhost:${settings.shopPort}/healthz`),
  ]);
  if (options.watch) rebuildOnChange();
  console.log(banner(settings, pages.url, settingsFile));
}

function run(name: string, cwd: string, args: string[], env: Record<string, string>): void {
  const child = spawn(
    process.execPath,
    [...(options.watch ? ['--watch', '--watch-preserve-output'] : []), ...args],
    {
      cwd,
      env: { LOG_LEVEL: 'warn', ...process.env, ...env },
      stdio: ['ignore', name === 'sandbox' ? 'pipe' : 'inherit', 'inherit'],
    },
  );
  child.stdout?.resume(); // the banner says what the sandbox prints at its start
  children.set(name, child);
  child.once('exit', (code, signal) => {
    children.delete(name);
    if (stopping) return;
    console.error(
      `The ${name} stopped (${signal ?? `exit code ${code}`}), so the demo stops. See its output above.`,
    );
    void stop(1);
  });
}

function shopEnvironment({
  shopPort,
  publicUrl,
  sandboxUrl,
  scriptUrl,
}: DemoSettings): Record<string, string> {
  return {
    PORT: String(shopPort),
    PUBLIC_URL: publicUrl,
    SERVICE_PAY_API_URL: sandboxUrl,
    SERVICE_PAY_SCRIPT_URL: scriptUrl,
    SERVICE_PAY_PUBLIC_KEY: DEMO_KEY,
    SERVICE_PAY_API_TOKEN: DEMO_TOKEN,
    SESSION_SECRET: process.env.SESSION_SECRET || keptSessionSecret(),
  };
}

/** The commands read this file in `bff-example` if it has no `.env`. */
function writeSettings(environment: Record<string, string>): string {
  const given = process.env.DATABASE_URL || 'file:.data/shop.db';
  const isFile = given.startsWith('file:');
  const database = isFile ? `file:${resolve(SHOP, given.slice('file:'.length))}` : given;
  const file = join(SHOP, '.data/demo.env');
  const all = { ...environment, DATABASE_URL: database };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    Object.entries(all)
      .map(([name, value]) => `${name}=${quoted(value)}\n`)
      .join(''),
    {
      mode: 0o600,
    },
  );
  return relative(ROOT, file);
}

/** A settings file has no escapes, so the value decides the quotes. */
function quoted(value: string): string {
  const quote = ["'", '`', '"'].find((each) => !value.includes(each)) ?? '';
  return `${quote}${value}${quote}`;
}

/** Made once and kept, so that a restart does not part customers from their orders. */
function keptSessionSecret(): string {
  const file = join(SHOP, '.data/session-secret');
  if (!existsSync(file)) {
    mkdirSync(join(SHOP, '.data'), { recursive: true });
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

async function responds(name: string, url: string): Promise<void> {
  const until = Date.now() + START_WITHIN_MS;
  while (!stopping) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    if (Date.now() > until)
      throw new Error(
        `The ${name} did not respond at ${url} within ${START_WITHIN_MS / 1000} s. See its output above. With LOG_LEVEL=debug it says more.`,
      );
    await pause(50);
  }
}

/**
 * Rebuilds after a change, once more if files changed during a build. The servers restart by
 * themselves.
 */
function rebuildOnChange(): void {
  let state: 'idle' | 'building' | 'changed' = 'idle';
  const rebuild = async () => {
    if (state !== 'idle') {
      state = 'changed';
      return;
    }
    do {
      state = 'building';
      await pause(100);
      await buildWidget().then(
        () => console.log('Rebuilt the widget. Reload the page.'),
        (error: Error) => console.error(error.message),
      );
    } while ((state as string) === 'changed');
    state = 'idle';
  };
  for (const source of ['widget/src', 'contract/src'])
    watch(join(ROOT, source), { recursive: true }, () => void rebuild());
}

function banner(
  { publicUrl, sandboxUrl, scriptUrl }: DemoSettings,
  pagesUrl: string,
  settingsFile: string,
): string {
  return `
ServicePay is running. Ctrl-C stops it.

  Shop        ${publicUrl}
  Demo pages  ${pagesUrl}
  Gallery     ${pagesUrl}${GALLERY_PATH}
  Sandbox     ${sandboxUrl}
  Dashboard   ${sandboxUrl}/dashboard
  Orders      npx --no -- service-pay orders --env-file ${settingsFile}

  Script      ${scriptUrl}
  Public key  ${DEMO_KEY}
  API token   ${DEMO_TOKEN} (for servers only)

  Test card   4242 4242 4242 4242, any future expiry, any three digits, any name
  Test phone  0961111111 (MTN), approves by itself after 3 seconds
`;
}

/**
 * npm sends a signal to the shell between us, which dies without passing it on. So we stop once our
 * parent has gone.
 */
function stopWithParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || void stop(0), 500).unref();
}

async function stop(exitCode: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  const gone = [...children.values()].map((child) => {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    return exit;
  });
  await Promise.race([Promise.all(gone), pause(STOP_WITHIN_MS)]);
  for (const child of children.values()) child.kill('SIGKILL');
  process.exit(exitCode);
}
