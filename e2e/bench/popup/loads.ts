import { readdir, readFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';

import type { Browser, Response } from '@playwright/test';

import { SIZE_BUDGETS } from '../../../scripts/build/size-budgets.ts';
import type { Figure } from '../support/figures.ts';
import { freshOptions } from './merchant-pages.ts';

const DIST = new URL('../../../widget/dist/', import.meta.url);
const PAGE = new URL('checkout/v1/index.html', DIST);
const ASSETS = new URL('checkout/v1/assets/', DIST);
const FRAME = 'iframe[title="Secure payment"]';

const LANGUAGE = /^[a-z]{2}-[\w-]+\.js$/;

/**
 * B1 to B4 and B11: the sizes of the popup and the flow, and the popup's requests. Compression is brotli at its best, kB are 1000
 * bytes.
 */
export async function measureLoads(browser: Browser, pagesUrl: string): Promise<Figure[]> {
  const inline = await weighFile(new URL('js/v1/inline.js', DIST));
  const { first, requests } = await countLoads(browser, pagesUrl);
  return [
    {
      id: 'B1',
      name: 'inline.js, brotli',
      unit: 'kB',
      budget: SIZE_BUDGETS.script,
      direction: 'at most',
      runs: [inline],
    },
    {
      id: 'B2',
      name: 'frame to an interactive card form, brotli',
      unit: 'kB',
      budget: SIZE_BUDGETS.form,
      direction: 'at most',
      runs: [first],
    },
    {
      id: 'B3',
      name: 'frame, all it can load in the heaviest language, brotli',
      unit: 'kB',
      budget: SIZE_BUDGETS.frame,
      direction: 'at most',
      runs: [await weighAll()],
    },
    {
      id: 'B4',
      name: 'requests from getPaid to an interactive form',
      unit: '',
      budget: 4,
      direction: 'at most',
      runs: [requests],
    },
    {
      id: 'B11',
      name: 'flow.js, brotli',
      unit: 'kB',
      budget: SIZE_BUDGETS.flow,
      direction: 'at most',
      runs: [await weighFile(new URL('js/v1/flow.js', DIST))],
    },
  ];
}

/**
 * Weighs the files the frame loads until a card number can be typed, compressed as they are served.
 * Files that the page does not name are held back until then, so they never count.
 */
async function countLoads(
  browser: Browser,
  pagesUrl: string,
): Promise<{ first: number; requests: number }> {
  const html = await readFile(PAGE, 'utf8');
  const context = await browser.newContext();
  const page = await context.newPage();
  const interactive = Promise.withResolvers<void>();
  await page.route(/\/checkout\/v1\/assets\//, async (route) => {
    if (!html.includes(new URL(route.request().url()).pathname)) await interactive.promise;
    await route.continue();
  });
  const responses: Response[] = [];
  page.on('response', (response) => {
    if (response.frame() !== page.mainFrame()) responses.push(response);
  });
  await page.goto(`${pagesUrl}/popup`);
  await page.evaluate(`void ServicePay.getPaid(${JSON.stringify(freshOptions())})`);
  await page.frameLocator(FRAME).getByLabel('Card number').fill('4');
  const requests = responses.length;
  const files = responses.filter((response) =>
    /\/checkout\/v1\/(assets\/|\?)/.test(response.url()),
  );
  const sizes = await Promise.all(files.map(async (file) => weigh(await file.body())));
  interactive.resolve();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
  return { first: sum(sizes), requests };
}

async function weighAll(): Promise<number> {
  const scripts = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  const weighScript = (name: string) => weighFile(new URL(name, ASSETS));
  const others = await Promise.all(scripts.filter((name) => !LANGUAGE.test(name)).map(weighScript));
  const words = await Promise.all(scripts.filter((name) => LANGUAGE.test(name)).map(weighScript));
  return (await weighFile(PAGE)) + sum(others) + Math.max(...words);
}

async function weighFile(file: URL): Promise<number> {
  return weigh(await readFile(file));
}

function weigh(content: Buffer): number {
  return brotliCompressSync(content).length / 1000;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
