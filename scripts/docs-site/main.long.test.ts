import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, expect as expectOn } from '@playwright/test';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireBrowser } from '../programs/find-browser.ts';
import { buildSite, SITE } from './build.ts';
import { serveSite } from './serve.ts';

const PATIENT_MS = 10 * 60_000;
const PATIENT = { timeout: 20_000 };

let browser: Browser;
let sandbox: Sandbox;
let site: { url: string; close(): Promise<void> };

beforeAll(async () => {
  expect(await buildSite()).toBeGreaterThan(50);
  sandbox = await startSandbox();
  site = await serveSite({ folder: SITE, port: 0, serviceUrl: sandbox.url });
  const args = ['--no-sandbox', '--disable-gpu'];
  browser = await chromium.launch({ executablePath: requireBrowser(), args });
}, PATIENT_MS);

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await sandbox?.close();
});

test('has a page for each role, each package, the playground, and an index for the search', () => {
  for (const page of ['front-end', 'back-end', 'test', 'operate', 'reference/server', 'playground'])
    expect(existsSync(join(SITE, `${page}.html`)), page).toBe(true);
});

test('the playground opens the real popup with the options, and shows what the page heard', {
  timeout: 60_000,
}, async () => {
  const page = await browser.newPage();
  await page.goto(`${site.url}/playground`);
  await page.getByLabel('Amount').fill('12.25');
  await page.getByLabel('Label').fill('Two jars');
  await page.getByRole('button', { name: 'Open the popup' }).click();

  const popup = new PaymentPopup(page.frameLocator('iframe[title^="Your page"]'), { locale: 'en' });
  await popup.expectOpen({ amount: '12.25' });
  await expectOn(popup.frame.getByText('Two jars')).toBeVisible(PATIENT);
  await page.locator('iframe').scrollIntoViewIfNeeded();
  await popup.payByCard('4242 4242 4242 4242');

  await expectOn(page.getByRole('log')).toContainText('onSuccess', PATIENT);
  await expectOn(page.getByLabel('The code')).toContainText("amount: '12.25'");
  await page.close();
});

test('search finds a page, and language tabs keep the choice on the next page', {
  timeout: 60_000,
}, async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${site.url}/quick-start/server`);
  await page.getByRole('tab', { name: 'Python' }).click();
  await expectOn(page.getByRole('tabpanel', { name: 'Python' })).toContainText('import hashlib');
  await expectOn(page.getByRole('tabpanel')).toHaveCount(1);
  await page.reload();
  await expectOn(page.getByRole('tab', { name: 'Python', selected: true })).toBeVisible();

  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill('withdrawal amount limit');
  await expectOn(page.locator('.result').first()).toBeVisible(PATIENT);
  await page.close();
});
