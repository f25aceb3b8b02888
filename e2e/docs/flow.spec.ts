import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Page } from '@playwright/test';

import { test as base, expect } from '../stack.ts';

const [, EXAMPLE = ''] =
  /```html\n(<!-- shop\.html -->[\s\S]*?)```/.exec(
    readFileSync(new URL('../../docs/flow.md', import.meta.url), 'utf8'),
  ) ?? [];

/** `test` with the address of the page of docs/flow.md as printed; its calls go to the shop. */
const test = base.extend<{ exampleUrl: string }>({
  exampleUrl: async ({ page, service, stack: { shopUrl } }, use) => {
    const server = createServer(async (req, res) => {
      if (!req.url?.startsWith('/api/')) {
        const body = EXAMPLE.replaceAll('https://pay.example', service.url);
        return void res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body);
      }
      // without event streams, the page asks every three seconds
      if (req.url.endsWith('/events')) return void res.writeHead(404).end();
      const { cookie = '', 'idempotency-key': key = 'none' } = req.headers;
      const answer = await fetch(shopUrl + req.url, {
        method: req.method!,
        headers: {
          ...{ cookie, origin: shopUrl, 'sec-fetch-site': 'same-origin' },
          ...(req.headers['content-type'] && {
            'content-type': 'application/json',
            'idempotency-key': `${key}`,
          }),
        },
        ...(req.method === 'POST' && { body: await buffer(req) }),
      });
      res.writeHead(answer.status, { 'content-type': 'application/json' });
      res.end(await answer.text());
    });
    server.listen(0, 'localhost');
    await once(server, 'listening');
    await page.request.get(shopUrl); // the cookie that orders belong to; cookies ignore ports

    await use(`http://localhost:${(server.address() as AddressInfo).port}/`);

    server.close();
    server.closeAllConnections();
  },
});

const status = (page: Page) => page.getByRole('status');
const pay = (page: Page) => page.getByRole('button', { name: 'Pay', exact: true });

test('the page on the flow pays, and finds a payment again after a reload and in a second tab', async ({
  page,
  context,
  popup,
  service,
  exampleUrl,
}) => {
  await page.goto(exampleUrl);
  await pay(page).click();
  await popup.payByPhone({ network: 'MTN', phone: '0960000000' });
  await expect(
    popup.frame.getByRole('heading', { name: 'Approve the payment on your phone' }),
  ).toBeVisible();

  await page.reload();
  await expect(status(page)).toHaveText('You have an unfinished payment.');
  const second = await context.newPage();
  await second.goto(exampleUrl);
  await expect(status(second)).toHaveText('You have an unfinished payment.');
  await service.approve('0960000000');

  await expect(status(second)).toHaveText('Order paid.');
});

test('the page on the flow says that a payment failed, and tries again', async ({
  page,
  popup,
  service,
  exampleUrl,
}) => {
  await service.stopClock();
  await page.goto(exampleUrl);
  await pay(page).click();
  await popup.payByCard('4000 0000 0000 0002');
  await popup.expectDeclined('Card declined');
  await service.advance(31 * 60);
  await popup.frame.getByRole('button', { name: 'Back to the shop' }).click();
  await expect(status(page)).toHaveText('Payment failed. You can try again.');

  await pay(page).click();
  await popup.payByCard('4242 4242 4242 4242');

  await expect(status(page)).toHaveText('Order paid.');
});
