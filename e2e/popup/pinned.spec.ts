import { createHash } from 'node:crypto';

import type { Page, Response } from '@playwright/test';
import { expect, test } from '../stack.ts';
import { PAID } from '../support/expect-ending.ts';
import type { MerchantSite } from '../support/merchant-site.ts';
import { consoleOf, watchForTrouble } from '../support/trouble.ts';

interface Pin {
  version: string;
  file: string;
  integrity: string;
}

interface LoadedScript {
  page: 'merchant' | 'payment';
  file: string;
  integrity: string;
}

interface Inventory {
  scripts: (LoadedScript & { loaded: 'always' | 'when needed' })[];
  headers: { name: string }[];
}

test.describe('a page that pins the script', () => {
  test('a page that pins the script pays, and what runs is what the inventory lists, byte for byte (6.4.3, 11.6.1, T65)', async ({
    page,
    popup,
    purchase,
    service,
    site,
  }) => {
    const loads: Promise<LoadedScript>[] = [];
    let checkoutHeaders: Record<string, string> = {};
    page.on('response', (response) => {
      if (!response.url().startsWith(service.url)) return;
      if (response.request().resourceType() === 'script') loads.push(readScript(response, page));
      if (new URL(response.url()).pathname === '/checkout/v1/')
        checkoutHeaders = response.headers();
    });
    await purchase.open({}, await pinScript(site, service.url));
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectEnding(PAID);

    const { scripts, headers } = await readJson<Inventory>(`${service.url}/js/v1/scripts.json`);
    const ran = await Promise.all(loads);
    const listed = scripts.map(({ page, file, integrity }) => ({ page, file, integrity }));
    for (const script of ran) expect(listed).toContainEqual(script);
    const always = scripts.filter(({ page, loaded }) => page === 'payment' && loaded === 'always');
    expect(ran.map(({ file }) => file)).toEqual(
      expect.arrayContaining(always.map(({ file }) => file)),
    );
    expect(new Set(ran.map((script) => script.page))).toEqual(new Set(['merchant', 'payment']));

    expect(Object.keys(checkoutHeaders)).toEqual(
      expect.arrayContaining(headers.map(({ name }) => name)),
    );
  });

  test('a page that pins the script runs only that one', async ({ page, site, service }) => {
    const said = consoleOf(page);
    await page.route('**/js/*/inline.js', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: `${await response.text()}\n// changed on the way`,
      });
    });

    await page.goto(await pinScript(site, service.url));

    expect(await page.evaluate(() => 'ServicePay' in globalThis)).toBe(false);
    expect(said.join()).toContain('integrity');
  });

  test('a pinned script beside a tag and the loader of another version is one instance, with one warning, under Trusted Types, and pays (D12, T10)', async ({
    page,
    popup,
    purchase,
    service,
    site,
  }) => {
    const said = await watchForTrouble(page);
    const head = `${await pinnedTag(service.url)}<script src="/pages/own.js"></script>`;
    await page.route('**/pages/own.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'window.first = ServicePay;' }),
    );

    await page.goto(site.url + site.publish({ head, way: 'loader' }));
    const isFirst = await page.evaluate(async () => {
      const { first, load } = window as unknown as Record<'first' | 'load', unknown>;
      return [
        first === (window as unknown as { ServicePay: unknown }).ServicePay,
        first === (await load),
      ];
    });
    await purchase.open({}, page.url());
    await popup.payByCard('4242 4242 4242 4242');

    await purchase.expectEnding(PAID);
    expect(isFirst).toEqual([true, true]);
    expect(said).toEqual([expect.stringContaining('the script is on this page twice')]);
  });
});

async function pinScript(site: MerchantSite, service: string): Promise<string> {
  return site.url + site.publish({ tag: await pinnedTag(service) });
}

async function pinnedTag(service: string): Promise<string> {
  const { file, integrity } = await readJson<Pin>(`${service}/js/v1/integrity.json`);
  return `<script src="${service}${file}" integrity="${integrity}" crossorigin="anonymous"></script>`;
}

/** Read at once: the bytes of what was loaded are gone with the frame. */
async function readScript(response: Response, page: Page): Promise<LoadedScript> {
  return {
    page: response.frame() === page.mainFrame() ? 'merchant' : 'payment',
    file: new URL(response.url()).pathname,
    integrity: `sha384-${createHash('sha384')
      .update(await response.body())
      .digest('base64')}`,
  };
}

async function readJson<Content>(url: string): Promise<Content> {
  return (await (await fetch(url)).json()) as Content;
}
