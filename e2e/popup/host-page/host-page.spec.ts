import { PAID } from '../../support/expect-ending.ts';
import type { Way } from '../../support/merchant-site.ts';
import { expect, test } from './host-page.ts';

test.use({ needs: 'whole browser' });

const WAYS: readonly Way[] = ['tag', 'element', 'loader'];

const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

test.describe('a card pays on a page with strict headers', () => {
  for (const way of WAYS) {
    test(`a card pays on a page with the documented Content-Security-Policy with Trusted Types enforced, by ${way} (N7, T16)`, {
      tag: way === 'loader' ? [] : '@gate',
    }, async ({ buy }) => {
      await buy({ way });
    });
  }

  for (const [what, headers, isolated] of [
    ['COEP require-corp', { 'cross-origin-embedder-policy': 'require-corp' }, false],
    ['COEP credentialless', { 'cross-origin-embedder-policy': 'credentialless' }, false],
    ['COOP same-origin', { 'cross-origin-opener-policy': 'same-origin' }, false],
    ['COOP and COEP: an isolated page', ISOLATED, true],
    [
      'Permissions-Policy payment=()',
      {
        'permissions-policy': 'payment=(), camera=(), microphone=(), geolocation=(), fullscreen=()',
      },
      false,
    ],
  ] as const) {
    test(`a card pays on a page with ${what} (T18)`, async ({ page, buy }) => {
      await buy(
        { headers },
        {
          async beforePress() {
            expect(await page.evaluate(() => crossOriginIsolated)).toBe(isolated);
          },
        },
      );
    });
  }
});

test("on an isolated page, a bank's page that cannot be framed opens in a window on a click, and the card pays (T18, D26)", async ({
  context,
  page,
  popup,
  purchase,
  site,
}) => {
  await context.route('**/checkout/v1/challenges/*', async (route) => {
    const response = await route.fetch();
    const { 'cross-origin-embedder-policy': _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.goto(site.url + site.publish({ headers: ISOLATED }));
  await purchase.open({}, page.url());
  await popup.payByCard('4000 0000 0000 3220');
  const bank = popup.frame.frameLocator('iframe[title="Card verification"]');
  await expect(bank.locator('body')).toContainText('refused to connect');

  const opened = page.waitForEvent('popup');
  await popup.frame.getByRole('link', { name: 'Open your bank’s page in a new window' }).click();
  await (await opened).getByRole('button', { name: 'Approve' }).click();

  await purchase.expectEnding(PAID);
});
