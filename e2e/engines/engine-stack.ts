import { type Engine, findFirefox, findWebKit } from '../../scripts/programs/find-engines.ts';
import { expect, test as stackTest } from '../stack.ts';
import { Customer } from './customer.ts';
import { startFirefox } from './firefox.ts';
import type { EngineBrowser } from './tab.ts';
import { startWebKit } from './webkit.ts';

export interface EngineOptions {
  engine: Engine;
}

export const test = stackTest.extend<
  { customer: Customer },
  EngineOptions & { engineBrowser: EngineBrowser }
>({
  engine: ['firefox', { option: true, scope: 'worker' }],
  engineBrowser: [
    async ({ engine }, use) => {
      const browser = await startEngine(engine);
      await use(browser);
      await browser.close();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  customer: async ({ engineBrowser }, use, info) => {
    const tab = await engineBrowser.openTab();
    await use(new Customer(tab));
    if (info.status !== info.expectedStatus)
      await tab.screenshot(info.outputPath('at-failure.png'));
    await tab.close();
  },
});

export { expect };

async function startEngine(engine: Engine): Promise<EngineBrowser> {
  const firefox = engine === 'firefox' && findFirefox();
  if (firefox) return startFirefox(firefox);
  const webkit = engine === 'webkit' && findWebKit();
  if (webkit) return startWebKit(webkit);
  throw new Error(`There is no ${engine} on this machine.`);
}
