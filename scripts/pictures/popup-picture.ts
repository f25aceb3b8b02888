import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import { startGallery } from '../demo/gallery.ts';
import { requireBrowser } from '../programs/find-browser.ts';
import { ROOT } from '../programs/run-tool.ts';
import { takeSandboxPictures } from './sandbox-pictures.ts';

/** The states in the README's picture. */
const IN_README = ['card-filling', 'waiting-for-phone', 'confirmed'];

/** The states that `docs/what-happens-when.md` shows, each in a file of its own. */
const IN_DOCS = [
  'card-declined',
  'challenge',
  'waiting-for-phone',
  'leaving-prompt',
  'confirming',
  'waiting-cut',
  'time-over',
  'confirmed',
];

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 960, height: 460 };
const GAP_PX = 24;
const FOLDER = join(ROOT, 'docs/pictures');

/** Takes the pictures of the pages from the current popup and sandbox. */
const gallery = await startGallery();
const browser = await chromium.launch({
  executablePath: requireBrowser(),
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
});
try {
  mkdirSync(FOLDER, { recursive: true });
  const pictures: string[] = [];
  for (const state of IN_README) {
    const page = await show(browser, gallery.url, state, 1.5);
    pictures.push((await page.screenshot({ animations: 'disabled' })).toString('base64'));
    await page.close();
  }
  await putSideBySide(browser, pictures, join(ROOT, 'docs/popup.png'));
  for (const state of IN_DOCS) {
    const page = await show(browser, gallery.url, state, 1);
    await writeWebp(page, state);
    await page.close();
  }
  const page = await browser.newPage({ viewport: DESKTOP, colorScheme: 'light' });
  await takeSandboxPictures(page, async (name) => {
    if (name === 'dashboard-many') await writeWebp(page, 'dashboard');
  });
} finally {
  await browser.close();
  await gallery.close();
}

async function show(
  browser: Browser,
  url: string,
  state: string,
  deviceScaleFactor: number,
): Promise<Page> {
  const page = await browser.newPage({
    viewport: PHONE,
    deviceScaleFactor,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const hash = `#state=${state}&language=en`;
  await page.goto(`${url}popup.html${hash}`);
  await page.locator(`html[data-shown="${hash}"]`).waitFor();
  return page;
}

/** Writes a small picture: Playwright's own screenshots are PNG or JPEG only. */
async function writeWebp(page: Page, name: string): Promise<void> {
  const client = await page.context().newCDPSession(page);
  const { data } = await client.send('Page.captureScreenshot', { format: 'webp', quality: 45 });
  writeFileSync(join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
}

async function putSideBySide(
  browser: Browser,
  pictures: readonly string[],
  path: string,
): Promise<void> {
  const width = pictures.length * (PHONE.width + GAP_PX) + GAP_PX;
  const page = await browser.newPage({
    viewport: { width, height: PHONE.height + 2 * GAP_PX },
    deviceScaleFactor: 1.5,
  });
  const images = pictures.map(
    (picture) => `<img width="${PHONE.width}" src="data:image/png;base64,${picture}">`,
  );
  await page.setContent(
    `<body style="margin:0;padding:${GAP_PX}px;display:flex;gap:${GAP_PX}px;background:#dfe4e6">${images.join('')}</body>`,
  );
  await page.screenshot({ path });
}
