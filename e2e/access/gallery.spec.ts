import { test as base, expect, type Page } from '@playwright/test';
import { LANGUAGES } from '@service-pay/contract/languages';
import axe from 'axe-core';

import { startGallery } from '../../scripts/demo/gallery.ts';
import { type Inspection, inspectStates } from '../support/state-inspection.ts';

/**
 * States of the frame that announce an error at once. Others wait their turn, or are read because
 * the focus moves there.
 */
const ALERTS = [
  'card-declined',
  'card-offline',
  'declined-elsewhere',
  'form-rejected',
  'mobile-money-declined',
  'not-arrived',
  'not-sent-again',
];

/**
 * Texts of the service and the shop, which nobody translates: names, references, and the reasons of
 * declines (T40). French says “mobile money” too, and
 * Swahili has the placeholder that cards print.
 */
const NOT_OURS =
  /^(?:Kabwata Market|Demo Shop|Two tickets|Card declined|Not enough funds|Mwamba & Daughters.*|<.*|MM \/ YY|Mobile money|American Express|ZMW 10\.00.*Visa.*|mary@example\.com|shop-\w+)$/;

/** Two words or more: a single one may well be the same in two languages. */
const SENTENCE = /\p{L}{2,}[^\p{L}]+\p{L}{2,}/u;

interface Gallery {
  url: string;
  states: { name: string; drawnBy: string }[];
}

const test = base.extend<object, { gallery: Gallery }>({
  gallery: [
    async ({ browser }, use) => {
      const { url, close } = await startGallery();
      const page = await browser.newPage();
      await page.goto(url);
      const states = await page
        .locator('[data-state]')
        .evaluateAll((items) =>
          items.map(({ dataset }) => ({ name: dataset['state']!, drawnBy: dataset['drawnBy']! })),
        );
      await page.close();
      await use({ url, states });
      await close();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
});

type Wanted = Pick<Inspection, 'axe' | 'reach' | 'edges' | 'overlaps' | 'fields' | 'presses'> & {
  drawnBy: string;
  languages?: readonly string[];
};

/**
 * Returns everything wrong, by state and language. English comes first: the others are compared
 * with it.
 */
async function inspectAll(
  page: Page,
  { url, states }: Gallery,
  { drawnBy, languages = LANGUAGES, ...wanted }: Wanted,
): Promise<string[]> {
  const names = states.filter((state) => state.drawnBy === drawnBy).map(({ name }) => name);
  const isFrame = drawnBy === 'frame';
  await page.goto(`${url}${isFrame ? 'checkout' : 'popup'}.html#state=${names[0]}`);
  if (wanted.axe) await page.evaluate(axe.source);
  const english = new Map<string, readonly string[]>();
  const found: string[] = [];
  for (const language of languages) {
    // A low window scrolls as a whole, so scrolled content may pass under Close.
    const corner =
      isFrame && !wanted.reach && !wanted.fields && !wanted.overlaps
        ? { corner: language === 'ar' ? ('left' as const) : ('right' as const) }
        : {};
    for (const { state, wrong, alerts, texts } of await page.evaluate(inspectStates, {
      states: names,
      language,
      ...corner,
      ...wanted,
    })) {
      if (language === 'en') english.set(state, texts);
      const isEnglish = (text: string) =>
        SENTENCE.test(text) && !NOT_OURS.test(text) && english.get(state)?.includes(text);
      const untranslated =
        language === 'en' ? [] : texts.filter(isEnglish).map((text) => `“${text}” is English`);
      const isAlarming = isFrame ? ALERTS.includes(state) : !state.startsWith('loading');
      if (alerts !== Number(isAlarming)) wrong.push(`there are ${alerts} alerts`);
      found.push(...[...wrong, ...untranslated].map((what) => `${state}, ${language}: ${what}`));
    }
  }
  return found;
}

test.use({ reducedMotion: 'reduce' });

for (const [held, width, height, states] of [
  [
    'upright',
    360,
    692,
    [
      'card-declined',
      'waiting-for-phone',
      'may-send-again',
      'taking-long',
      'withdrawing',
      'challenge',
      'confirmed',
    ],
  ],
  ['sideways', 640, 360, ['waiting-for-phone', 'may-send-again', 'withdrawing', 'confirmed']],
] as const) {
  test(`what a payment shows after Pay fits a phone that is held ${held} without scrolling, in every language`, async ({
    page,
    gallery,
  }) => {
    await page.setViewportSize({ width, height });
    for (const language of LANGUAGES) {
      for (const state of states) {
        const hash = `#state=${state}&language=${language}`;
        await page.goto(`${gallery.url}checkout.html${hash}`);
        await page.locator(`html[data-shown="${hash}"]`).waitFor();

        const overflow = await page
          .locator('html')
          .evaluate((html) => html.scrollHeight - html.clientHeight);
        expect.soft(overflow, `${state}, ${language}`).toBeLessThanOrEqual(0);
      }
    }
  });
}

for (const { colorScheme, languages, tag } of [
  { colorScheme: 'light', languages: LANGUAGES, tag: ['@gate'] },
  { colorScheme: 'dark', languages: ['en'], tag: [] }, // a text is as readable in each language
] as const) {
  test.describe(`every state in ${languages.join(', ')}, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width: 360, height: 692 } });
    test.describe.configure({ timeout: 180_000 });

    for (const drawnBy of ['frame', 'page'])
      test(`every state has no axe violation, its own language and space for Close, rendered by the ${drawnBy} (D23)`, {
        tag: [...tag],
      }, async ({ page, gallery }) => {
        expect(await inspectAll(page, gallery, { drawnBy, axe: true, languages })).toEqual([]);
      });
  });
}

test.describe('every state, in every language, at 400 % zoom', () => {
  test.use({ viewport: { width: 320, height: 256 } });
  test.describe.configure({ timeout: 180_000 });

  for (const drawnBy of ['frame', 'page']) {
    test(`every state at 400 % zoom scrolls in one direction only and reaches every control, rendered by the ${drawnBy}`, async ({
      page,
      gallery,
    }) => {
      expect(await inspectAll(page, gallery, { drawnBy, reach: true })).toEqual([]);
    });
  }
});

for (const [size, setting, smallest] of [
  ['twice as large', 'defaultFontSize=32', 24],
  ['at least 26 px high', 'minimumFontSize=26', 0],
] as const)
  test.describe(`every state, in every language, on a browser whose text is ${size}`, () => {
    test.describe.configure({ timeout: 180_000 });

    for (const [drawnBy, width, height] of [
      ['frame', 360, 692],
      ['frame', 320, 520],
      ['page', 360, 740],
      ['page', 320, 568],
    ] as const)
      test(`a browser with larger text neither cuts text nor draws it on other text, at ${width} × ${height}, rendered by the ${drawnBy}`, async ({
        gallery,
        launchOptions,
        playwright,
      }) => {
        const args = [...(launchOptions.args ?? []), `--blink-settings=${setting}`];
        const browser = await playwright.chromium.launch({ ...launchOptions, args });
        const page = await browser.newPage({
          viewport: { width, height },
          reducedMotion: 'reduce',
        });
        try {
          expect(await inspectAll(page, gallery, { drawnBy, overlaps: true })).toEqual([]);
          expect(await page.evaluate(findSmallestText)).toBeGreaterThanOrEqual(smallest);
        } finally {
          await browser.close();
        }
      });
  });

/** Returns the smallest font size of the popup's texts, in pixels. A mark's letters are a drawing. */
function findSmallestText(): number {
  const below = (root: Document | ShadowRoot): Element[] =>
    [...root.querySelectorAll('*')].flatMap((element) =>
      element.shadowRoot ? [element, ...below(element.shadowRoot)] : [element],
    );
  const texts = below(document).filter(
    (element) =>
      element instanceof HTMLElement &&
      element.getRootNode() !== document &&
      element.checkVisibility() &&
      [...element.childNodes].some((node) => node instanceof Text && node.data.trim()),
  );
  return Math.min(...texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize)));
}

test.describe('every field, above the keyboard of a small phone', () => {
  test.use({ viewport: { width: 320, height: 300 } });
  test.describe.configure({ timeout: 180_000 });

  test('every field is in sight with its message and its offer while it has the focus, in every language', async ({
    page,
    gallery,
  }) => {
    expect(await inspectAll(page, gallery, { drawnBy: 'frame', fields: true })).toEqual([]);
  });
});

test('something has the focus after each press in every state of the frame', async ({
  page,
  gallery,
}) => {
  test.slow();
  const languages = ['en'] as const;
  expect(await inspectAll(page, gallery, { drawnBy: 'frame', presses: true, languages })).toEqual(
    [],
  );
});

test.describe('every state, in forced colours', () => {
  test.use({ forcedColors: 'active' });

  for (const drawnBy of ['frame', 'page']) {
    test(`every state in forced colours shows every control and which has the focus, rendered by the ${drawnBy}`, async ({
      page,
      gallery,
    }) => {
      expect(await inspectAll(page, gallery, { drawnBy, languages: ['en'], edges: true })).toEqual(
        [],
      );
    });
  }
});

test('the gallery itself is accessible, and its choices reach every picture', async ({
  page,
  gallery,
}) => {
  test.slow();
  await page.goto(`${gallery.url}?filter=taken`);
  await page.getByLabel('Language').selectOption('العربية');
  await page.getByLabel('Filter').fill('card: declined');

  await expect(page.getByRole('status')).toHaveText(`1 of ${gallery.states.length} states`);
  await expect(page.getByRole('heading', { name: 'Paying by card' })).toBeVisible();
  const picture = page.getByRole('listitem').locator('iframe').contentFrame();
  await expect(picture.locator('html')).toHaveAttribute('dir', 'rtl');
  await page.evaluate(axe.source);
  expect(
    (
      await page.evaluate(() =>
        (window as never as { axe: typeof axe }).axe.run('header, main', { iframes: false }),
      )
    ).violations,
  ).toEqual([]);
  await page.getByRole('link', { name: 'Card: declined' }).click();

  await expect(
    page.locator('.whole').contentFrame().locator('iframe').contentFrame().getByRole('alert'),
  ).toContainText('رفض البنك هذه البطاقة.');
});

test('the gallery leads from state to state by keyboard, and no picture takes the focus', async ({
  page,
  gallery,
}) => {
  const expectState = async (name: string) => {
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    // an opening popup takes the focus
    const popup = page.locator('.whole').contentFrame();
    await expect(popup.locator('html')).toHaveAttribute('data-shown');
  };
  await page.goto(`${gallery.url}?filter=card:`);
  await page.getByLabel('Filter').focus();
  const pictures = page.locator('li:not([hidden]) iframe');
  await expect(pictures.first().contentFrame().getByLabel('Card number')).toBeVisible();
  await page.keyboard.type(' e');
  await expect(page.getByLabel('Filter')).toHaveValue('card: e');
  await expect(page.getByRole('status')).toHaveText(/^1 of/);

  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Card: empty' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expectState('Card: empty');
  await page.keyboard.press('ArrowRight');
  await expectState('language offered');
  await page.getByRole('link', { name: 'Next' }).press('ArrowLeft');
  await expectState('Card: empty');
  await page.getByRole('link', { name: 'Next' }).press('Enter');
  await expectState('language offered');
  await page.getByRole('link', { name: 'All states' }).press('Enter');
  await expect(page.getByLabel('Filter')).toHaveValue('card: e');
});

test('a wait on a phone that is held sideways has buttons of the usual height', async ({
  page,
  gallery,
}) => {
  await page.setViewportSize({ width: 640, height: 360 });
  for (const state of ['unsure', 'elsewhere', 'confirming-long', 'may-send-again']) {
    const hash = `#state=${state}&language=en`;
    await page.goto(`${gallery.url}checkout.html${hash}`);
    await page.locator(`html[data-shown="${hash}"]`).waitFor();

    for (const button of await page.locator('.actions button').all())
      expect.soft((await button.boundingBox())!.height, state).toBeLessThan(60);
  }
});

test('the gallery opens at its top, with the focus on the page', async ({ page, gallery }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(gallery.url);
  const pictures = page.locator('li:not([hidden]) iframe');
  for (const at of [0, 3])
    await expect(pictures.nth(at).contentFrame().locator('html')).toHaveAttribute('data-shown');

  expect(await page.evaluate(() => [scrollY, document.activeElement?.tagName])).toEqual([
    0,
    'BODY',
  ]);
});
