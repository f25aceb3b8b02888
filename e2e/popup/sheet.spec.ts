import type { Locator, Page } from '@playwright/test';

import { expect, test } from '../stack.ts';
import { checkoutFrame, findCheckoutFrame } from '../support/checkout-frame.ts';
import { hold } from '../support/hold.ts';
import { colourAt } from '../support/pixel.ts';

const CHECKOUT_PAGE = /\/checkout\/v1\/\?/;

const STRIP_PX = 48;

test.describe('the sheet', () => {
  test('the sheet is at the bottom of a phone screen, as high as its content, with the shop visible above it', async ({
    page,
    popup,
    purchase,
  }) => {
    await page.setViewportSize({ width: 360, height: 900 });
    await purchase.open();
    await popup.expectOpen();
    await expect.poll(() => isAsHighAsItsContent(page)).toBe(true);
    const box = (await popup.dialog.boundingBox())!;
    expect([box.x, box.width, box.y + box.height]).toEqual([0, 360, 900]);
    expect(box.y).toBeGreaterThan(STRIP_PX);

    await page.setViewportSize({ width: 360, height: 500 });
    await expect.poll(async () => (await popup.dialog.boundingBox())?.y).toBe(STRIP_PX);
    await expect(popup.payButton).toBeInViewport();
  });

  for (const [place, width, beyond] of [
    ['above it on a phone', 360, -10],
    ['below it on a larger screen', 1280, 10],
  ] as const)
    test(`the sheet ends where its content does: ${place} the shop is seen, and a press there leaves`, async ({
      page,
      popup,
      purchase,
    }) => {
      await page.setViewportSize({ width, height: 900 });
      await purchase.open();
      await popup.expectOpen();
      await expect.poll(() => isAsHighAsItsContent(page)).toBe(true);
      const { x, y, height } = (await popup.dialog.boundingBox())!;
      const edge = beyond < 0 ? y : y + height;

      await expect.poll(() => colourAt(page, x + 60, edge + beyond)).not.toBe('rgb(255, 255, 255)');
      expect(await colourAt(page, x + 60, edge - beyond)).toBe('rgb(255, 255, 255)');
      await page.mouse.click(x + 60, edge + beyond);

      await popup.expectClosed();
      await purchase.expectOutcome('closed');
    });

  test('the sheet is a card of 420 px near the middle of a larger screen, which grows with its content while its top stays', async ({
    page,
    popup,
    purchase,
  }) => {
    await page.setViewportSize({ width: 1280, height: 1000 });
    await purchase.open();
    await popup.expectOpen();
    await expect.poll(() => isAsHighAsItsContent(page)).toBe(true);

    const { x, y, width, height } = (await popup.dialog.boundingBox())!;
    expect([x, y, width]).toEqual([430, 180, 420]);

    await popup.payButton.click();
    await expect.poll(async () => (await popup.dialog.boundingBox())!.height).not.toBe(height);
    await expect.poll(() => isAsHighAsItsContent(page)).toBe(true);
    expect((await popup.dialog.boundingBox())!.y).toBe(y);
  });

  for (const amount of ['10.00', '1234567.89']) {
    test(`the sheet does not move amount, fields and Pay when the form replaces the skeleton: ${amount}`, async ({
      page,
      popup,
      purchase,
    }) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      const loading = await hold(page, CHECKOUT_PAGE);
      const placeOf = async (part: Locator, amount: Locator) => {
        const [{ y: top }, { y, height }] = [
          (await amount.boundingBox())!,
          (await part.boundingBox())!,
        ];
        return { below: y - top, height };
      };

      await purchase.open({ amount });
      const { dialog, frame } = popup;
      await expect(dialog.locator('.amount')).toContainText('ZMW');
      const before = dialog.locator('.amount');
      const height = (await placeOf(before, before)).height;
      const bars = await Promise.all(
        (await dialog.locator('.bars i').all()).map((bar) => placeOf(bar, before)),
      );
      loading.goOn();
      await popup.expectOpen();

      const after = frame.locator('.total');
      expect((await placeOf(after, after)).height).toBe(height);
      const drawn = [
        ...(await frame.locator('.choices > *').all()),
        ...(await frame.locator('.box').all()),
        popup.payButton,
      ];
      expect(drawn).toHaveLength(bars.length);
      for (const [at, part] of drawn.entries()) {
        const { below, height } = await placeOf(part, after);
        expect(height).toBe(bars[at]!.height);
        expect(Math.abs(below - bars[at]!.below)).toBeLessThan(2);
      }
    });
  }

  for (const [reducedMotion, entrance] of [
    ['no-preference', ['slide-in']],
    ['reduce', []],
  ] as const) {
    test(`the sheet slides in opaque on a phone and leaves by itself (motion: ${reducedMotion})`, async ({
      page,
      popup,
      purchase,
      site,
    }) => {
      await page.emulateMedia({ reducedMotion });
      await page.setViewportSize({ width: 360, height: 740 });
      await page.goto(site.url);
      const animations = await page.evaluate((options) => {
        (window as unknown as { pay(options: object): void }).pay(options);
        const popup = document.querySelector('service-pay-popup')!.shadowRoot!;
        const card = popup.querySelector('.card')!;
        return card
          .getAnimations()
          .map((animation) => [
            (animation as CSSAnimation).animationName,
            (animation.effect as KeyframeEffect).getKeyframes().some(({ opacity }) => opacity),
          ]);
      }, purchase.order);
      expect(animations).toEqual(entrance.map((name) => [name, false]));

      await popup.expectOpen();
      await popup.close.click();
      await popup.expectClosed();
      await purchase.expectOutcome('closed');
      await expect(page.locator('service-pay-popup, dialog, iframe')).toHaveCount(0);
    });
  }

  for (const [reducedMotion, motions] of [
    ['no-preference', ['a step fades out', 'the tick is drawn']],
    ['reduce', []],
  ] as const) {
    test(`the sheet cross-fades to success, whose tick draws itself (motion: ${reducedMotion})`, async ({
      page,
      popup,
      purchase,
    }) => {
      await page.emulateMedia({ reducedMotion });
      await purchase.open();
      await popup.expectOpen();
      const seen = new Set<string>();
      await page.exposeFunction('note', (motion: string) => void seen.add(motion));
      await popup.frame.locator('html').evaluate(watchMotion);
      await popup.payByCard('4242 4242 4242 4242');
      await popup.expectSuccessful();

      await expect.poll(() => [...seen].sort()).toEqual(motions);
    });
  }

  test('the sheet glides once for each change of its height, also after the payment was opened again', async ({
    page,
    popup,
    shop,
    site,
  }) => {
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.route(/\/checkout\/v1\/sessions$/, (route) => route.abort());
    await site.pay(page, await shop.order());
    const tryAgain = popup.frame.getByRole('button', { name: 'Try again' });
    await expect(tryAgain).toBeVisible();
    const glides: number[] = [];
    await page.exposeFunction('note', (startedAt: number) => void glides.push(startedAt));
    await popup.frame.locator('html').evaluate(watchGlides);

    await page.unroute(/\/checkout\/v1\/sessions$/);
    await tryAgain.click();
    await popup.expectOpen();

    await expect.poll(() => glides.length).toBeGreaterThan(0);
    expect(glides).toEqual([...new Set(glides)]);
  });
});

test('the popup says after 1.2 s that it loads and after 8 s that it is slow, without repeating itself', async ({
  page,
  popup,
  purchase,
}) => {
  await page.clock.install();
  await page.route(CHECKOUT_PAGE, () => undefined);
  await purchase.open();
  const status = popup.dialog.getByRole('status');
  await expect(status).toHaveText('');

  await page.clock.fastForward(1_300);
  await expect(status).toHaveText('Getting your payment ready…');
  await page.clock.fastForward(7_000);
  await expect(status).toHaveText(
    'Slow connection. You can close this; you have not been charged.',
  );
});

test('a printed receipt is alone on one sheet of paper, without buttons', async ({
  page,
  popup,
  purchase,
  site,
}) => {
  await page.goto(site.url);
  await page.evaluate(() => {
    document.body.append(
      Object.assign(document.createElement('p'), { id: 'goods', textContent: 'Goods' }),
    );
    document.getElementById('goods')!.style.height = '5000px';
  });
  await purchase.open();
  await popup.payByCard('4242 4242 4242 4242');
  await expect(popup.frame.getByRole('heading', { name: 'Payment successful' })).toBeVisible();

  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('#goods')).toBeHidden();
  await expect(popup.close).toBeHidden();
  await expect(popup.frame.getByText('Reference')).toBeVisible();
  await expect(popup.frame.getByRole('button')).toHaveCount(0);
  const pages = (await page.pdf()).toString('latin1').match(/\/Type \/Page\b/g);
  expect(pages).toHaveLength(1);
});

test('the frame may use passkeys, payment credentials and the clipboard', async ({
  page,
  popup,
  purchase,
}) => {
  await purchase.open();
  await popup.expectOpen();
  const frame = checkoutFrame(page);

  const allowed = await frame.evaluate(() =>
    (
      document as unknown as { featurePolicy: { allowedFeatures(): string[] } }
    ).featurePolicy.allowedFeatures(),
  );

  expect(allowed).toEqual(
    expect.arrayContaining(['payment', 'publickey-credentials-get', 'clipboard-write']),
  );
});

function watchMotion(): void {
  const { note } = window as unknown as { note: (motion: string) => void };
  const animationsIn = (root: Document | ShadowRoot): Animation[] => [
    ...root.getAnimations(),
    ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
      shadowRoot ? animationsIn(shadowRoot) : [],
    ),
  ];
  const look = () => {
    for (const animation of animationsIn(document)) {
      const { target } = animation.effect as KeyframeEffect;
      if (target?.matches('.step')) note('a step fades out');
      if ((animation as CSSAnimation).animationName === 'draw') note('the tick is drawn');
    }
    requestAnimationFrame(look);
  };
  look();
}

/** Notes for each glide of the sheet's edge the time at which it started. */
function watchGlides(): void {
  const { note } = window as unknown as { note: (startedAt: number) => void };
  const { animate } = Element.prototype;
  Element.prototype.animate = function (frames, options) {
    const animation = animate.call(this, frames, options);
    if ((options as KeyframeAnimationOptions).pseudoElement === '::before')
      animation.ready.then(
        () => note(animation.startTime as number),
        () => undefined, // cut off before its first frame
      );
    return animation;
  };
}

async function isAsHighAsItsContent(page: Page): Promise<boolean> {
  const frame = findCheckoutFrame(page);
  const content = await frame?.evaluate(
    () => document.querySelector('checkout-app')!.getBoundingClientRect().height,
  );
  const sheet = await page.evaluate(() => {
    const { shadowRoot } = document.querySelector('service-pay-popup')!;
    const { top, bottom } = shadowRoot!.querySelector('.card')!.getBoundingClientRect();
    return Math.min(bottom, innerHeight) - top;
  });
  return content !== undefined && Math.ceil(content) === Math.round(sheet);
}
