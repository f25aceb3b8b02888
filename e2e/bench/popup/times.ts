import type { Browser, Frame, Page } from '@playwright/test';
import { median } from '../../lab/percentile.ts';
import type { Figure } from '../support/figures.ts';
import { freshOptions, type MerchantPages } from './merchant-pages.ts';
import { NETWORK, openSlowedPage, SLOWED } from './slowed-page.ts';

interface Side {
  url: string;
  preload: string;
  open: () => string;
  frameUrl: string;
}

/**
 * The cost of one opening in milliseconds: of the call itself, from the call to the second frame in
 * which any of the sheet is on screen, and the longest task of the page from its tag to then.
 */
interface Opening {
  ownMs: number;
  shownMs: number;
  longestTaskMs: number;
}

/** B5 and B8: the popup and the Lit floor in turn, each on a fresh page with a slowed processor. */
export async function measureOpening(
  browser: Browser,
  pagesUrl: string,
  serviceUrl: string,
  runs: number,
): Promise<Figure[]> {
  const frame = `${serviceUrl}/checkout/v1/?key=pub_sandbox_demo&origin=${encodeURIComponent(pagesUrl)}`;
  const pairs: { popup: Opening; floor: Opening }[] = [];
  for (let run = 0; run <= runs; run++) {
    const popup = await timeOpening(browser, `${pagesUrl}/popup`, callGetPaid());
    const floor = await timeOpening(
      browser,
      `${pagesUrl}/lit-floor`,
      `openFloor(${JSON.stringify(frame)})`,
    );
    if (run > 0) pairs.push({ popup, floor }); // the first run warms the browser's own caches
  }
  const figure = (
    id: string,
    budget: number,
    name: string,
    member: keyof Opening,
    ofFloor = member,
  ): Figure =>
    compare(
      { id, name: `${name}, CPU ÷ ${SLOWED}, against the Lit floor`, budget },
      pairs.map(({ popup, floor }) => ({ popup: popup[member], floor: floor[ofFloor] })),
    );
  return [
    figure('B5', 0.9, 'getPaid → second frame of the sheet', 'shownMs'),
    figure('B5', 0.6, 'getPaid itself', 'ownMs', 'shownMs'),
    figure('B8', 1, 'longest task from tag to open', 'longestTaskMs'),
  ];
}

/**
 * B6 and B7: from the call to a card number that can be typed, on a slow phone and a slow network,
 * the popup and a floor in turn. Cold is a fresh profile in which the page alone has loaded; ahead
 * is the same after `preload()`. `browser` must keep page and frame in one process, as small phones
 * do, so that both are slowed.
 */
export async function measureForm(
  browser: Browser,
  pages: MerchantPages,
  serviceUrl: string,
  runs: number,
): Promise<Figure[]> {
  const popup: Side = {
    url: `${pages.url}/popup`,
    preload: `ServicePay.preload({ key: 'pub_sandbox_demo' })`,
    open: callGetPaid,
    frameUrl: `${serviceUrl}/checkout/v1/`,
  };
  const floor: Side = {
    url: `${pages.url}/input-floor`,
    preload: `preloadInput(${JSON.stringify(pages.inputUrl)})`,
    open: () => `openInput(${JSON.stringify(pages.inputUrl)})`,
    frameUrl: pages.inputUrl,
  };
  const cold: Pair[] = [];
  const ahead: Pair[] = [];
  for (let run = 0; run <= runs; run++) {
    for (const [pairs, isAhead] of [[cold, false] as const, [ahead, true] as const]) {
      const pair = {
        popup: await timeForm(browser, popup, isAhead),
        floor: await timeForm(browser, floor, isAhead),
      };
      if (run > 0) pairs.push(pair); // the first run warms the browser's own caches
    }
  }
  const conditions = `CPU ÷ ${SLOWED}, 150 ms, 1.6 Mbit/s`;
  const against = 'against a frame with one input';
  return [
    compare(
      {
        id: 'B6',
        name: `getPaid → card number typed, cold, ${conditions}, ${against}`,
        budget: 2.6,
      },
      cold,
    ),
    {
      ...compare({ id: 'B7', name: 'the same after preload()', budget: 160 }, ahead),
      unit: 'ms',
      runs: ahead.map(({ popup }) => popup),
    },
  ];
}

interface Pair {
  popup: number;
  floor: number;
}

function compare(
  figure: Pick<Figure, 'id' | 'name'> & { budget: number },
  pairs: readonly Pair[],
): Figure {
  const middle = (side: keyof Pair) => `${median(pairs.map((pair) => pair[side])).toFixed(0)} ms`;
  return {
    ...figure,
    unit: '×',
    direction: 'at most',
    runs: pairs.map(({ popup, floor }) => popup / floor),
    compared: `popup ${middle('popup')}, floor ${middle('floor')}`,
  };
}

function callGetPaid(): string {
  return `ServicePay.getPaid(${JSON.stringify(freshOptions())})`;
}

async function timeOpening(browser: Browser, url: string, call: string): Promise<Opening> {
  const { page, devtools, close } = await openSlowedPage(browser);
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await page.goto(url);
  const times = (await page.evaluate(
    `new Promise((resolve) => {
      requestAnimationFrame(() => setTimeout(() => {
        const start = performance.now();
        ${call};
        const ownMs = performance.now() - start;
        let frames = 0;
        const look = () => requestAnimationFrame(() => {
          const painted = new MessageChannel();
          painted.port1.onmessage = () => {
            const shownMs = performance.now() - start;
            if (isShown(document) && ++frames === 2) resolve({ ownMs, shownMs });
            else look();
          };
          painted.port2.postMessage(null);
        });
        look();
      }));
      const isShown = (root) => [...root.querySelectorAll('*')].some((element) =>
        (element.matches('dialog[open] button') && isOnScreen(element.parentElement)) ||
        (element.shadowRoot && isShown(element.shadowRoot)));
      // The sheet holds the Close button. It may fade in or slide in from below.
      const isOnScreen = (sheet) => {
        const { top, bottom } = sheet.getBoundingClientRect();
        return top < innerHeight && bottom > 0 &&
          sheet.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      };
    })`,
  )) as Pick<Opening, 'ownMs' | 'shownMs'>;
  const longestTaskMs = findLongestTask(await browser.stopTracing(), url);
  await devtools.detach();
  await close();
  return { ...times, longestTaskMs };
}

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

async function timeForm(browser: Browser, side: Side, isAhead: boolean): Promise<number> {
  const { page, devtools, close } = await openSlowedPage(browser);
  const pageOrigin = new URL(side.url).origin;
  await page.addInitScript(watchForm, { cardNumber: CARD_NUMBER, pageOrigin });
  await page.goto(side.url);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  if (isAhead) {
    await page.evaluate(side.preload);
    await frameOf(page, side.frameUrl).then((frame) => frame.waitForLoadState('networkidle'));
  }
  const took = await page.evaluate(
    `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
      const start = Date.now();
      const moments = Promise.all([formShown, whenThere(${JSON.stringify(OPEN_FRAME)})]);
      ${side.open()};
      moments.then((times) => resolve(Math.max(...times) - start));
    })))`,
  );
  await close();
  return took as number;
}

/** In the page: the frame that takes input. In the frame: the field for the card number. */
const OPEN_FRAME = ':is(dialog[open], service-pay-popup) iframe:not([inert])';
const CARD_NUMBER = 'input[autocomplete="cc-number"]';

/**
 * Runs in page and frame before anything else, since a script loaded later would be measured too.
 * In the page, `formShown` is the time at which the frame's field was first painted, and
 * `whenThere` the time at which an element is in the document or a shadow root, checked once a
 * frame of animation.
 */
function watchForm({ cardNumber, pageOrigin }: { cardNumber: string; pageOrigin: string }): void {
  const find = (root: ParentNode, selector: string): Element | undefined => {
    for (const element of root.querySelectorAll('*')) {
      const found = element.matches(selector) && element.getClientRects().length > 0;
      const inside = element.shadowRoot ? find(element.shadowRoot, selector) : undefined;
      if (found || inside) return inside ?? element;
    }
    return undefined;
  };
  const whenThere = (selector: string): Promise<Element> =>
    new Promise((resolve) => {
      const look = () => {
        const element = find(document, selector);
        if (element) resolve(element);
        else requestAnimationFrame(look);
      };
      look();
    });
  const formShown = new Promise((resolve) =>
    addEventListener('message', ({ data }) => data.formShownAt && resolve(data.formShownAt)),
  );
  if (window === window.top)
    Object.assign(window, {
      formShown,
      whenThere: (selector: string) => whenThere(selector).then(() => Date.now()),
    });
  else watchField();

  function watchField(): void {
    let watched: Element | undefined;
    let isShown = false;
    // A frame loaded ahead may be hidden, and a visible field still has to be painted.
    const observer = new IntersectionObserver((entries) => {
      if (isShown || !entries.some(({ isIntersecting }) => isIntersecting)) return;
      isShown = true;
      observer.disconnect();
      requestAnimationFrame(() => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () =>
          window.parent.postMessage({ formShownAt: Date.now() }, pageOrigin);
        painted.port2.postMessage(null);
      });
    });
    const look = () => {
      if (isShown) return;
      const field = find(document, cardNumber);
      // the form may be drawn again
      if (field && field !== watched) {
        observer.disconnect();
        observer.observe(field);
        watched = field;
      }
      requestAnimationFrame(look);
    };
    look();
  }
}

async function frameOf(page: Page, url: string): Promise<Frame> {
  const isIt = (frame: Frame) => frame.url().startsWith(url);
  return page.frames().find(isIt) ?? page.waitForEvent('framenavigated', isIt);
}
