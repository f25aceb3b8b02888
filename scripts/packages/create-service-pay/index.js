#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const TEMPLATE = fileURLToPath(new URL('./template', import.meta.url));

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { packages: { type: 'string' } },
  });
  const [folder, ...others] = positionals;
  if (!folder || others.length)
    throw new Error('Name one new folder: npm create service-pay my-shop');
  const shop = resolve(folder);
  const signal = await createShop(shop, values.packages);
  if (signal) {
    process.stderr.write('Stopped. Nothing was created.\n');
    process.exit(128 + constants.signals[signal]);
  }
  process.stdout.write(`Copied the template to ${shop}. There, run:
  git init && git add . && git commit -m Template && git branch template  # to upgrade later
  npm install
  npm run sandbox  # and in a second terminal: npm run dev
`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/**
 * Creates the shop beside its place, or inside it if the folder is there, and moves it when it is whole.
 * Returns the signal that interrupted it. If it fails or is interrupted, it leaves nothing behind.
 */
async function createShop(shop, packages) {
  const isThere = fs.existsSync(shop);
  if (isThere && fs.readdirSync(shop).length)
    throw new Error(`${shop} is not empty. Name a new or an empty folder.`);
  let interruptedBy;
  for (const signal of SIGNALS)
    process.once(signal, () => {
      interruptedBy = signal;
    });
  const parent = isThere ? shop : dirname(shop);
  const firstMade = fs.mkdirSync(parent, { recursive: true });
  const half = join(parent, `.half-made-${randomBytes(4).toString('hex')}`);
  let isWhole = false;
  try {
    copyTemplate(half, packageNameOf(shop), packages);
    await setImmediate(); // only then is a signal reported
    isWhole = !interruptedBy;
    if (isWhole && isThere)
      for (const name of fs.readdirSync(half)) fs.renameSync(join(half, name), join(shop, name));
    if (isWhole && !isThere) fs.renameSync(half, shop);
    return interruptedBy;
  } finally {
    fs.rmSync(half, { recursive: true, force: true });
    if (!isWhole && firstMade) fs.rmSync(firstMade, { recursive: true });
  }
}

function copyTemplate(shop, name, packages) {
  fs.cpSync(TEMPLATE, shop, { recursive: true });
  // npm packs no file of the name .gitignore.
  fs.renameSync(join(shop, 'gitignore'), join(shop, '.gitignore'));
  edit(join(shop, 'package.json'), (text) => text.replace('"name": "shop"', `"name": "${name}"`));
  const settings = [
    'SERVICE_PAY_PUBLIC_KEY=pub_sandbox_demo',
    'SERVICE_PAY_API_TOKEN=sec_sandbox_demo',
    `SESSION_SECRET=${randomBytes(32).toString('hex')}`,
    `POSTGRES_PASSWORD=${randomBytes(16).toString('hex')}`,
    '',
  ];
  fs.writeFileSync(join(shop, '.env'), settings.join('\n'), { mode: 0o600 });
  if (packages !== undefined) takePackagesFrom(resolve(packages), shop);
  else edit(join(shop, 'Dockerfile'), (text) => text.replace('COPY vendor vendor\n', ''));
}

/** Returns the name of a folder as npm takes it, and `shop` if nothing of it is left. */
function packageNameOf(folder) {
  const name = basename(folder)
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z\d._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '');
  return name && name !== 'node_modules' ? name : 'shop';
}

/** Copies our tarballs to `vendor/`, and lets every dependency on one of our packages take it. */
function takePackagesFrom(folder, shop) {
  const manifest = JSON.parse(fs.readFileSync(join(shop, 'package.json'), 'utf8'));
  manifest.overrides = {};
  for (const dependencies of [manifest.dependencies, manifest.devDependencies]) {
    for (const [name, version] of Object.entries(dependencies)) {
      if (!name.startsWith('@service-pay/')) continue;
      const tarball = `${name.slice(1).replace('/', '-')}-${version}.tgz`;
      if (!fs.existsSync(join(folder, tarball)))
        throw new Error(
          `${tarball} is not in ${folder}. Name the folder that npm run pack filled.`,
        );
      fs.cpSync(join(folder, tarball), join(shop, 'vendor', tarball));
      dependencies[name] = `file:vendor/${tarball}`;
      manifest.overrides[name] = `$${name}`;
    }
  }
  edit(join(shop, 'package.json'), () => `${JSON.stringify(manifest, null, 2)}\n`);
}

function edit(file, change) {
  fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));
}
