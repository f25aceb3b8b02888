import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ROOT, runNode } from '../programs/run-tool.ts';
import { unpack } from './installed-project.ts';

const PATIENT_MS = 120_000;

const MOST_PACKAGES = 40;

const OPTIONS = `{
  apiUrl: 'http://localhost:1', apiToken: 'sec_sandbox_demo', publicKey: 'pub_sandbox_demo',
  fulfil() {}, log: { info() {}, warn() {}, error() {} }, background: false,
}`;

const OPEN = (database: string) => `
  import { createPayments } from '@service-pay/server';
  await createPayments({ ...${OPTIONS}, database: '${database}' }).then(
    async (payments) => {
      await payments.create({ amount: '1.00', currency: 'ZMW', owner: 'ann', data: {} });
      console.log('opened');
      await payments.close();
    },
    ({ code, message, retryAfterSeconds }) => console.log(code, retryAfterSeconds, message));`;

describe('the server in a folder with nothing beside it but its own dependencies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'service-pay-server-'));
  const modules = join(folder, 'node_modules');

  beforeAll(async () => {
    await unpack('contract', modules);
    await unpack('server', modules);
    const dependencies = ['contract', 'server'].flatMap((name) =>
      Object.keys(readManifest(modules, name).dependencies),
    );
    for (const name of new Set(dependencies)) if (!name.startsWith('@service-pay/')) install(name);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  }, PATIENT_MS);

  afterAll(() => rmSync(folder, { recursive: true }));

  test('the server alone serves functions, and names all packages that are missing with the one command that installs them', async () => {
    const entries = `import '@service-pay/server'; import '@service-pay/server/fetch';
      import '@service-pay/server/testing'; import '@service-pay/server/log'; console.log('imported');`;
    const needed = (name: string, version = '') =>
      `The package ${name} is not installed. Run: npm install ${name}${version}`;

    expect(await run(entries)).toBe('imported');
    expect(await run(OPEN('file:shop.db'))).toBe(
      `internal undefined ${needed('better-sqlite3', '@13')}`,
    );
    expect(await run(OPEN('postgres://localhost:1/shop'))).toBe(
      `internal undefined ${needed('pg')}`,
    );
    expect(await run(`import '@service-pay/server/express'`)).toContain(
      'The packages express and express-rate-limit are not installed. Run: npm install express express-rate-limit',
    );
    install('express');
    expect(await run(`import '@service-pay/server/express'`)).toContain(
      needed('express-rate-limit'),
    );
    install('express-rate-limit');
    expect(await run(`import '@service-pay/server/express'; console.log('imported')`)).toBe(
      'imported',
    );
    install('better-sqlite3');
    expect(await run(OPEN('file:shop.db'))).toBe('opened');
    install('pg');
    expect(await run(OPEN('postgres://localhost:1/shop'))).toMatch(
      /^unavailable 5 .*Nothing listens there/,
    );
  });

  function install(name: string): void {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }

  async function run(script: string): Promise<string> {
    const words = ['--input-type=module', '--eval', script];
    return (await runNode(words, { cwd: folder, quiet: true })).output.trim();
  }
});

test(`a function on PostgreSQL installs at most ${MOST_PACKAGES} packages (B27a)`, () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dependencies?: object; optionalDependencies?: object }>;
  };
  const installed = new Set(['server', 'node_modules/pg']);
  for (const path of installed) {
    const { dependencies, optionalDependencies } = packages[path]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const own = name.replace('@service-pay/', '');
      const places = [own, `${path}/node_modules/${name}`, `node_modules/${name}`];
      installed.add(places.find((place) => place in packages)!);
    }
  }

  expect(installed.size, [...installed].join('\n')).toBeLessThanOrEqual(MOST_PACKAGES);
});

function readManifest(modules: string, name: string): { dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(modules, '@service-pay', name, 'package.json'), 'utf8'));
}
