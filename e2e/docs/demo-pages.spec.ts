import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';

import { startDemoPages } from '../../scripts/demo/pages.ts';
import { test as base, expect } from '../stack.ts';
import { watchForTrouble } from '../support/trouble.ts';

const test = base.extend<{ demoPages: string }>({
  demoPages: async ({ stack, service }, use) => {
    const pages = await startDemoPages({
      port: 0,
      serviceUrl: service.url,
      shopUrl: stack.shopUrl,
    });
    await use(pages.url);
    await pages.close();
  },
});

const PAGES = ['index', 'script-tag', 'element', 'strict-csp', 'npm'];

for (const [name, line] of [
  ['index', 'Paid: '],
  ['script-tag', 'onSuccess '],
  ['element', 'service-pay-success '],
  ['strict-csp', 'onSuccess '],
  ['npm#react', 'service-pay-success '],
  ['npm#preload', 'onSuccess '],
  ['npm#theming', 'service-pay-success '],
] as const) {
  test(`the example ${name} takes a payment and shows its callback once, with an empty console`, {
    tag: name === 'npm#react' ? '@gate' : [],
  }, async ({ page, popup, demoPages }) => {
    const complaints = await watchForTrouble(page);
    const [file, section] = name.split('#');
    await page.goto(`${demoPages}/${file}.html`);
    const example = page.locator(section ? `#${section}` : 'main');

    await example.getByRole('button', { name: /^Pay/ }).click();
    await popup.payByCard('4242 4242 4242 4242');
    await popup.expectClosed();

    await expect(example.getByRole('log')).toHaveText(
      new RegExp(`^(?:The form was ready .+\\n)?${line}[\\w-]{36}\\s*$`),
    );
    expect(complaints).toEqual([]);
  });
}

test('the element page takes more than one payment: the next press starts a new one', async ({
  page,
  popup,
  demoPages,
}) => {
  await page.goto(`${demoPages}/element.html`);

  await pressPay(page);
  await popup.payByPhone({ network: 'MTN', phone: '0961111111' });
  await expect(page.getByRole('log')).toContainText('service-pay-success');
  await popup.expectClosed();
  await pressPay(page);
  await popup.expectOpen();
  await popup.close.click();

  await expect(page.getByRole('log')).toHaveText(
    /^service-pay-success \S+\s+service-pay-close\s*$/,
  );
});

for (const name of ['shortest', 'script-tag']) {
  test(`${name}.html loads the form when the pointer or the focus reaches the button`, async ({
    page,
    demoPages,
  }) => {
    const frame = page.locator('body > service-pay-layer > iframe');

    for (const reach of ['hover', 'focus'] as const) {
      await page.goto(`${demoPages}/${name}.html`);
      await expect(frame).toHaveCount(0);
      await page.getByRole('button', { name: 'Pay' })[reach]();
      await expect(frame).toHaveCount(1);
    }
  });
}

test('the script-tag page says which option is wrong', async ({ page, demoPages }) => {
  await page.goto(`${demoPages}/script-tag.html`);

  await page.getByLabel('Amount').fill('10,75');
  await pressPay(page);

  await expect(page.getByRole('log')).toContainText('amount');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('the strict page is isolated, and shows the headers it was sent with (T16, T18)', async ({
  page,
  demoPages,
}) => {
  const response = await page.goto(`${demoPages}/strict-csp.html`);
  const headers = page.getByRole('figure').filter({ hasText: 'headers' }).getByRole('code');
  const shown = (await headers.textContent()) ?? '';

  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  for (const name of [
    'content-security-policy',
    'cross-origin-embedder-policy',
    'permissions-policy',
  ]) {
    expect(shown.replace(/\s+/g, ' ')).toContain(`${name}: ${response?.headers()[name]}`);
  }
});

test('the preload example measures the time from the press to the form, with and without preload', async ({
  page,
  popup,
  demoPages,
}) => {
  await page.goto(`${demoPages}/preload.html`);
  const pay = page.getByRole('button', { name: 'Pay ZMW 10.75' });

  await pay.click();
  await popup.expectOpen();
  await popup.close.click();
  await page.getByRole('button', { name: 'Load ahead' }).click();
  await expect(page.locator('iframe')).toHaveCount(1);
  await pay.click();
  await popup.expectOpen();

  await expect(page.getByRole('log', { name: 'Callbacks' })).toHaveText(
    /^The form was ready after \d+ ms, loaded at the press.\s+onClose\s+The form was ready after \d+ ms, loaded ahead.\s*$/,
  );
});

test('the theming example uses the chosen colour in the frame, with readable text on it', async ({
  page,
  popup,
  demoPages,
}) => {
  await page.goto(`${demoPages}/theming.html`);

  await page.getByLabel('Accent').fill('#ffe066');
  await page.getByLabel('Radius').fill('20');
  await page.locator('#theming').getByRole('button', { name: 'Pay' }).click();
  await popup.expectOpen();

  await expect(page.locator('#theming')).toContainText(
    '--service-pay-accent: #ffe066; --service-pay-radius: 20px;',
  );
  await expect(popup.payButton).toHaveCSS('background-color', 'rgb(255, 224, 102)');
  await expect(popup.payButton).toHaveCSS('color', 'rgb(0, 0, 0)');
  await expect(popup.payButton).toHaveCSS('border-radius', '18px');
});

test('a page whose payment script is blocked says so (U6)', async ({ page, demoPages }) => {
  await page.route('**/js/v1/inline.js', (route) => route.abort('blockedbyclient'));

  for (const name of ['index', 'script-tag', 'element']) {
    await page.goto(`${demoPages}/${name}.html`);
    await expect(page.getByRole('alert')).toContainText('The payment script did not load');
  }
  await page.goto(`${demoPages}/strict-csp.html`);
  await pressPay(page);
  await expect(page.getByRole('log')).toContainText('could not be loaded');
});

for (const name of ['shortest', 'script-tag', 'element']) {
  test(`the code of ${name}.html is copied whole, and takes a payment on another site unchanged`, async ({
    page,
    popup,
    context,
    demoPages,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${demoPages}/${name === 'shortest' ? 'index' : name}.html`);
    await page.getByRole('figure').getByRole('button', { name: 'Copy' }).click();
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    const copy = await page.evaluate(() => navigator.clipboard.readText());
    const site = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end(copy),
    ).listen(0, '127.0.0.1');
    await once(site, 'listening');

    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
    await pressPay(page);
    await popup.payByCard('4242 4242 4242 4242');

    await expect(page.locator('body')).toContainText(
      /(?:Paid:|onSuccess|service-pay-success) \S{36}/,
    );
    site.close();
  });
}

test("a phone's first screen shows the button, the popup and where the code begins", async ({
  page,
  demoPages,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });

  await page.goto(demoPages);

  await expect(page.getByRole('button', { name: /^Pay/ })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('img')).toBeInViewport({ ratio: 1 });
  const [form, , receipt] = await page.locator('.shots iframe').all();
  const inFrame = (shot: Locator) => shot.contentFrame().locator('iframe').contentFrame();
  await expect(inFrame(form!).getByLabel('Card number')).toHaveValue(/^4242/);
  await expect(inFrame(receipt!).getByText('Payment successful')).toBeVisible();
  await expect(page.getByRole('code').filter({ hasText: 'doctype' })).toBeInViewport();
});

test('code has colours, in the page and in TypeScript', async ({ page, demoPages }) => {
  for (const name of ['', 'npm.html']) {
    await page.goto(`${demoPages}/${name}`);
    await expect
      .poll(() =>
        page.evaluate(() =>
          ['comment', 'string', 'word'].filter((kind) => CSS.highlights.get(kind)?.size),
        ),
      )
      .toEqual(['comment', 'string', 'word']);
  }
});

test('the first page copies a test number', async ({ page, context, demoPages }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(demoPages);

  await page.getByRole('button', { name: 'Copy 096 111 1111' }).click();

  await expect(page.getByRole('button', { name: 'Copied 096 111 1111' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('096 111 1111');
});

for (const name of PAGES) {
  test(`the page ${name} has no axe violation in light and dark, fits a phone, links to the others and leaves the console empty`, async ({
    page,
    demoPages,
  }) => {
    const complaints = await watchForTrouble(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${demoPages}/${name === 'index' ? '' : `${name}.html`}`);
    await expect(page.getByRole('button', { name: /^Pay/ }).first()).toBeVisible();
    await expect(page.locator('nav a[aria-current="page"]')).toHaveCount(1);

    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(
        violations.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)]),
      ).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      360,
    );
    const links = await page.getByRole('link').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(targets.map((target) => target?.replace(/#.*/, ''))).toEqual(
      expect.arrayContaining(['/gallery/', ...PAGES.slice(1).map((other) => `/${other}.html`)]),
    );
    expect(complaints).toEqual([]);
  });
}

function pressPay(page: Page): Promise<void> {
  return page.getByRole('button', { name: /^Pay/ }).first().click();
}
