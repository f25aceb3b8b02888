import type { Frame, Locator, Page } from '@playwright/test';

import { expect, test } from '../stack.ts';
import { checkoutFrame } from '../support/checkout-frame.ts';
import { optionsOf } from '../support/merchant-site.ts';
import { colourAt } from '../support/pixel.ts';

const HOSTILE: Record<string, string>[] = [
  {
    accent: 'url(https://evil.example/a)',
    radius: 'calc(1px * 900)',
    font: 'x;} input{background:url(https://evil.example/?',
  },
  {
    accent: '#0b6b4f;background:url(https://evil.example/b)',
    radius: '-4px',
    font: `${'x'.repeat(10_000)}`,
  },
  {
    accent: 'var(--evil, url(https://evil.example/c))',
    radius: 'url(https://evil.example/d)',
    font: 'url(https://evil.example/e)',
  },
  {
    accent: 'image-set("https://evil.example/f" 1x)',
    radius: '99999999px',
    font: '</style><script src=//evil.example>',
  },
];

const PLAIN = { accent: 'rgb(11, 107, 79)', radius: '10px', font: 'system-ui' };

test('the popup accepts only a colour, a length, font names and a known language from a page (T22)', async ({
  page,
  popup,
  purchase,
  site,
}) => {
  test.slow();
  const strangers: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('evil')) strangers.push(request.url());
  });
  for (const [index, theme] of HOSTILE.entries()) {
    await page.goto(site.url);
    await setTheme(page, theme);
    await purchase.open({
      locale: ['../../x', '__proto__', 'constructor', 'x'.repeat(10_000)][index],
    });
    await popup.expectOpen();

    expect(await lookOf(checkoutFrame(page)), JSON.stringify(theme).slice(0, 80)).toEqual(PLAIN);
    expect(await checkoutFrame(page).evaluate(() => document.documentElement.lang)).toBe('en');
  }
  expect(strangers).toEqual([]);
});

test('the popup carries accent, radius and font into the frame, and follows the system while it is open', async ({
  page,
  popup,
  purchase,
  site,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(site.url);
  await setTheme(page, {
    accent: 'rebeccapurple',
    radius: '6px',
    font: "Georgia, 'Times New Roman'",
  });
  await purchase.open();
  await popup.expectOpen();
  expect(await lookOf(checkoutFrame(page))).toEqual({
    accent: 'rgb(102, 51, 153)',
    radius: '4px',
    font: 'Georgia',
  });

  for (const [colorScheme, surface] of [
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(21, 25, 28)'],
    ['light', 'rgb(255, 255, 255)'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => surfacesOf(page)).toEqual([surface, surface]);
  }
});

for (const [system, declared] of [
  ['dark', 'light'],
  ['light', 'dark'],
  ['dark', 'light dark'],
] as const) {
  test(`the popup is ${system} on a ${system} system and a page that declares ${declared}, without a flash of another background`, async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    await page.emulateMedia({ colorScheme: system });
    await page.goto(site.url);
    await page.evaluate(
      (scheme) => document.documentElement.style.setProperty('color-scheme', scheme),
      declared,
    );
    await purchase.open();
    await popup.expectOpen();
    const surface = system === 'dark' ? 'rgb(21, 25, 28)' : 'rgb(255, 255, 255)';
    expect(await surfacesOf(page)).toEqual([surface, surface]);

    // Without anything in it the frame is seen through: it has no ground of its own.
    await checkoutFrame(page).evaluate(() => document.body.replaceChildren());
    const { x, y, width } = (await popup.dialog.boundingBox())!;
    const beside = await colourAt(page, x / 2, y);
    await expect.poll(() => colourAt(page, x + width / 2, y + 100)).toBe(beside);
  });
}

test('Copy stays readable under the pointer', async ({ popup, purchase }) => {
  await purchase.open();
  await popup.payByCard();
  const copy = popup.frame.getByRole('button', { name: 'Copy reference' });
  await copy.hover();

  await expect(copy).toHaveCSS('background-color', 'rgb(226, 230, 233)');
});

test.describe('with forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } });

  test('the buttons of the element, of a notice and of the form are filled, and Close is as the sheet', async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    const fill = (button: Locator) =>
      button.evaluate((element) => getComputedStyle(element).backgroundColor);
    const filled = 'rgb(0, 0, 0)';
    await page.goto(purchase.addressOn({ way: 'element' }));
    const pay = page.locator('#pay [part=button]');
    expect(await fill(pay)).toBe(filled);

    await pay.click();
    await popup.expectOpen();
    expect(await fill(popup.payButton)).toBe(filled);
    expect(await fill(popup.close)).toBe('rgba(0, 0, 0, 0)'); // the form draws its sign

    await page.goto(`${site.url}${site.publish({ way: 'element' })}${optionsOf({})}`);
    await page.locator('#pay').evaluate((element) => {
      Object.assign(element, { prepare: () => Promise.reject(new Error('no order')) });
    });
    await pay.click();
    expect(await fill(page.getByRole('button', { name: 'Try again' }))).toBe(filled);
    expect(await fill(popup.close)).toBe(await fill(popup.dialog.locator('.skeleton')));
  });

  test('the focus, the selection, the borders and the icons are visible', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.expectOpen();
    const seen = await checkoutFrame(page).evaluate(() => {
      const roots = [document.querySelector('checkout-app')!.shadowRoot!];
      for (const root of roots)
        for (const { shadowRoot } of root.querySelectorAll('*'))
          if (shadowRoot) roots.push(shadowRoot);
      const find = (selector: string) =>
        roots.flatMap((root) => [...root.querySelectorAll<HTMLElement>(selector)]);
      const ground = getComputedStyle(find('input')[0]!).backgroundColor;
      const number = find('#number')[0]!;
      number.focus();
      return {
        focus: getComputedStyle(number).outlineStyle,
        chosen: find('.choice').map((choice) => getComputedStyle(choice).outlineStyle),
        boxes: find('input:not([type=radio]), button').filter(
          (box) => getComputedStyle(box).borderTopColor === ground,
        ).length,
        signs: find('svg').filter((sign) => getComputedStyle(sign).stroke === ground).length,
      };
    });
    expect(seen).toEqual({ focus: 'solid', chosen: ['solid', 'none'], boxes: 0, signs: 0 });
  });
});

test.describe('with more contrast and less motion', () => {
  test.use({ contextOptions: { contrast: 'more', reducedMotion: 'reduce' } });

  test('hints have the contrast of normal text, and nothing moves when an alert appears', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');

    const { colours, moving } = await checkoutFrame(page).evaluate(() => {
      const app = document.querySelector('checkout-app')!.shadowRoot!;
      const form = app.querySelector('pay-form')!.shadowRoot!.querySelector('card-form')!;
      const colourAt = (selector: string) =>
        getComputedStyle(form.shadowRoot!.querySelector(selector)!).color;
      return {
        colours: [colourAt('.mark'), colourAt('label')],
        moving: app.getAnimations().length,
      };
    });
    expect(colours[0]).toBe(colours[1]);
    expect(moving).toBe(0);
  });
});

async function setTheme(page: Page, theme: Record<string, string>): Promise<void> {
  await page.evaluate((values) => {
    for (const [name, value] of Object.entries(values))
      document.documentElement.style.setProperty(`--service-pay-${name}`, value);
  }, theme);
}

async function lookOf(frame: Frame): Promise<Record<string, string>> {
  return frame.locator('button[type=submit]').evaluate((button) => {
    const { backgroundColor, borderTopLeftRadius, fontFamily } = getComputedStyle(button);
    return {
      accent: backgroundColor,
      radius: borderTopLeftRadius,
      font: fontFamily.split(',')[0]!,
    };
  });
}

async function surfacesOf(page: Page): Promise<string[]> {
  const skeleton = await page
    .locator('dialog .skeleton')
    .evaluate((element) => getComputedStyle(element).backgroundColor);
  return [
    skeleton,
    await checkoutFrame(page).evaluate(
      () => getComputedStyle(document.querySelector('checkout-app')!, '::before').backgroundColor,
    ),
  ];
}
