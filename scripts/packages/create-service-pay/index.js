#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

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
  createShop(shop, values.packages);
  process.stdout.write(`Copied the template to ${shop}. There, run:
  git init && git add . && git commit -m Template && git branch template  # to upgrade later
  npm install
  npm run sandbox  # and in a second terminal: npm run dev
`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function createShop(shop, packages) {
  if (fs.existsSync(shop) && fs.readdirSync(shop).length)
    throw new Error(`${shop} is not empty. Name a new or an empty folder.`);
  fs.cpSync(TEMPLATE, shop, { recursive: true });
  // npm packs no file of the name .gitignore.
  fs.renameSync(join(shop, 'gitignore'), join(shop, '.gitignore'));
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

/** Copies our tarballs to `vendor/`, and lets every dependency on one of our packages take it. */
function takePackagesFrom(folder, shop) {
  const manifest = JSON.parse(fs.readFileSync(join(shop, 'package.json'), 'utf8'));
  manifest.overrides = {};
  for (const dependencies of [manifest.dependencies, manifest.devDependencies]) {
    for (const [name, version] of Object.entries(dependencies)) {
      if (!name.startsWith('@service-pay/')) continue;
      const tarball = `${name.slice(1).replace('/', '-')}-${version}.tgz`;
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
