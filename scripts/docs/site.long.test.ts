import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, chromium, expect as expectOn } from '@playwright/test';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { requireBrowser } from '../programs/find-browser.ts';
import { ROOT } from '../programs/run-tool.ts';
import { ShellProgram } from './marked-page.ts';
import { SITE } from './site.ts';

const PATIENT_MS = 10 * 60_000;
const PATIENT = { timeout: 20_000 };

/** A page of each kind: with diagrams, tabs, tables, code, a form, and of the reference. */
const AXE_PAGES = [
  'how-it-works',
  'quick-start/server',
  'errors',
  'service',
  'playground',
  'packages/server',
  'reference/@service-pay/server',
];

let browser: Browser;
let docs: ShellProgram;
let site: string;

beforeAll(async () => {
  docs = new ShellProgram('npm run docs -- --port 0', ROOT, { SANDBOX_PORT: '0' });
  site = await vi.waitFor(() => /^Documentation +(\S+)$/m.exec(docs.output)![1]!, {
    timeout: PATIENT_MS,
  });
  const args = ['--no-sandbox', '--disable-gpu'];
  browser = await chromium.launch({ executablePath: requireBrowser(), args });
}, PATIENT_MS);

afterAll(async () => {
  await browser?.close();
  await docs?.stop();
});

test('the site has a page for each package, its reference and the playground', () => {
  for (const page of ['quick-start/index', 'packages/server', 'operate', 'playground'])
    expect(existsSync(join(SITE, `${page}.html`)), page).toBe(true);
  for (const name of ['widget', 'widget/flow', 'server', 'server/fetch', 'sandbox/playwright'])
    expect(existsSync(join(SITE, `reference/@service-pay/${name}.html`)), name).toBe(true);
});

test('the site keeps old addresses, and has each page as Markdown with a list for machines', async () => {
  const get = async (path: string) => (await fetch(`${site}/${path}`)).text();

  expect(await get('recipes/pg-boss')).toContain('url=../fulfilment');
  expect(await get('llms.txt')).toContain('](/how-it-works.md)');
  expect(await get('llms-full.txt')).toContain('# Quick start: on a real phone');
  expect(await get('packages/server.md')).toContain('](/install.md)');
});

test('a phone shows a table as cards with their heads, and a diagram as steps', {
  timeout: 60_000,
}, async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
  await page.goto(`${site}/errors`);
  const cell = page.locator('td[data-label="fix"]').first();
  await expectOn(cell).toBeVisible(PATIENT);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  await page.goto(`${site}/embedding`);
  // a head that is a link to code
  await expectOn(page.locator('td[data-label="<service-pay>"]').first()).toBeVisible(PATIENT);

  await page.goto(`${site}/how-it-works`);
  const step = page.locator('.diagram li').first();
  await expectOn(step).toHaveText('Page → Your server place the order', PATIENT);
  expect((await step.boundingBox())!.height).toBeGreaterThan(20);
  await expectOn(page.locator('.diagram img:visible')).toHaveCount(0);
  await expectOn(page.getByRole('link', { name: 'Edit this page' })).toHaveAttribute(
    'href',
    /\/edit\/main\/docs\/how-it-works\.md$/,
  );
  await page.close();
});

test('a laptop shows diagrams drawn at the build, in the colours of the theme, and 80 columns of code', {
  timeout: 60_000,
}, async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(request.url()));
  await page.goto(`${site}/how-it-works`, { waitUntil: 'networkidle' });
  const pictures = page.locator('.diagram img:visible');
  await expectOn(pictures).toHaveCount(2, PATIENT);
  const light = await pictures.first().getAttribute('src');
  await page.getByRole('switch', { name: 'Switch to dark theme' }).first().click();
  await expectOn(pictures).toHaveCount(2);
  expect(await pictures.first().getAttribute('src')).not.toBe(light);
  expect(scripts.filter((url) => url.includes('mermaid'))).toEqual([]);
  await page.goto(`${site}/service`); // one inside a list
  await expectOn(pictures).toHaveCount(1, PATIENT);

  await page.goto(`${site}/quick-start/server`);
  const columns = await page
    .locator('.plugin-tabs pre:visible') // narrower than others
    .first()
    .evaluate((pre) => {
      const code = pre.querySelector('code')!;
      const { font, paddingLeft, paddingRight } = getComputedStyle(code);
      const context = document.createElement('canvas').getContext('2d')!;
      context.font = font;
      const width =
        pre.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return width / context.measureText('m').width;
    });
  expect(columns).toBeGreaterThan(80);
  await page.close();
});

test('the reference has the calls with their comments, and no private number or name', () => {
  const read = (name: string) =>
    readFileSync(join(ROOT, `docs/reference/@service-pay/${name}.md`), 'utf8');
  const server = read('server');

  for (const name of ['create()', 'confirm()', 'receiveWebhook()']) expect(server).toContain(name);
  expect(server).toContain('at least once for each order');
  for (const name of ['widget', 'server', 'sandbox'])
    expect(read(name)).not.toMatch(/\((?:[DTU]\d+|specification \d)|failpoint|widgetDist/);
});

test('the playground opens the real popup with the options, and shows what the page received', {
  timeout: 60_000,
}, async () => {
  const page = await browser.newPage();
  await page.goto(`${site}/playground`);
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

test('search finds a page, and language tabs keep the choice after a reload', {
  timeout: 60_000,
}, async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${site}/quick-start/server`);
  await expectOn(async () => {
    await page.getByRole('tab', { name: 'Python' }).click(); // does nothing before its script runs
    await expectOn(page.getByRole('tabpanel', { name: 'Python' })).toContainText('import hashlib');
  }).toPass(PATIENT);
  await page.reload();
  await expectOn(page.getByRole('tab', { name: 'Python', selected: true })).toBeVisible();

  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill('withdrawal amount limit');
  await expectOn(page.locator('.result').first()).toBeVisible(PATIENT);

  // also in the generated reference, where the name is a title
  await page.getByRole('searchbox').fill('verifyWebhook');
  await expectOn(page.locator('.result[href*="/reference/"]').first()).toBeVisible(PATIENT);
  await expectOn(page.locator('.result').first()).not.toHaveAttribute('href', /\/reference\//);
  await page.close();
});

test('every link to edit a page leads to a file of the repository', () => {
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' });
  const edited = globSync('**/*.html', { cwd: SITE }).flatMap((page) =>
    [...readFileSync(join(SITE, page), 'utf8').matchAll(/href="[^"]+\/edit\/main\/([^"]+)"/g)].map(
      ([, file]) => file as string,
    ),
  );

  expect(edited.length).toBeGreaterThan(40);
  expect(edited.filter((file) => !files.split('\n').includes(file))).toEqual([]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`each kind of page passes axe: ${colorScheme}`, { timeout: 180_000 }, async () => {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 1280, height: 800 },
    });
    const page = await context.newPage();
    const found: unknown[] = [];
    for (const path of AXE_PAGES) {
      await page.goto(`${site}/${path}`, { waitUntil: 'networkidle' });
      const { violations } = await new AxeBuilder({ page })
        .exclude('iframe')
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'])
        .analyze();
      found.push(...violations.map(({ id, nodes }) => [path, id, nodes[0]?.html]));
    }
    expect(found).toEqual([]);
    await context.close();
  });

  test(`the home page fits a phone, shows the popup and passes axe: ${colorScheme}`, {
    timeout: 60_000,
  }, async () => {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width: 360, height: 740 },
    });
    const page = await context.newPage();
    await page.goto(site);
    await expectOn(page.getByRole('img', { name: /^The popup on a phone/ })).toBeVisible(PATIENT);
    await expectOn(page.getByRole('main').locator('.VPFeature')).toHaveCount(6);

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      360,
    );
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'])
      .analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    await context.close();
  });
}
