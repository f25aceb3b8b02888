import type { Page } from '@playwright/test';
import { expect, test } from '../stack.ts';
import { checkoutFrame } from '../support/checkout-frame.ts';
import { expectAccessible } from '../support/expect-accessible.ts';
import { reachPrompt } from '../support/expect-prompt.ts';

// Gallery.spec.ts shows every state of the popup in both schemes.
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 360, height: 740 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
} as const;

test.describe('no axe violation, dark, on a desktop', () => {
  test.use(LOOKS.dark);

  test('no axe violation in the card journey: empty, errors, brand, decline, challenge, leaving, success', async ({
    page,
    popup,
    purchase,
  }) => {
    test.slow();
    await purchase.open();
    await popup.expectOpen();
    await expectAccessible(page);
    await popup.payButton.click();
    await expect(popup.frame.getByLabel('Card number')).toHaveAttribute('aria-invalid', 'true');
    await expectAccessible(page);
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');
    await expectAccessible(page);
    await popup.payByCard('4000 0000 0000 3220');
    await expect(popup.frame.locator('iframe[title="Card verification"]')).toBeVisible();
    await expectAccessible(page);
    await popup.close.click();
    await popup.expectLeavingQuestion();
    await expectAccessible(page);
    await popup.frame.getByRole('button', { name: 'Finish paying' }).click();
    await popup.answerChallenge('approve');
    await popup.expectSuccessful();
  });
});

for (const look of [LOOKS.light, LOOKS.dark])
  test.describe(`no axe violation, ${look.colorScheme}`, () => {
    test.use(look);

    test('no axe violation in the shop: cart, element page, return page', async ({
      page,
      popup,
      stack,
    }) => {
      for (const path of ['/', '/element', '/payments/return?reference=unknown', '/nowhere']) {
        await page.goto(stack.shopUrl + path);
        await page.waitForLoadState('networkidle');
        await expectAccessible(page);
      }
      await page.goto(stack.shopUrl);
      await page.getByRole('button', { name: /^Pay/ }).click();
      await popup.payByCard('4242 4242 4242 4242');
      await expect(page.getByRole('heading', { name: 'Order paid' })).toBeVisible();
      await expectAccessible(page);
    });
  });

test.describe('at 400 % of a desktop', () => {
  test.use({ viewport: { width: 320, height: 256 } });

  test('nothing scrolls sideways and the focus is never covered while a card is mistyped, declined and challenged', async ({
    page,
    popup,
    purchase,
  }) => {
    const label =
      'Mwamba & Daughters General Dealers, Agricultural Supplies and Building Materials (Kabwe, Great North Road)';
    await purchase.open({ label, bearer: 'customer' });
    await popup.expectOpen();
    for (const isSpaced of [false, true]) {
      if (isSpaced) await spaceText(page);
      await popup.payButton.press('Enter');
      await expectRoomForAll(page);
    }
    await popup.fillCard('4000 0000 0000 0002');
    await popup.payButton.press('Enter');
    await popup.expectDeclined('Card declined');
    await expectRoomForAll(page);
    await popup.fillCard('4000 0000 0000 3220');
    await popup.payButton.press('Enter');
    await expect(popup.frame.locator('iframe[title="Card verification"]')).toBeVisible();
    await spaceText(page);
    await expectRoomForAll(page);
  });
});

test.describe('on a small phone', () => {
  test.use({ viewport: { width: 320, height: 568 } });

  test('every target is large enough, and nothing scrolls sideways during a mobile money payment', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payButton.press('Enter');
    await expectTargets(page);
    await popup.chooseChannel('mobile-money');
    await popup.payButton.press('Enter');
    await expectTargets(page);
    await expectRoomForAll(page);
    await reachPrompt(popup);
    await expectRoomForAll(page);
    await popup.close.click();
    await popup.expectLeavingQuestion();
    await expectTargets(page);
    await expectRoomForAll(page);
  });
});

/** Sets the spacing that a reader may choose (WCAG 2.2, 1.4.12), in every tree of the frame. */
async function spaceText(page: Page): Promise<void> {
  await checkoutFrame(page).evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      '*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-block-end:2em!important}',
    );
    const space = (root: Document | ShadowRoot) => {
      if (!root.adoptedStyleSheets.includes(sheet))
        root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
      for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) space(shadowRoot);
    };
    space(document);
  });
}

/**
 * Nothing is cut off or wider than the screen, and head and foot never cover the focus (WCAG 2.2:
 * 1.4.10, 2.4.11).
 */
async function expectRoomForAll(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  const faults = await checkoutFrame(page).evaluate(async () => {
    const found: string[] = [];
    const roots: (Document | ShadowRoot)[] = [document];
    for (const root of roots)
      for (const { shadowRoot } of root.querySelectorAll('*'))
        if (shadowRoot) roots.push(shadowRoot);
    const all = roots
      .flatMap((root) => [...root.querySelectorAll<HTMLElement>('*')])
      .filter((element) => element.checkVisibility());
    await Promise.all(
      document
        .getAnimations()
        .map(({ effect, finished }) => effect?.getTiming().iterations === 1 && finished),
    );
    const nameOf = (element: Element) =>
      `${element.localName}.${element.className} ${element.textContent?.trim().slice(0, 30)}`;
    for (const element of all) {
      const { width, right, left } = element.getBoundingClientRect();
      if (element.closest('.unseen, svg') || !width) continue;
      if (right > innerWidth + 1 || left < -1)
        found.push(`wider than the screen: ${nameOf(element)}`);
      const isCut =
        getComputedStyle(element).overflowX !== 'visible' &&
        element.scrollWidth > element.clientWidth + 1;
      if (isCut && element.localName !== 'input') found.push(`cut off: ${nameOf(element)}`);
    }
    const foot = all.find(
      (element) => element.matches('.foot') && getComputedStyle(element).position === 'sticky',
    );
    const roof = all.find(
      (element) =>
        element.matches('.head, .total') && getComputedStyle(element).position === 'sticky',
    );
    const targets = all.filter((each) => each.matches('input, a, button:not(.foot *, .head *)'));
    for (const element of targets) {
      element.focus();
      const { top, bottom } = element.getBoundingClientRect();
      const isCovered =
        top < (roof ? roof.getBoundingClientRect().bottom : 0) - 1 ||
        bottom > (foot ? foot.getBoundingClientRect().top : innerHeight) + 1;
      if (isCovered) found.push(`covered: ${nameOf(element)} ${element.id} at ${top} to ${bottom}`);
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push('the frame goes sideways');
    return found;
  });
  expect(faults).toEqual([]);
}

/** Fields and buttons are 44 pixels high and more; links within a text 24 (WCAG 2.2, 2.5.8). */
async function expectTargets(page: Page): Promise<void> {
  const small = await checkoutFrame(page).evaluate(() => {
    const roots: (Document | ShadowRoot)[] = [document];
    for (const root of roots)
      for (const { shadowRoot } of root.querySelectorAll('*'))
        if (shadowRoot) roots.push(shadowRoot);
    return roots
      .flatMap((root) => [...root.querySelectorAll<HTMLElement>('input, button, select, a')])
      .filter((target) => target.checkVisibility())
      .map((target) => ({ target, box: target.getBoundingClientRect() }))
      .filter(
        ({ target, box }) => Math.min(box.width, box.height) < (target.matches('li a') ? 24 : 44),
      )
      .map(
        ({ target, box }) =>
          `${target.localName} ${target.textContent?.trim()} ${box.width} × ${box.height}`,
      );
  });
  expect(small).toEqual([]);
}
