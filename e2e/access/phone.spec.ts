import type { Frame, Locator, Page } from '@playwright/test';
import type { PaymentPopup } from '@service-pay/sandbox/playwright';
import { expect, test } from '../stack.ts';
import { checkoutFrame } from '../support/checkout-frame.ts';
import { PAID } from '../support/expect-ending.ts';
import { reachPrompt } from '../support/expect-prompt.ts';
import { hold } from '../support/hold.ts';

/** The height that a keyboard leaves of a phone's screen, and of a small one. */
const SIGHT_PX = 440;
const LOW_SIGHT_PX = 300;

/** Bytes a second. */
const MOBILE = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const POOR = { latency: 500, downloadThroughput: 6_250, uploadThroughput: 6_250 };

const CHECKOUT_PAGE = /\/checkout\/v1\/\?/;

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

test('the form names every field for autofill, with a fitting keyboard, and never zooms in', async ({
  page,
  popup,
  purchase,
  site,
}) => {
  await page.goto(site.url);
  await page.evaluate(() => {
    const { style } = document.documentElement;
    style.setProperty('font-size', '10px');
    style.setProperty('--service-pay-font', 'Georgia');
  });
  await purchase.open({ customer: { firstName: 'Mary' } });
  const fieldsOf = () =>
    popup.frame.locator('input:not([type=radio])').evaluateAll((inputs) =>
      inputs.map((input) => {
        const { labels, autocomplete, inputMode, enterKeyHint } = input as HTMLInputElement;
        return [labels![0]!.textContent, autocomplete, inputMode, enterKeyHint].join(' | ');
      }),
    );

  /** iOS zooms in on a smaller field or list. */
  const expectNoZoom = () =>
    popup.frame.locator('input:not([type=radio]), select').evaluateAll((fields) => {
      for (const field of fields) {
        const { fontSize, fontFamily } = getComputedStyle(field);
        if (Number.parseFloat(fontSize) < 16 || !fontFamily.startsWith('Georgia'))
          throw new Error(`${field.ariaLabel ?? field.id}: ${fontSize} ${fontFamily}`);
      }
    });

  await popup.expectOpen();
  await expectNoZoom();
  expect(await fieldsOf()).toEqual([
    'Card number | cc-number | numeric | next',
    'Expiry date | cc-exp | numeric | next',
    'Security code | cc-csc | numeric | next',
    'Name on card | cc-name | text | go',
  ]);
  await popup.payByCard('4000 0000 0000 0010');
  await expect(popup.frame.getByLabel('Street address')).toBeVisible();
  await expectNoZoom();
  expect((await fieldsOf()).slice(3)).toEqual([
    'Name on card | cc-name | text | next',
    'Street address | billing address-line1 | text | next',
    'City | billing address-level2 | text | next',
    'State or province | billing address-level1 | text | next',
    'Postal code | billing postal-code | text | go',
  ]);
  await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
  await expect(popup.frame.getByLabel('One-time code')).toBeVisible();
  await expectNoZoom();
  expect(await fieldsOf()).toEqual(['One-time code | one-time-code | numeric | go']);
  await popup.frame.getByLabel('One-time code').evaluate((input) => {
    const data = new DataTransfer();
    data.setData('text', '000 000');
    if (
      !input.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    )
      throw new Error();
  });
});

test('the form keeps Pay above the keyboard and the field visible, even if the keyboard pans the page', async ({
  page,
  popup,
  purchase,
  site,
}) => {
  // Chromium's emulated tap misses in a frame of another process that is not at the top.
  await purchase.open({}, site.sameSiteUrl);
  await popup.expectOpen();
  await popup.fillCard('4242 4242 4242 4242');
  await popup.frame.getByLabel('Name on card').tap();

  for (const [sight, panned] of [
    [SIGHT_PX, 0],
    [SIGHT_PX, 120],
    [LOW_SIGHT_PX, 0],
  ] as const) {
    await coverByKeyboard(page, sight, panned);
    await expectWithin(popup.payButton, panned, panned + sight);
    await expectWithin(popup.close, panned, panned + sight);
    for (const label of ['Name on card', 'Card number', 'Expiry date', 'Security code']) {
      if (label !== 'Name on card') await popup.frame.getByLabel(label).focus();
      await expectWithin(popup.frame.getByLabel(label), panned, await topOfFoot(popup));
    }
    await popup.frame.getByLabel('Name on card').focus();
  }
});

test('the form leaves room for notches, and for the system bar unless a keyboard covers it', async ({
  page,
  popup,
  purchase,
}) => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send(
    'Emulation.setSafeAreaInsetsOverride' as never,
    { insets: { top: 47, bottom: 34, left: 0, right: 0 } } as never,
  );
  await page.setViewportSize({ width: 360, height: 640 });
  await purchase.open();
  await popup.expectOpen();

  await expectWithin(popup.close, 47, 640);
  await expectWithin(popup.frame.locator('.foot'), 47, 640 - 34);
  await coverByKeyboard(page, SIGHT_PX, 0);
  await expect
    .poll(async () => Math.round((await boxOf(popup.frame.locator('.foot'))).bottom))
    .toBe(SIGHT_PX);
});

test('a phone pays held sideways, with and without the keyboard', async ({
  page,
  popup,
  purchase,
}) => {
  await page.setViewportSize({ width: 740, height: 360 });
  await purchase.open();
  await popup.fillCard('4242 4242 4242 4242');
  await expectNothingSideways(page);
  await popup.frame.getByLabel('Security code').tap();
  await coverByKeyboard(page, 180, 0);
  await expectWithin(popup.frame.getByLabel('Security code'), 0, 180);
  await expectWithin(popup.close, 0, 180);
  await popup.payButton.tap();
  await purchase.expectEnding(PAID);
});

test('the popup leaves the back gesture to the browser if it leads to another page', async ({
  page,
  popup,
  purchase,
  stack,
}) => {
  await page.goto(stack.shopUrl);
  await purchase.open();
  await popup.expectOpen();
  const length = await page.evaluate(() => history.length);
  await popup.chooseChannel('mobile-money');
  expect(await page.evaluate(() => history.length)).toBe(length);

  await page.goBack();
  await expect(page).toHaveURL(`${stack.shopUrl}/`);
});

for (const [name, line, card] of [
  ['150 ms and 1.6 Mbit/s', MOBILE, '4242 4242 4242 4242'],
  ['500 ms and 50 kbit/s', POOR, '4242 4242 4242 4242'],
] as const) {
  test(`the popup says what is happening all the way, and moves nothing, at ${name}`, async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    await page.addInitScript(addUpShifts);
    await page.goto(site.sameSiteUrl);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...line });

    const session = page.waitForResponse((response) =>
      response.url().endsWith('/checkout/v1/sessions'),
    );
    const loading = await hold(page, CHECKOUT_PAGE);
    await purchase.open({}, site.sameSiteUrl);
    await expect(popup.dialog.locator('.skeleton')).toBeVisible();
    if (line === POOR)
      await expect(
        popup.dialog.getByRole('status').getByText('Getting your payment ready…'),
      ).toBeVisible();
    loading.goOn();
    await popup.fillCard(card);
    await expect(page.locator('dialog .skeleton:not([hidden])')).toHaveCount(0);
    await (await session).finished();
    expect(await popup.frame.locator('html').evaluate(shiftsOf)).toBeLessThan(0.02);
    const paying = await hold(page, '**/attempts');
    await popup.payButton.tap();
    await expect(popup.frame.getByRole('button', { name: /^Paying/ })).toBeVisible();
    paying.goOn();
    await popup.expectSuccessful();
    await purchase.expectEnding(PAID);
  });
}

test('the form has a last line as high before the languages have loaded as after', async ({
  page,
  popup,
  purchase,
}) => {
  const loading = await hold(page, '**/assets/lazy-*.js');
  await purchase.open();
  await expect(popup.payButton).toBeVisible();
  const heightOf = async () => (await popup.frame.locator('.last').boundingBox())!.height;
  const before = await heightOf();

  loading.goOn();
  await expect(popup.frame.getByRole('combobox')).toBeVisible();

  expect(await heightOf()).toBe(before);
});

test('the form polls nothing while the customer approves on the same phone, and polls at once on return (T36, T50)', async ({
  page,
  popup,
  purchase,
  service,
}) => {
  await service.stopClock();
  await purchase.open();
  await reachPrompt(popup);
  const frame = checkoutFrame(page);
  const isPoll = (call: { url(): string }) => call.url().endsWith('/sessions/current');

  // The poll that is in flight or due is the last one.
  const last = page.waitForResponse(isPoll);
  await setHidden(frame, true);
  await last;
  await service.advance(60);
  await service.approve('0960000000');
  await service.advance(240);
  const isPolled = page.waitForRequest(isPoll, { timeout: 2_500 }).then(
    () => true,
    () => false,
  );
  expect(await isPolled).toBe(false);

  await setHidden(frame, false);
  await expect(popup.frame.getByRole('heading', { name: 'Payment successful' })).toBeVisible({
    timeout: 10_000,
  });
  await purchase.expectEnding(PAID);
});

/**
 * Plays a keyboard that does not resize the page: the visual viewport gets smaller and may be
 * panned.
 */
async function coverByKeyboard(page: Page, height: number, offsetTop: number): Promise<void> {
  await page.evaluate(
    (sight) => {
      for (const [name, value] of Object.entries(sight))
        Object.defineProperty(visualViewport, name, { configurable: true, get: () => value });
      visualViewport!.dispatchEvent(new Event('resize'));
      visualViewport!.dispatchEvent(new Event('scroll'));
    },
    { height, offsetTop },
  );
}

async function boxOf(target: Locator): Promise<{ top: number; bottom: number }> {
  const box = (await target.boundingBox())!;
  return { top: box.y, bottom: box.y + box.height };
}

async function topOfFoot(popup: PaymentPopup): Promise<number> {
  return (await boxOf(popup.frame.locator('.foot'))).top;
}

async function expectWithin(target: Locator, top: number, bottom: number): Promise<void> {
  await expect
    .poll(async () => {
      const box = await boxOf(target);
      return box.top >= top - 1 && box.bottom <= bottom + 1
        ? 'in sight'
        : `${box.top} to ${box.bottom} of ${top} to ${bottom}`;
    })
    .toBe('in sight');
}

async function expectNothingSideways(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    const isWide = await frame.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    expect(isWide, frame.url()).toBe(false);
  }
}

async function setHidden(frame: Frame, isHidden: boolean): Promise<void> {
  await frame.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

function addUpShifts(): void {
  let shifts = 0;
  const add = (entries: PerformanceObserverEntryList) => {
    for (const entry of entries.getEntries())
      shifts += (entry as PerformanceEntry & { value: number }).value;
    document.documentElement.dataset['shifts'] = String(shifts);
  };
  new PerformanceObserver(add).observe({ type: 'layout-shift', buffered: true });
  document.addEventListener('DOMContentLoaded', () => {
    document.documentElement.dataset['shifts'] ??= '0';
  });
}

async function shiftsOf({ dataset }: HTMLElement): Promise<number> {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  return Number(dataset['shifts']);
}
