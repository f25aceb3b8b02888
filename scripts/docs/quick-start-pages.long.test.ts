import { describe, test, vi } from 'vitest';
import { expectEveryBlockRun } from './every-block.ts';
import type { ShellProgram } from './marked-page.ts';
import {
  expectShop,
  installAsShown,
  installExpress,
  makeProject,
  openQuickStart,
  PATIENT_MS,
  prepare,
  READY_MS,
  setUpReader,
  start,
} from './test-quick-start.ts';

setUpReader();

describe('a single-page app', () => {
  test.each([
    ...['react', 'react-18', 'vue', 'svelte', 'solid'].map((framework) => [framework, 'vite']),
    ['angular', 'angular'],
  ] as [framework: string, command: string][])(
    'a single-page app in %s takes a payment, and reports every outcome and error',
    async (framework, command) => {
      const server = await openQuickStart('server');
      server.quickStart.write(server.folder, 'public/index.html');
      server.quickStart.write(server.folder, 'server.mjs');
      await installExpress(server.quickStart);
      const shop = start(server.quickStart.command('node'), server.folder);
      const project = await makeProject('react-vue-svelte');
      const { quickStart, folder } = prepare('react-vue-svelte', server.ports, project);
      quickStart.write(folder, 'shop.js', framework === 'angular' ? 'src/shop.js' : 'shop.js');
      if (framework === 'solid' || framework === 'react-18') quickStart.write(folder, 'react/');
      quickStart.write(folder, `${framework}/`);
      await installAsShown(quickStart.command(framework, 'install'), folder);
      const vite = start(quickStart.command(command), folder);
      const url = await vi.waitFor(() => findAddress(vite), { timeout: READY_MS });

      await expectShop(shop, server.shopUrl, server.sandboxUrl, { pageUrl: url });
    },
    PATIENT_MS,
  );
});

expectEveryBlockRun(['docs/quick-start/react-vue-svelte.md']);

function findAddress({ output }: ShellProgram): string {
  const [url] = /http:\/\/localhost:\d+/.exec(output) ?? [];
  if (!url) throw new Error(`No address was printed:\n${output}`);
  return url;
}
