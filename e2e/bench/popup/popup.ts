import { type Browser, chromium } from '@playwright/test';
import { startSandbox } from '@service-pay/sandbox';

import { buildStaleWidget } from '../../../scripts/build/built-widget.ts';
import { requireBrowser } from '../../../scripts/programs/find-browser.ts';
import type { Figure, Scale } from '../support/figures.ts';
import { measureLeftovers } from './leaks.ts';
import { measureLoads } from './loads.ts';
import { serveMerchantPages } from './merchant-pages.ts';
import { measurePhases } from './phases.ts';
import { measureSteps } from './steps.ts';
import { measureForm, measureOpening } from './times.ts';

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A phone with little memory gives page and frame one process. */
const ONE_PROCESS = [
  '--disable-features=IsolateOrigins,site-per-process',
  '--disable-site-isolation-trials',
];

/** The interpreter alone, so that a heap holds no compiled code. */
const WITHOUT_MACHINE_CODE = ['--js-flags=--no-sparkplug --no-maglev --no-turbofan'];

export async function measurePopup({ runs }: Scale): Promise<Figure[]> {
  await buildStaleWidget();
  const service = await startSandbox({ port: 0 });
  const pages = await serveMerchantPages(service.url);
  try {
    const figures = [
      ...(await inBrowser([], (browser) => measureLoads(browser, pages.url))),
      ...(await inBrowser([], (browser) => measureOpening(browser, pages.url, service.url, runs))),
      ...(await inBrowser(ONE_PROCESS, (browser) =>
        measureForm(browser, pages, service.url, runs),
      )),
      ...(await inBrowser(ONE_PROCESS, (browser) => measurePhases(browser, pages, runs))),
      ...(await inBrowser(ONE_PROCESS, (browser) => measureSteps(browser, pages.url, runs))),
      ...(await inBrowser(WITHOUT_MACHINE_CODE, (browser) =>
        measureLeftovers(browser, pages.url, service),
      )),
    ];
    return figures.sort((one, other) => Number(one.id.slice(1)) - Number(other.id.slice(1)));
  } finally {
    pages.close();
    await service.close();
  }
}

async function inBrowser<Result>(
  args: string[],
  measure: (browser: Browser) => Promise<Result>,
): Promise<Result> {
  const browser = await chromium.launch({
    executablePath: requireBrowser(),
    args: [...QUIET, ...args],
  });
  try {
    return await measure(browser);
  } finally {
    await browser.close();
  }
}
