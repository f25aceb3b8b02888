import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect as expectOn, type Page } from '@playwright/test';
import { describe, expect, test, vi } from 'vitest';
import { findBrokenRules } from '../programs/check-shop.ts';
import { expectEveryBlockRun } from './every-block.ts';
import type { ShellProgram } from './marked-page.ts';
import { MOST_MB_OF_NEXT } from './strangers.ts';
import {
  expectShop,
  expectShopRejectsStrangers,
  installAsShown,
  openPage,
  openQuickStart,
  PATIENT_MS,
  READY_MS,
  runToEnd,
  setUpReader,
  start,
} from './test-quick-start.ts';

setUpReader();

/** A development server compiles and watches, which takes memory of its own. */
const DEVELOPMENT = { crowd: 5, mostMb: 1_000 };

describe('an app with server routes', () => {
  test.each([
    {
      framework: 'next',
      server: 'payments.js',
      client: 'checkout.js',
      build: 'npx next build',
      serve: 'npx next start',
    },
    {
      framework: 'nuxt',
      server: 'server/utils/payments.js',
      client: 'app/utils/checkout.js',
      build: 'npx nuxt build',
      serve: 'node .output/server/index.mjs',
    },
    {
      framework: 'svelte-kit',
      server: 'src/lib/server/payments.js',
      client: 'src/lib/checkout.js',
      build: 'npx vite build',
    },
  ])(
    'an app in $framework is paid, keeps the rules of check-shop, opens a database that was away at its start (T152), rejects strangers (T147), and builds',
    async ({ framework, server, client, build, serve }) => {
      const { quickStart, folder, shopUrl, sandboxUrl } = await openQuickStart('full-stack', {
        ownProject: true,
      });
      quickStart.write(folder, `${framework}/`);
      quickStart.write(folder, 'payments.js', server);
      quickStart.write(folder, 'checkout.js', client);
      await installAsShown(quickStart.command(framework, 'install'), folder);
      const inTheWay = join(folder, 'data');
      writeFileSync(inTheWay, '');
      const run = `DATABASE_URL=file:data/shop.db ${quickStart.command(framework)}`;
      const app = start(run, folder);

      await expectNoOrder(await openPage(shopUrl, sandboxUrl, {}, app), app);
      rmSync(inTheWay);
      await expectShop(app, shopUrl, sandboxUrl);
      const broken = await findBrokenRules(shopUrl, sandboxUrl, { output: () => app.output });
      expect(broken, app.output).toEqual([expect.stringContaining('--previous-token')]);
      // strangers do not reach development servers; SvelteKit has no other here
      if (!serve) await expectShopRejectsStrangers(app, shopUrl, DEVELOPMENT);
      const built = await runToEnd(build, folder);
      expect(built.exitCode, built.output).toBe(0);
      if (!serve) return;
      await app.stop();
      const port = new URL(shopUrl).port;
      const production = start(`PORT=${port} ${serve}`, folder);
      await vi.waitFor(() => fetch(shopUrl), { timeout: READY_MS });
      const mostMb = framework === 'next' ? { mostMb: MOST_MB_OF_NEXT } : {};
      await expectShopRejectsStrangers(production, shopUrl, mostMb);
    },
    PATIENT_MS * 2,
  );
});

expectEveryBlockRun(
  ['docs/quick-start/full-stack.md'],
  ['next-typescript/'], // next-typescript.long.test.ts runs it
);

async function expectNoOrder(page: Page, app: ShellProgram): Promise<void> {
  await page.getByRole('button', { name: 'Buy honey', exact: true }).click();
  await expectOn(page.getByRole('status').first(), app.output).toHaveText(
    'The shop cannot do this now. Try again in a moment.',
    { timeout: READY_MS },
  );
}
