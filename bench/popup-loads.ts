import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

import type { Browser, Page, Response } from 'playwright-core';

import type { Figure } from './figures.ts';
import { freshOptions } from './merchant-pages.ts';

const DIST = new URL('../widget/dist/', import.meta.url);
const FRAME = 'iframe[title="Secure payment"]';

/**
 * B1 to B4: what the popup weighs and how often it asks the network. Compression is brotli at its
 * best, kB are 1000 bytes.
 */
export async function measureLoads(browser: Browser, pagesUrl: string): Promise<Figure[]> {
  const inline =
    brotliCompressSync(await readFile(fileURLToPath(new URL('js/v1/inline.js', DIST)))).length /
    1000;
  const { first, all, requests } = await countLoads(browser, pagesUrl);
  return [
    {
      id: 'B1',
      name: 'inline.js, brotli',
      unit: 'kB',
      budget: 13.8,
      direction: 'at most',
      runs: [inline],
    },
    {
      id: 'B2',
      name: 'frame to an interactive card form, brotli',
      unit: 'kB',
      budget: 27,
      direction: 'at most',
      runs: [first],
    },
    {
      id: 'B3',
      name: 'frame, all it can load in one language, brotli',
      unit: 'kB',
      budget: 45,
      direction: 'at most',
      runs: [all],
    },
    {
      id: 'B4',
      name: 'requests from getPaid to an interactive form',
      unit: '',
      budget: 4,
      direction: 'at most',
      runs: [requests],
    },
  ];
}

/**
 * What the frame loads until a card number can be typed, and after a walk through its other
 * screens, compressed as it is served. Files that the page does not name wait until then, so that
 * what is fetched besides is never counted as the form's.
 */
async function countLoads(
  browser: Browser,
  pagesUrl: string,
): Promise<{ first: number; all: number; requests: number }> {
  const html = await readFile(fileURLToPath(new URL('checkout/v1/index.html', DIST)), 'utf8');
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
  await page.evaluate(`void ServicePay.getPaid(${JSON.stringify(freshOptions())})`);
  await page.frameLocator(FRAME).getByLabel('Card number').fill('4');
  const untilForm = [...answers];
  interactive.resolve();
  const first = await weigh(untilForm);
  await walk(page);
  const all = await weigh(answers);
  await context.close();
  return { first, all, requests: untilForm.length };
}

/** Through the screens that could load something more: mobile money, one-time code, success. */
async function walk(page: Page): Promise<void> {
  const frame = page.frameLocator(FRAME);
  await frame.getByRole('radio', { name: 'Mobile money' }).check();
  await frame.getByRole('radio', { name: 'MTN' }).check();
  await frame.getByLabel('Phone number').fill('0969999999');
  await frame.getByRole('button', { name: /^Pay/ }).click();
  await frame.getByLabel('One-time code').fill('000000');
  await frame.getByRole('button', { name: 'Confirm' }).click();
  await frame.getByRole('heading', { name: 'Payment successful' }).waitFor();
}

async function weigh(answers: Response[]): Promise<number> {
  const files = answers.filter((answer) => /\/checkout\/v1\/(assets\/|\?)/.test(answer.url()));
  const sizes = await Promise.all(
    files.map(async (file) => brotliCompressSync(await file.body()).length),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}
