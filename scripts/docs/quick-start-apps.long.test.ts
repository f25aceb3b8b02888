import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect as expectOn, type Page } from '@playwright/test';
import { describe, expect, test, vi } from 'vitest';
import { expectEveryBlockRun } from './every-block.ts';
import type { ShellProgram } from './marked-page.ts';
import {
  expectShop,
  installAsShown,
  installExpress,
  makeProject,
  openPage,
  openQuickStart,
  PATIENT_MS,
  prepare,
  READY_MS,
  runToEnd,
  setUpReader,
  start,
} from './test-quick-start.ts';

setUpReader();

describe('a single-page app', () => {
  test.each([
    ...['react', 'vue', 'svelte'].map((framework) => ['react-vue-svelte', framework, 'vite']),
    ...['angular', 'solid', 'react-18'].map((framework) => ['angular-solid', framework, framework]),
  ] as [name: string, framework: string, command: string][])(
    'of the page %s in %s takes a payment, and reports every outcome and error',
    async (name, framework, command) => {
      const server = await openQuickStart('server');
      server.quickStart.write(server.folder, 'public/index.html');
      server.quickStart.write(server.folder, 'server.mjs');
      await installExpress(server.quickStart);
      const shop = start(server.quickStart.command('node'), server.folder);
      const project = await makeProject('react-vue-svelte');
      const { quickStart, folder } = prepare(name, server.ports, project);
      const first = prepare('react-vue-svelte', server.ports, folder).quickStart;
      first.write(folder, 'shop.js', framework === 'angular' ? 'src/shop.js' : 'shop.js');
      if (framework === 'solid' || framework === 'react-18') first.write(folder, 'react/');
      quickStart.write(folder, `${framework}/`);
      await installAsShown(quickStart.command(framework, 'install'), folder);
      const vite = start(quickStart.command(command), folder);
      const url = await vi.waitFor(() => findAddress(vite), { timeout: READY_MS });

      await expectShop(shop, server.shopUrl, server.sandboxUrl, { pageUrl: url });
    },
    PATIENT_MS,
  );
});

describe('an app with server routes', () => {
  test.each([
    {
      framework: 'next',
      server: 'payments.js',
      client: 'checkout.js',
      build: 'npx next build',
    },
    {
      framework: 'nuxt',
      server: 'server/utils/payments.js',
      client: 'app/utils/checkout.js',
      build: 'npx nuxt build',
    },
    {
      framework: 'svelte-kit',
      server: 'src/lib/server/payments.js',
      client: 'src/lib/checkout.js',
      build: 'npx vite build',
    },
  ])(
    'in $framework is paid by its page, hears webhooks, ships once, builds, and opens a database that was away at its start (T152)',
    async ({ framework, server, client, build }) => {
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
      const built = await runToEnd(build, folder);
      expect(built.exitCode, built.output).toBe(0);
    },
    PATIENT_MS,
  );
});

expectEveryBlockRun([
  'docs/quick-start/react-vue-svelte.md',
  'docs/quick-start/angular-solid.md',
  'docs/quick-start/full-stack.md',
]);

async function expectNoOrder(page: Page, app: ShellProgram): Promise<void> {
  await page.getByRole('button', { name: 'Buy honey', exact: true }).click();
  await expectOn(page.getByRole('status').first(), app.output).toHaveText(
    'That did not work. Try again in a moment.',
    { timeout: READY_MS },
  );
}

function findAddress({ output }: ShellProgram): string {
  const [url] = /http:\/\/localhost:\d+/.exec(output) ?? [];
  if (!url) throw new Error(`No address was printed:\n${output}`);
  return url;
}
