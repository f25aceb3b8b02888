import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { buildOpenApiFiles } from '../packages/openapi-files.ts';
import { ROOT } from '../programs/run-tool.ts';
import { MarkedPage, ShellProgram } from './marked-page.ts';

const PATIENT_MS = 3 * 60_000;

const HAS_JSON_SCHEMA = spawnSync('python3', ['-c', 'import jsonschema']).status === 0;

const page = new MarkedPage('docs/api.md');
const folder = mkdtempSync(join(tmpdir(), 'service-pay-openapi-'));
let sandbox: Sandbox;

beforeAll(async () => {
  writeFileSync(join(folder, 'merchant.json'), buildOpenApiFiles()['merchant.json'] as string);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.control.reset());
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a generated client in TypeScript', () => {
  beforeAll(async () => {
    const flags = ['--no-audit', '--no-fund', '--prefer-offline', ...SHORT_RETRIES].join(' ');
    const install = page.command('typescript', 'install');
    await run(install.replaceAll('npm install', `npm install ${flags}`));
    await run(page.command('typescript'));
    page.write(folder, 'verify.ts');
  }, PATIENT_MS);

  test('a generated client in TypeScript compiles, and does not with a member misspelled', {
    timeout: PATIENT_MS,
  }, async () => {
    const flags =
      '--strict --noEmit --allowImportingTsExtensions --module nodenext --target es2022 --lib es2022,dom --types node --typeRoots';
    const types = join(ROOT, 'node_modules/@types');
    await run(`npx tsc ${flags} ${types} verify.ts`);
    const verify = readFileSync(join(folder, 'verify.ts'), 'utf8');
    writeFileSync(join(folder, 'wrong.ts'), verify.replace('data.data.status', 'data.data.state'));

    const wrong = await start(`npx tsc ${flags} ${types} wrong.ts`).result();

    expect(wrong.output).toContain("Property 'state' does not exist");
  });

  test('a generated client in TypeScript verifies a payment, and reports an error by its code', {
    timeout: PATIENT_MS,
  }, async () => {
    await sandbox.control.putCollection({ reference: 'order-1', amount: '10.75' });

    expect(await run('node verify.ts order-1')).toContain('successful 10.75 ZMW');
    expect(await run('node verify.ts order-2')).toContain('404 11');
  });
});

describe.skipIf(!HAS_JSON_SCHEMA)('thirty lines of Python', () => {
  beforeAll(() => page.write(folder, 'check.py'));

  test.each(['successful', 'failed', 'pending', 'a-status-of-tomorrow'])(
    'thirty lines of Python accept the response for a payment that is %s',
    async (status) => {
      await sandbox.control.putCollection({ reference: 'order-1', status });

      expect(await run('python3 check.py order-1')).toContain(`${status} 10.00 ZMW`);
    },
  );

  test('thirty lines of Python find a response that does not fit', async () => {
    const description = JSON.parse(readFileSync(join(folder, 'merchant.json'), 'utf8'));
    description.components.schemas.Collection.properties.amount = { type: 'number' };
    writeFileSync(join(folder, 'other.json'), JSON.stringify(description));
    writeFileSync(
      join(folder, 'other.py'),
      page.file('check.py').replace('"merchant.json"', '"other.json"'),
    );
    await sandbox.control.putCollection({ reference: 'order-1' });

    const { exitCode, output } = await start('python3 other.py order-1').result();

    expect(exitCode).toBe(1);
    expect(output).toMatch(/^\$\.data\.amount: .+ is not of type 'number'/m);
  });
});

function start(command: string): ShellProgram {
  return new ShellProgram(command, folder, { SERVICE_PAY_API_URL: sandbox.url });
}

async function run(command: string): Promise<string> {
  const { exitCode, output } = await start(command).result();
  expect(exitCode, output).toBe(0);
  return output;
}
