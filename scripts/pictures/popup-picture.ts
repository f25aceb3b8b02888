import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { startGallery } from '../demo/gallery.ts';
import { requireBrowser } from '../programs/find-browser.ts';
import { ROOT } from '../programs/run-tool.ts';

const STATES = ['card-filling', 'waiting-for-phone', 'confirmed'];

const PHONE = { width: 360, height: 740 };
const GAP_PX = 24;

/** Takes the README's picture, `docs/popup.png`, from the current popup. */
const gallery = await startGallery();
const browser = await chromium.launch({
  executablePath: requireBrowser(),
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
});
try {
  const pictures: string[] = [];
  for (const state of STATES) pictures.push(await pictureOf(browser, gallery.url, state));
  await putSideBySide(browser, pictures, join(ROOT, 'docs/popup.png'));
} finally {
  await browser.close();
  await gallery.close();
}

async function pictureOf(browser: Browser, url: string, state: string): Promise<string> {
  const page = await browser.newPage({
    viewport: PHONE,
    deviceScaleFactor: 1.5,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const hash = `#state=${state}&language=en`;
  await page.goto(`${url}popup.html${hash}`);
  await page.locator(`html[data-stands="${hash}"]`).waitFor();
  const picture = await page.screenshot({ animations: 'disabled' });
  await page.close();
  return picture.toString('base64');
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
