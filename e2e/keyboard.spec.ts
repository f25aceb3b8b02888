import type { Page } from '@playwright/test';

import { expectEnding, PAID } from './ending.ts';
import { expect, test } from './stack.ts';

test.describe('by keyboard alone', () => {
  test('a card pays: the focus goes in, stays in and comes back', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();
    await page.goto(site.url);
    await page.locator('#before').focus();
    await site.pay(page, order);

    await expect(popup.frame.getByLabel('Card number')).toBeFocused();
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press('Tab');
      expect(['in the window', "on the browser's own controls"]).toContain(await placeOfFocus(page));
    }
    await popup.frame.getByLabel('Card number').focus();
    for (const text of ['4242424242424242', '1234', '123', 'Mary Banda']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await expect(popup.frame.getByLabel('Expiry date')).toHaveValue('12/34');
    await expect(popup.payButton).toBeFocused();
    await page.keyboard.press('Enter');

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
    await expect(page.locator('#before')).toBeFocused();
  });

  test('mobile money pays: arrows choose the channel and the network', async ({ page, popup, service, shop, site }) => {
    const order = await shop.order();
    await site.pay(page, order);
    await expect(popup.frame.getByLabel('Card number')).toBeFocused();

    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await expect(popup.frame.getByRole('radio', { name: 'Airtel' })).toBeChecked();
    await page.keyboard.press('Tab');
    await page.keyboard.type('0971111111');
    await page.keyboard.press('Enter');

    await expectEnding({ page, site, shop, service }, order.reference, PAID);
  });

  test('a page that hides dialogs and takes the focus back to its own cannot keep the customer out (T21, U23)', async ({
    page,
    popup,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await page.goto(site.url);
    await page.evaluate(takeTheFocus);
    await site.pay(page, order);

    await popup.payByCard('4242 4242 4242 4242');

    await expect.poll(() => site.outcome(page)).toEqual({ outcome: 'success', reference: order.reference });
    await expect(page.locator('#own button')).toBeFocused();
  });
});

/** Where the focus is, as the page sees it. */
async function placeOfFocus(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement, body } = document;
    if (activeElement === body) return "on the browser's own controls";
    return activeElement?.shadowRoot?.querySelector('dialog[open]') ? 'in the window' : 'on the page';
  });
}

/** What careless pages do: their own modal dialog, styles that hide every other one, and a trap for the focus. */
function takeTheFocus(): void {
  const styles = new CSSStyleSheet();
  styles.replaceSync('*{all:unset} div,dialog:not(#own),iframe{display:none!important} :root{--keyboard:300px}');
  document.adoptedStyleSheets.push(styles);
  const own = document.body.appendChild(document.createElement('dialog'));
  own.id = 'own';
  const button = own.appendChild(document.createElement('button'));
  own.showModal();
  const takeBack = (event: Event) => {
    if (!own.contains(event.target as Node)) button.focus();
  };
  document.addEventListener('focusin', takeBack, { capture: true });
  document.addEventListener('focusout', takeBack, { capture: true });
}
