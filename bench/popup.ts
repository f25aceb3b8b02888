import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

import { startSandbox } from '@service-pay/sandbox';
import { type Browser, chromium, type Page, type Response } from 'playwright-core';
import { build } from 'vite';

import { requireBrowser } from '../scripts/find-browser.ts';
import type { Figure } from './figures.ts';

const RUNS = 15;
const SLOWED = 4;
const root = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/** B1 to B5 and B8: what the popup weighs, how often it asks the network, and how soon it is there (budgets of the popup). */
export async function measurePopup(): Promise<Figure[]> {
  const service = await startSandbox({ port: 0 });
  const pages = await serve(service.url, await buildFloor());
  const browser = await chromium.launch({
    executablePath: requireBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    const loads = await countLoads(browser, pages.url);
    const opens = await compareOpening(browser, pages.url, service.url);
    const inline = brotliCompressSync(await readFile(root('widget/dist/js/v1/inline.js'))).length / 1000;
    return [
      { id: 'B1', name: 'inline.js, brotli', unit: 'kB', budget: 10.5, direction: 'at most', runs: [inline] },
      { id: 'B2', name: 'frame to an interactive card form, brotli', unit: 'kB', budget: 25, direction: 'at most', runs: [loads.first] },
      { id: 'B3', name: 'frame, all it can load in one language, brotli', unit: 'kB', budget: 45, direction: 'at most', runs: [loads.all] },
      { id: 'B4', name: 'requests from getPaid to an interactive form', unit: '', budget: 4, direction: 'at most', runs: [loads.requests] },
      {
        id: 'B5',
        name: `getPaid → dialog painted, CPU ÷ ${SLOWED}`,
        unit: '×',
        budget: 1,
        direction: 'at most',
        runs: opens.map(({ popup, floor }) => popup / floor),
        floor: `Lit floor ${opens
          .map(({ floor }) => floor)
          .sort((a, b) => a - b)
          [RUNS >> 1]?.toFixed(0)} ms, popup ${opens
          .map(({ popup }) => popup)
          .sort((a, b) => a - b)
          [RUNS >> 1]?.toFixed(0)} ms`,
      },
    ];
  } finally {
    await browser.close();
    pages.server.close();
    await service.close();
  }
}

/** Opens both popups by turns, each on a fresh page with a slowed processor, and times call to paint. */
async function compareOpening(browser: Browser, pagesUrl: string, serviceUrl: string): Promise<{ popup: number; floor: number }[]> {
  const runs: { popup: number; floor: number }[] = [];
  for (let run = 0; run <= RUNS; run++) {
    const popup = await timeOpening(browser, `${pagesUrl}/popup`, `ServicePay.getPaid(${JSON.stringify(request())})`);
    const frame = `${serviceUrl}/checkout/v1/?key=pub_sandbox_demo&origin=${encodeURIComponent(pagesUrl)}`;
    const floor = await timeOpening(browser, `${pagesUrl}/floor`, `openFloor(${JSON.stringify(frame)})`);
    if (run > 0) runs.push({ popup, floor }); // the first run warms the browser's own caches
  }
  return runs;
}

async function timeOpening(browser: Browser, url: string, call: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForLoadState('load');
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  const took = await page.evaluate(
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
  );
  await context.close();
  return took as number;
}

/**
 * What the frame loads until a card number can be typed, and after a walk through its other screens, compressed as it is served.
 * Files that the page does not name wait until then, so that what is fetched besides is never counted as the form's.
 */
async function countLoads(browser: Browser, pagesUrl: string): Promise<{ first: number; all: number; requests: number }> {
  const html = await readFile(root('widget/dist/checkout/v1/index.html'), 'utf8');
  const context = await browser.newContext();
  const page = await context.newPage();
  const interactive = Promise.withResolvers<void>();
  await page.route(/\/checkout\/v1\/assets\//, async (route) => {
    if (!html.includes(new URL(route.request().url()).pathname)) await interactive.promise;
    await route.continue();
  });
  const answers: Response[] = [];
  page.on('response', (response) => {
    if (response.frame() !== page.mainFrame()) answers.push(response);
  });
  await page.goto(`${pagesUrl}/popup`);
  await page.evaluate(
    (options) => (globalThis as unknown as { ServicePay: { getPaid(o: object): void } }).ServicePay.getPaid(options),
    request(),
  );
  const frame = page.frameLocator('iframe[title="Secure payment"]');
  await frame.getByLabel('Card number').fill('4');
  const untilForm = [...answers];
  interactive.resolve();
  const first = await total(untilForm);
  await walk(page);
  const all = await total(answers);
  await context.close();
  return { first, all, requests: untilForm.length };
}

/** Through the screens that could load something more: declined card, mobile money, one-time code, prompt. */
async function walk(page: Page): Promise<void> {
  const frame = page.frameLocator('iframe[title="Secure payment"]');
  await frame.getByRole('radio', { name: 'Mobile money' }).check();
  await frame.getByRole('radio', { name: 'MTN' }).check();
  await frame.getByLabel('Phone number').fill('0969999999');
  await frame.getByRole('button', { name: /^Pay/ }).click();
  await frame.getByLabel('One-time code').fill('000000');
  await frame.getByRole('button', { name: 'Confirm' }).click();
  await frame.getByRole('heading', { name: 'Payment successful' }).waitFor();
}

async function total(answers: Response[]): Promise<number> {
  const files = answers.filter((answer) => /\/checkout\/v1\/(assets\/|\?)/.test(answer.url()));
  const sizes = await Promise.all(files.map(async (file) => brotliCompressSync(await file.body()).length));
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

function request(): object {
  return { key: 'pub_sandbox_demo', email: 'mary@example.com', reference: `bench-${crypto.randomUUID()}`, amount: 10, currency: 'ZMW' };
}

async function buildFloor(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, lib: { entry: root('bench/floor/lit-floor.ts'), formats: ['iife'], name: 'floor', fileName: () => 'floor.js' } },
  });
  const [output] = Array.isArray(result) ? result : [];
  const chunk = output?.output[0];
  if (!chunk) throw new Error('The Lit floor could not be built.');
  return chunk.code;
}

/** Two merchant pages that differ in their script alone, on a third origin. */
async function serve(serviceUrl: string, floor: string): Promise<{ server: Server; url: string }> {
  const script: Record<string, string> = { '/popup': `${serviceUrl}/js/v1/inline.js`, '/floor': '/floor.js' };
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (path === '/floor.js') response.setHeader('content-type', 'text/javascript').end(floor);
    else if (script[path]) {
      response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(
          `<!doctype html><html lang="en"><title>A merchant</title><body><h1>A merchant</h1><script src="${script[path]}"></script></body></html>`,
        );
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
