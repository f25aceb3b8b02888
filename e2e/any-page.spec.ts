import { expect, test } from './any-page.ts';
import type { Way } from './merchant-site.ts';

const WAYS: readonly Way[] = ['tag', 'element', 'loader'];

const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

test.describe('under headers that forbid much, a card pays', () => {
  for (const way of WAYS) {
    test(`the documented Content-Security-Policy with Trusted Types enforced, by ${way} (N7, T16)`, async ({ buy }) => {
      await buy({ way });
    });
  }

  for (const [what, headers, isolated] of [
    ['COEP require-corp', { 'cross-origin-embedder-policy': 'require-corp' }, false],
    ['COEP credentialless', { 'cross-origin-embedder-policy': 'credentialless' }, false],
    ['COOP and COEP: an isolated page', ISOLATED, true],
    [
      'Permissions-Policy payment=()',
      { 'permissions-policy': 'payment=(), camera=(), microphone=(), geolocation=(), fullscreen=()' },
      false,
    ],
  ] as const) {
    test(`${what} (T18)`, async ({ page, buy }) => {
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
