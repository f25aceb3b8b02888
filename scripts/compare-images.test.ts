import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { compareImages } from './compare-images.ts';
import { requireBrowser } from './find-browser.ts';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: requireBrowser(), args: ['--no-sandbox', '--disable-gpu'] });
  page = await browser.newPage();
});

afterAll(() => browser.close());

describe('two pictures', () => {
  test('that are the same do not differ, however they were written', async () => {
    await page.setContent('<style>body { background: #06c }</style>');
    const drawn = await draw('#06c', 10, 10);
    const taken = await page.screenshot({ clip: { x: 0, y: 0, width: 10, height: 10 } });

    expect(taken.equals(drawn)).toBe(false);
    expect(await compareImages(page, drawn, taken)).toBeUndefined();
  });

  test('differ by the share of their pixels that do, one by one', async () => {
    const difference = await compareImages(page, await draw('#06c', 10, 10), await draw('#06c', 10, 10, '#06d'));

    expect(difference?.share).toBe(0.01);
    expect(difference?.picture.subarray(1, 4).toString()).toBe('PNG');
  });

  test('of two sizes differ where only one of them is', async () => {
    const difference = await compareImages(page, await draw('#06c', 10, 10), await draw('#06c', 10, 20));

    expect(difference?.share).toBe(0.5);
  });
});

/** A picture of one colour, but for its first pixel where that is given another. */
async function draw(colour: string, width: number, height: number, first = colour): Promise<Buffer> {
  const base64 = await page.evaluate(
    async ([colour, first, width, height]) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d')!;
      context.fillStyle = colour;
      context.fillRect(0, 0, width, height);
      context.fillStyle = first;
      context.fillRect(0, 0, 1, 1);
      const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
      return btoa(String.fromCharCode(...bytes));
    },
    [colour, first, width, height] as const,
  );
  return Buffer.from(base64, 'base64');
}
