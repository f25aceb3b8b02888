import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';

import { test as base, expect } from '../stack.ts';

/**
 * `test` with `showExample`: a merchant's page that holds nothing but an example of the documents,
 * and a server that makes orders.
 */
const test = base.extend<{ showExample: (example: string) => Promise<void> }>({
  showExample: async ({ page, service }, use) => {
    let shown = '';
    const server = createServer(({ url = '/' }, response) => {
      const isPage = url === '/';
      response.writeHead(200, {
        'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json',
      });
      const data = url.endsWith('/open') ? null : { ...ORDER, status: 'successful' };
      response.end(isPage ? shown : JSON.stringify({ status: true, data }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await page.addInitScript((names) => {
      const calls: string[] = [];
      const record = (name: string) => (detail: unknown) =>
        calls.push(typeof detail === 'string' ? `${name} ${detail}` : name);
      Object.assign(
        window,
        { calls, cart: () => ({ sku: 'tea' }) },
        { draw: ({ screen }: { screen: string }) => calls.push(`draw ${screen}`) },
        Object.fromEntries(names.map((name) => [name, record(name)])),
      );
    }, SHOP_FUNCTIONS);
    await use(async (example) => {
      const code = example
        .replaceAll('https://pay.example', service.url)
        .replaceAll('pub_…', ORDER.key);
      shown = `<!doctype html><html lang="en"><body>${code}</body></html>`;
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    });
    server.closeAllConnections();
    server.close();
  },
});

const ORDER = {
  key: 'pub_sandbox_demo',
  email: 'ada@example.com',
  reference: 'documents-1',
  amount: '10.75',
  currency: 'ZMW',
};

const SHOP_FUNCTIONS = ['showCart', 'say', 'verify', 'report'];

test('the script tag from the docs takes a payment unchanged', async ({
  page,
  popup,
  showExample,
}) => {
  const [example = ''] = examplesOf('docs/embedding.md', 'html');
  await showExample(example);

  await page.getByRole('button', { name: 'Pay' }).click();
  await popup.payByCard('4242 4242 4242 4242');
  await popup.expectClosed();

  await expect.poll(async () => (await callsOn(page)).at(-1)).toBe('draw paid');
});

test('the element from the docs takes a payment unchanged, and creates its order at the press', async ({
  page,
  popup,
  showExample,
}) => {
  const markup =
    examplesOf('docs/embedding.md', 'html').find((example) => example.includes('<service-pay')) ??
    '';
  const scripts = examplesOf('docs/embedding.md', 'js').filter((example) =>
    /^(?:const element|element\.prepare)/.test(example),
  );
  expect(scripts).toHaveLength(2);
  const [flow = ''] = examplesOf('docs/embedding.md', 'html');
  await showExample(markup + flow.replace(/(?=<\/script>\s*$)/, scripts.join('\n')));

  await page.getByRole('button', { name: 'Pay ZMW 10.75' }).click();
  await popup.payByCard('4242 4242 4242 4242');
  await popup.expectClosed();

  await expect.poll(async () => (await callsOn(page)).at(-1)).toBe('draw paid');
  expect(await callsOn(page)).toContain('verify documents-1');
});

test('the pinned script from the docs runs only if its bytes match integrity.json', async ({
  page,
  service,
  showExample,
}) => {
  const { file, integrity } = await (
    await page.request.get(`${service.url}/js/v1/integrity.json`)
  ).json();
  const [example = ''] = examplesOf('docs/security.md', 'html');
  const pinned = example.replace(/\/js\/[\d.]+\/inline\.js/, file);
  const isThere = () => page.evaluate(() => 'ServicePay' in window);

  await showExample(pinned.replace('sha384-…', integrity));
  expect(await isThere()).toBe(true);
  await showExample(pinned.replace('sha384-…', integrity.replace(/.{4}$/, 'AAAA')));
  expect(await isThere()).toBe(false);
});

function examplesOf(document: string, language: string): string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../${document}`, import.meta.url)), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code = '']) => code,
  );
}

function callsOn(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as unknown as { calls: string[] }).calls);
}
