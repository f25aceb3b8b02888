import type { Browser, CDPSession, Frame, Page } from 'playwright-core';

import { type Figure, median } from './figures.ts';
import { freshOptions } from './merchant-pages.ts';

const RUNS = 15;
const SLOWED = 4;

/** A mobile network as half of Africa knows it: 150 ms there and back, 1.6 Mbit/s down. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};

/**
 * What one opening cost, in milliseconds: from the call to the paint, and the longest task of the
 * page from its tag to then.
 */
interface Opening {
  paintedMs: number;
  longestTaskMs: number;
}

/**
 * B5 and B8: the popup beside the Lit floor, by turns, each on a fresh page with a slowed
 * processor.
 */
export async function measureOpening(
  browser: Browser,
  pagesUrl: string,
  serviceUrl: string,
): Promise<Figure[]> {
  const frame = `${serviceUrl}/checkout/v1/?key=pub_sandbox_demo&origin=${encodeURIComponent(pagesUrl)}`;
  const pairs: { popup: Opening; floor: Opening }[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const popup = await timeOpening(
      browser,
      `${pagesUrl}/popup`,
      `ServicePay.getPaid(${JSON.stringify(freshOptions())})`,
    );
    const floor = await timeOpening(
      browser,
      `${pagesUrl}/floor`,
      `openFloor(${JSON.stringify(frame)})`,
    );
    if (run > 0) pairs.push({ popup, floor }); // the first run warms the browser's own caches
  }
  const figure = (id: string, name: string, member: keyof Opening): Figure => ({
    id,
    name: `${name}, CPU ÷ ${SLOWED}`,
    unit: '×',
    budget: 1,
    direction: 'at most',
    runs: pairs.map(({ popup, floor }) => popup[member] / floor[member]),
    floor: `Lit floor ${middle(pairs.map(({ floor }) => floor[member]))}, popup ${middle(pairs.map(({ popup }) => popup[member]))}`,
  });
  return [
    figure('B5', 'getPaid → dialog painted', 'paintedMs'),
    figure('B8', 'longest task from tag to open', 'longestTaskMs'),
  ];
}

/**
 * B6 and B7: from the call to a card number that can be typed, on a slow phone and a slow network.
 * Cold is a fresh profile in which the page alone has loaded; ahead is the same after `preload()`.
 * `browser` must keep page and frame in one process, as small phones do: the slowing then holds for
 * both.
 */
export async function measureForm(browser: Browser, pagesUrl: string): Promise<Figure[]> {
  const cold: number[] = [];
  const ahead: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    cold.push(await timeForm(browser, pagesUrl, false));
    ahead.push(await timeForm(browser, pagesUrl, true));
  }
  const conditions = `CPU ÷ ${SLOWED}, 150 ms, 1.6 Mbit/s`;
  return [
    {
      id: 'B6',
      name: `getPaid → card number typed, cold, ${conditions}`,
      unit: 'ms',
      budget: 1_500,
      direction: 'at most',
      runs: cold,
    },
    {
      id: 'B7',
      name: 'the same after preload()',
      unit: 'ms',
      budget: 100,
      direction: 'at most',
      runs: ahead,
    },
  ];
}

async function timeOpening(browser: Browser, url: string, call: string): Promise<Opening> {
  const { page, devtools, close } = await openSlowedPage(browser);
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await page.goto(url);
  const paintedMs = (await page.evaluate(
    `new Promise((resolve) => {
      requestAnimationFrame(() => setTimeout(() => {
        const start = performance.now();
        ${call};
        const look = () => requestAnimationFrame(() => {
          const painted = new MessageChannel();
          painted.port1.onmessage = () => isOpen(document) ? resolve(performance.now() - start) : look();
          painted.port2.postMessage(null);
        });
        look();
      }));
      const isOpen = (root) => [...root.querySelectorAll('*')].some((element) =>
        element.matches('dialog[open]') || (element.shadowRoot && isOpen(element.shadowRoot)));
    })`,
  )) as number;
  const longestTaskMs = findLongestTask(await browser.stopTracing(), url);
  await devtools.detach();
  await close();
  return { paintedMs, longestTaskMs };
}

/** The longest task of the thread that ran the page at `url`, out of a trace. */
function findLongestTask(trace: Buffer, url: string): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const commit = traceEvents.find(
    ({ name, args }) => name === 'CommitLoad' && args?.data?.url === url,
  );
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) =>
      name === 'ThreadControllerImpl::RunTask' && pid === commit?.pid && tid === commit?.tid,
  );
  if (!commit || !tasks.length) throw new Error(`The trace of ${url} holds no tasks.`);
  return Math.max(...tasks.filter(({ ts }) => ts >= commit.ts).map(({ dur = 0 }) => dur)) / 1000;
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds. */
  ts: number;
  dur?: number;
  args?: { data?: { url?: string } };
}

async function timeForm(browser: Browser, pagesUrl: string, isAhead: boolean): Promise<number> {
  const { page, devtools, close } = await openSlowedPage(browser);
  await page.addInitScript(watchForm, { cardNumber: CARD_NUMBER, pageOrigin: pagesUrl });
  await page.goto(`${pagesUrl}/popup`);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  if (isAhead) {
    await page.evaluate(`ServicePay.preload({ key: 'pub_sandbox_demo' })`);
    await frameOf(page).then((frame) => frame.waitForLoadState('networkidle'));
  }
  const took = await page.evaluate(
    `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
      const start = Date.now();
      const moments = Promise.all([
        new Promise((stands) => addEventListener('message', ({ data }) => data.formStoodAt && stands(data.formStoodAt))),
        whenThere(${JSON.stringify(OPEN_FRAME)}),
      ]);
      ServicePay.getPaid(${JSON.stringify(freshOptions())});
      moments.then((times) => resolve(Math.max(...times) - start));
    })))`,
  );
  await close();
  return took as number;
}

/** In the page: the frame that takes what is typed. In the frame: the field for the card number. */
const OPEN_FRAME = 'dialog[open] iframe:not([inert])';
const CARD_NUMBER = 'input[autocomplete="cc-number"]';

/**
 * Runs in page and frame before anything else, since whatever is brought in later would be measured
 * along. `whenThere` gives the time at which an element can be seen in the document or a shadow
 * root, asked once a frame of animation; the frame tells its page of the field.
 */
function watchForm({ cardNumber, pageOrigin }: { cardNumber: string; pageOrigin: string }): void {
  const isThere = (root: ParentNode, selector: string): boolean =>
    [...root.querySelectorAll('*')].some(
      (element) =>
        (element.matches(selector) && element.getClientRects().length > 0) ||
        (element.shadowRoot !== null && isThere(element.shadowRoot, selector)),
    );
  const whenThere = (selector: string): Promise<number> =>
    new Promise((resolve) => {
      const look = () =>
        isThere(document, selector) ? resolve(Date.now()) : requestAnimationFrame(look);
      look();
    });
  if (window === window.top) Object.assign(window, { whenThere });
  else
    void whenThere(cardNumber).then((formStoodAt) =>
      window.parent.postMessage({ formStoodAt }, pageOrigin),
    );
}

async function frameOf(page: Page): Promise<Frame> {
  const isCheckout = (frame: Frame) => frame.url().includes('/checkout/v1/');
  return page.frames().find(isCheckout) ?? page.waitForEvent('framenavigated', isCheckout);
}

async function openSlowedPage(
  browser: Browser,
): Promise<{ page: Page; devtools: CDPSession; close: () => Promise<void> }> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  return { page, devtools, close: () => context.close() };
}

function middle(times: number[]): string {
  return `${median(times).toFixed(0)} ms`;
}
