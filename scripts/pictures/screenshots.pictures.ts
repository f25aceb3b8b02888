import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';

import { takeSandboxPictures } from './sandbox-pictures.ts';

const { GALLERY_URL = '', PICTURES = '', PICTURES_BEFORE } = process.env;

const LANGUAGES = ['en', 'ar'];
const SIZES = {
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
};

for (const [size, settings] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`${colorScheme} on a ${size}`, () => {
      test.use({ ...settings, colorScheme });

      for (const language of LANGUAGES) {
        test(`the popup in ${language}`, async ({ page }) => {
          await page.goto(GALLERY_URL);
          const states = await page
            .locator('[data-state]')
            .evaluateAll((items) => items.map((item) => item.getAttribute('data-state')!));
          for (const state of states) {
            const hash = `#state=${state}&language=${language}`;
            await page.goto(`${GALLERY_URL}popup.html${hash}`);
            await page.locator(`html[data-shown="${hash}"]`).waitFor();
            await take(page, `${state}.${language}.${colorScheme}.${size}`);
          }
        });
      }

      test("the sandbox's own pages", async ({ page }) => {
        await takeSandboxPictures(page, (name, mask) =>
          take(page, `${name}.en.${colorScheme}.${size}`, mask),
        );
      });
    });
  }
}

async function take(page: Page, name: string, mask: Locator[] = []): Promise<void> {
  const picture = await page.screenshot({
    path: join(PICTURES, `${name}.png`),
    animations: 'disabled',
    mask,
  });
  if (PICTURES_BEFORE) expect.soft(picture).toMatchSnapshot([`${name}.png`], { threshold: 0 });
}
