import type { Page } from '@playwright/test';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { reachPrompt } from '../../support/expect-prompt.ts';
import type { OwnPage } from '../../support/merchant-site.ts';
import type { Purchase } from '../../support/purchase.ts';
import { expect, test } from './host-page.ts';

test.describe('the page behind the popup', () => {
  test('the page behind the popup neither moves nor scrolls while the popup scrolls, and is unchanged afterwards', async ({
    playwright,
    launchOptions,
    purchase,
  }) => {
    test.slow();
    const browser = await playwright.chromium.launch({
      ...launchOptions,
      ignoreDefaultArgs: ['--hide-scrollbars'],
    });
    for (const css of [
      'html { scrollbar-gutter: stable both-edges; scroll-behavior: smooth }',
      'html, body { height: 100% } html { overflow: hidden } body { overflow-y: auto; scroll-behavior: smooth }',
      'body { display: flex; flex-direction: column; justify-content: space-between; height: 12000px }',
    ]) {
      const page = await browser.newPage();
      const popup = await openOn(page, purchase, {
        headers: {},
        head: `<style>${css} * { margin: 0 } #tall { height: 4000px } #list { height: 200px; overflow: auto; width: 100% }</style>`,
        body: '<div id="tall"></div><div id="list"><div id="tall"></div>{{button}}</div><div id="tall"></div>',
        before: () => document.querySelector('#pay')!.scrollIntoView({ behavior: 'instant' }),
      });
      const before = await page.evaluate(lookAtPage);
      expect(before.isScrolled, css).toBe(true);

      await page.locator('#pay').click();
      await popup.expectOpen();
      for (const x of [20, 640]) {
        await page.mouse.move(x, 300);
        await page.mouse.wheel(0, -400);
        await page.mouse.wheel(0, 400_000);
      }
      expect(await page.evaluate(lookAtPage), css).toEqual(before);
      await popup.close.click();
      await popup.expectClosed();

      expect(await page.evaluate(lookAtPage), css).toEqual(before);
      expect(await page.evaluate(() => document.adoptedStyleSheets.length)).toBe(0);
      await expect(page.locator('#pay')).toBeFocused();
      await page.close();
    }
    await browser.close();
  });

  test('the page behind the popup gets the focus back at the button, even if it was disabled meanwhile, otherwise at its place, otherwise nowhere, without an error', async ({
    page,
    purchase,
  }) => {
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    const body = '<main id="main" tabindex="-1"><p>{{button}}</p></main>';
    const popup = await openOn(page, purchase, {
      body,
      before: () =>
        document
          .querySelector('#pay')!
          .addEventListener(
            'click',
            ({ target }) => ((target as HTMLButtonElement).disabled = true),
          ),
      after: () => {
        const { push } = window.calls;
        window.calls.push = (...calls) => {
          const button = document.querySelector<HTMLButtonElement>('#pay');
          if (button) button.disabled = false;
          return push.apply(window.calls, calls);
        };
      },
    });
    const button = page.locator('#pay');
    const closeAgain = async () => {
      await popup.expectOpen();
      await popup.close.click();
      await popup.expectClosed();
    };

    await button.click();
    await closeAgain();
    await expect(button).toBeFocused();

    await button.click();
    await popup.expectOpen();
    await button.evaluate((node) => node.remove());
    await closeAgain();
    await expect(page.locator('#main')).toBeFocused();

    await page.evaluate(() => window.pay(JSON.parse(decodeURIComponent(location.hash.slice(1)))));
    await popup.expectOpen();
    await page.evaluate(() => document.querySelector('#main')!.remove());
    await closeAgain();
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    expect(errors).toEqual([]);
  });

  for (const [what, way, act] of [
    [
      'a router that replaces the page',
      'tag',
      () => document.body.replaceChildren(document.createElement('main')),
    ],
    [
      'a router that replaces the body',
      'tag',
      () => (document.body = document.createElement('body')),
    ],
    [
      'a router that replaces the page, by element',
      'element',
      () => document.body.replaceChildren(document.createElement('main')),
    ],
    ['code that removes the window', 'tag', () => document.body.lastElementChild!.remove()],
  ] as const) {
    test(`the popup is removed by ${what}: one outcome, nothing left, and the next payment opens (T15)`, async ({
      page,
      purchase,
    }) => {
      const popup = await openOn(page, purchase, { way, headers: {} });
      await page.locator('button#pay, #pay [part=button]').click();
      await reachPrompt(popup);

      await page.evaluate(act as () => void);

      await purchase.expectCallback('onConfirmationPending');
      expect(
        await page.evaluate(() => [
          getComputedStyle(document.documentElement).overflow,
          document.adoptedStyleSheets.length,
        ]),
      ).toEqual(['visible', 0]);
      await expect.poll(() => page.frames()).toHaveLength(1);
      await (await purchase.another()).open();
      await popup.expectOpen();
    });
  }

  test("the page does not show the preloaded frame, whatever the page's styles", async ({
    page,
    purchase,
    site,
  }) => {
    const { key } = purchase.order;
    await page.goto(
      site.url +
        site.publish({
          headers: {},
          head: '<style>*, [hidden] { all: unset !important } div, iframe { display: block !important }</style>',
        }),
    );
    await page.evaluate(
      (publicKey) =>
        (window as unknown as { ServicePay: { preload(o: object): void } }).ServicePay.preload({
          key: publicKey,
        }),
      key,
    );

    await expect(page.locator('iframe')).toHaveCount(1);
    await expect(page.locator('iframe')).toBeHidden();
  });
});

declare global {
  interface Window {
    calls: unknown[];
    pay(options: object): void;
  }
}

async function openOn(page: Page, purchase: Purchase, own: OwnPage): Promise<PaymentPopup> {
  await page.goto(purchase.addressOn(own));
  return new PaymentPopup(page);
}

function lookAtPage(): { isScrolled: boolean; places: number[] } {
  const places = [...document.querySelectorAll('#tall, #list, #pay')].flatMap((element) => {
    const { x, y, width } = element.getBoundingClientRect();
    return [x, y, width];
  });
  return { isScrolled: scrollY + document.body.scrollTop > 0, places };
}
