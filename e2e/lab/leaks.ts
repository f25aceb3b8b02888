import { setTimeout as pause } from 'node:timers/promises';
import type { CDPSession, Page } from '@playwright/test';

const FREED_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 100;

export interface Footprint {
  nodes: number;
  listeners: number;
  documents: number;
  frames: number;
  globalListeners: number;
  timers: number;
  observers: number;
  ports: number;
  /** Adopted style sheets: the scroll lock is one. */
  sheets: number;
  heapBytes: number;
}

export interface LeakReport {
  untouched: Footprint;
  once: Footprint;
  after: Footprint;
}

type Counters = Pick<Footprint, 'timers' | 'observers' | 'ports'>;

interface Shop {
  counters: () => Counters;
  later: typeof requestAnimationFrame;
  ServicePay: {
    getPaid(options: object): { close(): void; result: Promise<unknown> };
    preload(options: { key: string }): void;
  };
}

/** Makes a page count its timers, observers and ports. Call it before the page is opened. */
export async function watchLeaks(page: Page): Promise<void> {
  await page.addInitScript(installCounters);
}

/**
 * Opens and closes the popup over and over, in turn: closed when it is shown, in the same tick,
 * loaded ahead, after success, and by an element that is taken out of the page. `options` are those
 * of new orders, which get references of their own; `paid` is the reference of an order that was
 * paid with the same. The page must have loaded the script by its tag, after `watchLeaks`.
 */
export async function measureLeaks(
  page: Page,
  cycles: number,
  { options, paid }: { options: object; paid: string },
): Promise<LeakReport> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const untouched = await measure(page, devtools);
  await page.evaluate(openAndClose, { from: 0, to: 1, options, paid });
  const once = await measureFreed(page, devtools, untouched);
  await page.evaluate(openAndClose, { from: 1, to: cycles, options, paid });
  const after = await measureFreed(page, devtools, untouched);
  await devtools.detach();
  return { untouched, once, after };
}

export function countLeft({ untouched, after }: LeakReport): [kind: string, count: number][] {
  const { heapBytes: _, ...before } = untouched;
  const kinds = Object.keys(before) as (keyof typeof before)[];
  return kinds.map((kind) => [kind, Math.max(0, after[kind] - before[kind])]);
}

/**
 * Measures until nothing is above the counts before, or until time is up: a busy browser cleans up
 * later than it counts.
 */
async function measureFreed(
  page: Page,
  devtools: CDPSession,
  { heapBytes: _, ...before }: Footprint,
): Promise<Footprint> {
  const kinds = Object.keys(before) as (keyof typeof before)[];
  for (const began = performance.now(); ; await pause(LOOK_AGAIN_MS)) {
    const now = await measure(page, devtools);
    if (
      kinds.every((kind) => now[kind] <= before[kind]) ||
      performance.now() - began > FREED_WITHIN_MS
    )
      return now;
  }
}

/** Collects garbage until the counts stop changing: a node freed late is no leak. */
async function measure(page: Page, devtools: CDPSession): Promise<Footprint> {
  let before: Footprint | undefined;
  for (;;) {
    // The browser's own list of loaded resources is no leak of ours.
    await page.evaluate(() => performance.clearResourceTimings());
    await devtools.send('HeapProfiler.collectGarbage');
    const now = await read(page, devtools);
    if (
      before &&
      now.nodes >= before.nodes &&
      now.listeners >= before.listeners &&
      now.documents >= before.documents
    )
      return now;
    before = now;
  }
}

async function read(page: Page, devtools: CDPSession): Promise<Footprint> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
  return {
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
    documents: metric('Documents'),
    frames: metric('Frames'),
    globalListeners:
      (await countListeners(devtools, 'window')) + (await countListeners(devtools, 'document')),
    ...(await page.evaluate(() => (window as unknown as Shop).counters())),
    sheets: await page.evaluate(() => document.adoptedStyleSheets.length),
    heapBytes: metric('JSHeapUsedSize'),
  };
}

async function countListeners(devtools: CDPSession, expression: string): Promise<number> {
  const { result } = await devtools.send('Runtime.evaluate', { expression });
  const { listeners } = await devtools.send('DOMDebugger.getEventListeners', {
    objectId: result.objectId!,
  });
  await devtools.send('Runtime.releaseObject', { objectId: result.objectId! });
  return listeners.length;
}

/**
 * Runs in the page: opens and closes one popup after the other, in one call, since each call would
 * leave its own code in the page.
 */
async function openAndClose(plan: {
  from: number;
  to: number;
  options: object;
  paid: string;
}): Promise<void> {
  const { ServicePay, later } = window as unknown as Shop;
  const { key, ...others } = plan.options as { key: string };
  const frame = () =>
    document.querySelector<HTMLIFrameElement>('service-pay > iframe, service-pay-popup > iframe');
  const shown = () =>
    new Promise<void>((resolve) => {
      const look = () => (frame()?.inert === false ? resolve() : later(look));
      look();
    });
  for (let cycle = plan.from; cycle < plan.to; cycle++) {
    const kind = cycle % 5;
    const reference = kind === 3 ? plan.paid : crypto.randomUUID();
    if (kind === 4) {
      const element = Object.assign(document.createElement('service-pay'), {
        publicKey: key,
        ...others,
        reference,
      });
      document.body.append(element);
      const { result } = (
        element as unknown as { pay(): ReturnType<Shop['ServicePay']['getPaid']> }
      ).pay();
      await shown();
      element.remove();
      await result;
      continue;
    }
    if (kind === 2) ServicePay.preload({ key });
    const { close, result } = ServicePay.getPaid({ key, ...others, reference });
    if (kind === 0 || kind === 2) await shown();
    if (kind !== 3) close();
    await result;
  }
}

function installCounters(): void {
  const live = {
    timers: new Set<unknown>(),
    observers: new Set<unknown>(),
    ports: new Set<unknown>(),
  };
  const shop = window as unknown as Shop;
  shop.later = window.requestAnimationFrame.bind(window);
  shop.counters = () => ({
    timers: live.timers.size,
    observers: live.observers.size,
    ports: live.ports.size,
  });

  type Plan = (act: (...args: unknown[]) => void, ...others: unknown[]) => number;
  const wrapTimer = (
    plan: 'setTimeout' | 'setInterval' | 'requestAnimationFrame',
    stop: 'clearTimeout' | 'clearInterval' | 'cancelAnimationFrame',
  ) => {
    const [begin, end] = [window[plan].bind(window) as Plan, window[stop].bind(window)];
    const name = (id: unknown) => `${stop} ${id}`;
    Object.assign(window, {
      [plan]: (act: (...args: unknown[]) => void, ...others: unknown[]) => {
        const id = begin(
          (...args) => {
            if (plan !== 'setInterval') live.timers.delete(name(id));
            act(...args);
          },
          ...others,
        );
        live.timers.add(name(id));
        return id;
      },
      [stop]: (id: number) => {
        live.timers.delete(name(id));
        end(id);
      },
    });
  };
  wrapTimer('setTimeout', 'clearTimeout');
  wrapTimer('setInterval', 'clearInterval');
  wrapTimer('requestAnimationFrame', 'cancelAnimationFrame');

  for (const { prototype } of [ResizeObserver, MutationObserver, IntersectionObserver] as {
    prototype: ResizeObserver;
  }[]) {
    const { observe, disconnect } = prototype;
    prototype.observe = function (...args) {
      live.observers.add(this);
      observe.apply(this, args);
    };
    prototype.disconnect = function () {
      live.observers.delete(this);
      disconnect.apply(this);
    };
  }

  const { close } = MessagePort.prototype;
  MessagePort.prototype.close = function () {
    live.ports.delete(this);
    close.apply(this);
  };
  window.MessageChannel = class extends MessageChannel {
    constructor() {
      super();
      live.ports.add(this.port1);
    }
  };
}
