import type { Browser } from '@playwright/test';

import type { Figure } from '../support/figures.ts';
import { freshOptions, type MerchantPages } from './merchant-pages.ts';
import { NETWORK, openSlowedPage } from './slowed-page.ts';

/** What an opening reaches in turn, each with what it then took. */
const PHASES = {
  called: 'press → getPaid has returned',
  sheet: '→ the sheet is painted',
  greeted: '→ the frame’s script runs',
  opened: '→ the frame knows the request',
  drawn: '→ the form is in its document',
  painted: '→ the form is painted',
  shown: '→ the page has taken its skeleton away',
} as const;

type Moment = keyof typeof PHASES;
type Moments = Partial<Record<Moment, number>> & { pressed: number };

/**
 * Where the time of B6 and B7 goes: the phases of one opening, cold and after `preload()`. What
 * `preload()` has reached before the press counts as no time.
 */
export async function measurePhases(
  browser: Browser,
  pages: MerchantPages,
  runs: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const isAhead of [false, true]) {
    const took: Record<Moment, number[]> = Object.fromEntries(
      Object.keys(PHASES).map((name) => [name, [] as number[]]),
    ) as Record<Moment, number[]>;
    for (let run = 0; run <= runs; run++) {
      const moments = await watchOpening(browser, pages, isAhead);
      let before = moments.pressed;
      for (const name of Object.keys(PHASES) as Moment[]) {
        const at = Math.max(before, moments[name] ?? before);
        if (run > 0) took[name].push(at - before); // the first run warms the browser's own caches
        before = at;
      }
    }
    for (const [name, phase] of Object.entries(PHASES))
      figures.push({
        id: isAhead ? 'B7' : 'B6',
        name: `${isAhead ? 'after preload()' : 'cold'}: ${phase}`,
        unit: 'ms',
        runs: took[name as Moment],
      });
  }
  return figures;
}

async function watchOpening(
  browser: Browser,
  pages: MerchantPages,
  isAhead: boolean,
): Promise<Moments> {
  const { page, devtools, close } = await openSlowedPage(browser);
  const pageOrigin = new URL(pages.url).origin;
  await page.addInitScript(watchMoments, pageOrigin);
  await page.goto(`${pages.url}/popup`);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', NETWORK);
  if (isAhead) {
    await page.evaluate(`ServicePay.preload({ key: 'pub_sandbox_demo' })`);
    await page.waitForFunction(() => 'greeted' in (window as unknown as Watched).moments);
    await page.frames()[1]?.waitForLoadState('networkidle');
  }
  const moments = await page.evaluate(
    `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => {
      moments.pressed = Date.now();
      ServicePay.getPaid(${JSON.stringify(freshOptions())});
      moments.called = Date.now();
      allThere.then(() => resolve(moments));
    })))`,
  );
  await close();
  return moments as Moments;
}

type Watched = { moments: Partial<Record<Moment, number>>; allThere: Promise<void> };

/** Runs in page and frame before anything else, and notes in the page when each phase has ended. */
function watchMoments(pageOrigin: string): void {
  const find = (root: ParentNode, selector: string): Element | undefined => {
    for (const element of root.querySelectorAll('*')) {
      if (element.matches(selector) && element.getClientRects().length > 0) return element;
      const inside = element.shadowRoot && find(element.shadowRoot, selector);
      if (inside) return inside;
    }
    return undefined;
  };
  const whenFound = (selector: string, then: () => void) => {
    const look = () => (find(document, selector) ? then() : requestAnimationFrame(look));
    look();
  };
  // Before other tasks, such as the request's message to a frame loaded ahead.
  const afterPaint = (then: () => void) =>
    void scheduler.postTask(then, { priority: 'user-blocking' });
  if (window === window.top) {
    const moments: Partial<Record<Moment, number>> = {};
    const { promise, resolve } = Promise.withResolvers<void>();
    const note = (name: Moment, at = Date.now()) => {
      moments[name] ??= at;
      if (moments.painted && moments.shown) resolve();
    };
    Object.assign(window, { moments, allThere: promise });
    addEventListener('message', ({ data }) => {
      if (data.type === 'service-pay:ready') note('greeted');
      if (data.moment) note(data.moment, data.at);
    });
    whenFound('dialog[open] button', () => afterPaint(() => note('sheet')));
    whenFound(':is(dialog[open], service-pay-popup) iframe:not([inert])', () =>
      afterPaint(() => note('shown')),
    );
  } else {
    // With its time: the page hears of it only when the frame's own work has ended.
    const note = (moment: Moment) =>
      window.parent.postMessage({ moment, at: Date.now() }, pageOrigin);
    addEventListener('message', ({ data }) => {
      if (data.type !== 'service-pay:open') return;
      note('opened');
      whenFound('input[autocomplete="cc-number"]', () => {
        note('drawn');
        requestAnimationFrame(() => afterPaint(() => note('painted')));
      });
    });
  }
}
