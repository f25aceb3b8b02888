import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '@service-pay/sandbox';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MarkedPage, ShellProgram } from '../../scripts/docs/marked-page.ts';
import { findBrokenRules } from '../../scripts/programs/check-shop.ts';
import { ROOT } from '../../scripts/programs/run-tool.ts';
import { findFreePort } from '../../scripts/programs/server-program.ts';
import { PATIENT } from '../lab/patience.ts';
import { checkTemplate } from './check-template.ts';

/** Words in the titles of the rules that need no pause between two questions about a payment. */
const QUICK = [
  ...['The price', 'key', 'browser', 'does not exist', 'open names', 'open does', 'open is'],
  ...['events', 'not final', 'waits for the customer', 'is failed', 'never paid', 'pays no other'],
  ...['away: not', 'error of its own', 'garbled', 'another payment', 'bodies', 'foreign'],
  ...['A webhook of', 'alone', 'not believed', 'raw bytes', 'right signature', 'previous'],
  ...['Events and', 'rejected', 'twice', 'fulfilled'],
].flatMap((words) => ['--only', words]);

describe('check-shop, run as a command, finds no fault', () => {
  test('check-shop finds no fault in the template', async () => {
    expect(await checkTemplate(QUICK)).toEqual([]);
  });

  test('check-shop finds no fault in a shop on the adapter for fetch, as its page prints it', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.close());
    const folder = mkdtempSync(join(tmpdir(), 'fetch-shop-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    new MarkedPage('docs/frameworks.md').write(folder, 'server.js', 'server.mjs');
    new MarkedPage('docs/quick-start/full-stack.md').write(folder, 'payments.js');
    const url = `http://localhost:${await findFreePort()}`;
    const environment = { SERVICE_PAY_API_URL: sandbox.url, PORT: new URL(url).port };
    const shop = new ShellProgram('exec node server.mjs', folder, environment);
    onTestFinished(() => shop.stop());
    await vi.waitFor(() => fetch(url), PATIENT);

    const broken = await findBrokenRules(url, sandbox.url, {
      output: () => shop.output,
      args: QUICK,
    });

    expect(broken, shop.output).toEqual([expect.stringContaining('Pass --previous-token')]);
  });
});
