import type { Locator, Page, Route } from '@playwright/test';

import { expect, test } from '../stack.ts';
import { consoleOf } from '../support/trouble.ts';

const CHECKOUT_PAGE = /\/checkout\/v1\/\?/;
const SCREENS = /\/assets\/lazy-[^/]*\.js(?:\?|$)/;
const WHOLE_SERVICE = /\/checkout\/v1\/\?|\/js\/v1\/integrity/;
const GREETING = `<script>parent.postMessage({ type: 'service-pay:ready', versions: [99] }, new URLSearchParams(location.search).get('origin'))</script>`;

const breaking = (where: RegExp, act: (route: Route) => Promise<void>) => ({
  breakIt: (page: Page) => page.route(where, act),
  fix: (page: Page) => page.unroute(where),
});

/** Resolves once everything that moves in the sheet has come to its place. */
const moved = (sheet: Locator) =>
  sheet.evaluate((node) => {
    const motions = node.getAnimations({ subtree: true });
    const ending = motions.filter(
      (motion) => motion.effect!.getComputedTiming().endTime !== Infinity,
    );
    return Promise.allSettled(ending.map((motion) => motion.finished));
  });

const FAILURES: {
  title: string;
  breakIt: (page: Page) => Promise<unknown>;
  fix: (page: Page) => Promise<unknown>;
  says: string;
  advises: RegExp;
  /** A new try cannot help, and none is offered. */
  isFinal?: boolean;
  /** The part of the page's time limit that must pass before it reports a failure. */
  afterMs?: number;
}[] = [
  {
    title: 'a service that cannot be reached',
    ...breaking(WHOLE_SERVICE, (route) => route.abort('connectionrefused')),
    says: 'The payment service does not respond',
    advises: /does not respond \(unreachable\)/,
  },
  {
    title: 'a service whose errors no page may read',
    ...breaking(WHOLE_SERVICE, (route) =>
      route.fulfill({
        status: 502,
        headers: { 'access-control-allow-origin': 'https://elsewhere.example' },
        body: 'oops',
      }),
    ),
    says: 'Something is wrong on our side',
    advises: /returns errors/,
  },
  {
    title: 'a service whose errors any page may read',
    ...breaking(WHOLE_SERVICE, (route) =>
      route.fulfill({ status: 500, headers: { 'access-control-allow-origin': '*' }, body: 'oops' }),
    ),
    says: 'Something is wrong on our side',
    advises: /returns errors/,
  },
  {
    title: 'a checkout page that responds with an error',
    ...breaking(CHECKOUT_PAGE, (route) => route.fulfill({ status: 503, body: 'not now' })),
    says: 'The payment form did not open',
    advises: /register the origin \S+ for this public key, or see what \S+\/checkout\/v1\/ returns/,
  },
  {
    title: 'a checkout page that speaks another protocol (T31)',
    ...breaking(CHECKOUT_PAGE, (route) =>
      route.fulfill({ contentType: 'text/html', body: GREETING }),
    ),
    says: 'This page’s payment script is too old',
    advises: /no longer speaks to this version/,
    isFinal: true,
  },
  {
    title: 'a checkout page that takes too long',
    breakIt: (page) => {
      let requests = 0;
      return page.route(CHECKOUT_PAGE, (route) =>
        requests++ ? route.continue() : new Promise<void>(() => undefined),
      );
    },
    fix: async () => undefined,
    says: 'The payment form did not open',
    advises: /does not respond \(slow\)/,
    afterMs: 12_000,
  },
];

test.describe('the payment form does not load (D13, T17)', () => {
  test.use({ reducedMotion: 'no-preference' });

  for (const { title, breakIt, fix, says, advises, isFinal, afterMs = 0 } of FAILURES) {
    const then = isFinal ? 'nothing to try again' : 'Try again works once it is fixed';
    test(`${title}: a message of its own below label and amount, and ${then}`, {
      tag: title === 'a service that cannot be reached' ? '@gate' : [],
    }, async ({ page, popup, purchase, site }) => {
      const errors = consoleOf(page, 'error');
      if (afterMs) await page.clock.install();
      await page.goto(site.url);
      await breakIt(page);

      await purchase.open({ label: 'Two tickets' });
      if (afterMs) await expect(page.locator('iframe')).toBeAttached();
      if (afterMs) await page.clock.fastForward(afterMs);
      await expect(page.getByRole('alert')).toContainText(says);
      await expect(page.getByRole('alert')).toContainText('You have not been charged.');
      await expect.poll(() => errors.filter((text) => advises.test(text))).toHaveLength(1);

      await expect(popup.dialog.getByText('Two tickets')).toBeVisible();
      await expect(popup.dialog.getByText(/^ZMW/)).toBeVisible();

      const back = page.getByRole('button', { name: 'Back to the shop' });
      await expect(back).toBeVisible();
      await moved(popup.dialog);
      const [sheet, last] = [await popup.dialog.boundingBox(), await back.boundingBox()];
      const room = sheet!.y + sheet!.height - last!.y - last!.height;
      expect(room, 'no part of the sheet is empty').toBeLessThan(40);

      await fix(page);
      const tryAgain = page.getByRole('button', { name: 'Try again' });
      await expect(tryAgain).toHaveCount(isFinal ? 0 : 1);
      if (!isFinal) {
        await tryAgain.click();
        await popup.expectOpen();
      }
      await (isFinal ? back : popup.close).click();
      await purchase.expectCallback('onClose');
    });
  }

  test('offline: the popup says so at once, and loads by itself once the network is back', async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    await page.clock.install();
    await page.goto(site.url);
    await page.context().setOffline(true);
    await page.clock.pauseAt(Date.now() + 60_000);
    await purchase.open({ label: 'Two tickets' });
    await expect(popup.dialog).toBeVisible();
    await page.clock.runFor(100);

    const alert = page.getByRole('alert');
    await expect(alert).toContainText('You are offline');
    await expect(alert).toContainText('You have not been charged.');
    await expect(popup.dialog.getByText('Two tickets')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
    await page.clock.resume();

    await page.context().setOffline(false);
    await popup.expectOpen();
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectOutcome('success');
  });

  for (const [what, header, meta] of [
    ['names no frame source, but a default', "default-src 'self'", ''],
    ['has a child-src without the service', "child-src 'self'", ''],
    ['stands in a meta element', '', "frame-src 'self'"],
  ] as const) {
    test(`a page whose policy ${what}: the payment form is blocked, and the console names frame-src at once`, async ({
      page,
      popup,
      purchase,
      service,
      site,
    }) => {
      const errors = consoleOf(page, 'error');
      const url =
        site.url +
        site.publish({
          headers: header
            ? {
                'content-security-policy': `${header}; script-src 'self' ${service.url}; style-src 'self'`,
              }
            : {},
          head: meta && `<meta http-equiv="Content-Security-Policy" content="${meta}">`,
        });

      await purchase.open({}, url);

      await expect(page.getByRole('alert')).toContainText('This page blocks the payment form');
      await expect
        .poll(() => errors.join())
        .toContain(`its frame-src directive must name ${service.url}`);
      await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
      await popup.close.click();
      await purchase.expectCallback('onClose');
    });
  }

  test('a policy that only reports blocks nothing', async ({ page, popup, purchase, site }) => {
    const url =
      site.url +
      site.publish({ headers: { 'content-security-policy-report-only': "frame-src 'none'" } });

    await purchase.open({}, url);

    await popup.expectOpen();
    await expect(page.getByRole('alert')).toHaveCount(0);
  });
});

test('a wrong address of the script: the console names it, with its status', async ({
  page,
  service,
  site,
}) => {
  for (const path of ['/js/v1/inlin.js', '/js/v2/inline.js', '/js/v1/inline']) {
    const address = `${service.url}${path}`;
    const said = page.waitForEvent('console', (message) => message.location().url === address);
    await page.goto(site.url + site.publish({ head: `<script src="${address}"></script>` }));

    expect((await said).text()).toContain('404');
  }
});

test('a key of another service gets one console line for the developer and a plain sentence for the customer (T37)', async ({
  page,
  popup,
  purchase,
  service,
}) => {
  const errors = consoleOf(page, 'error');

  await purchase.open({ key: 'pub_of_another_service' });
  await expect(
    popup.frame.getByRole('heading', { name: 'Payments are not set up here' }),
  ).toBeVisible();
  await popup.close.click();
  await popup.expectClosed();

  await purchase.expectOutcome('closed');
  expect(errors.filter((text) => text.startsWith('ServicePay:'))).toEqual([
    `ServicePay: the key pub_of_another_s… is unknown to the service at ${service.url}: use your public key for this service, or load the script of the service that issued it`,
  ]);
});

test.describe('the screens after the first form load late or not at all', () => {
  async function holdScreens(page: Page): Promise<(act: (route: Route) => Promise<void>) => void> {
    let release!: (act: (route: Route) => Promise<void>) => void;
    const released = new Promise<(route: Route) => Promise<void>>((resolve) => {
      release = resolve;
    });
    await page.route(SCREENS, async (route) => (await released)(route));
    return release;
  }

  test('a press before the later screens have loaded waits for them, and keeps everything typed (D14)', async ({
    page,
    popup,
    purchase,
  }) => {
    const release = await holdScreens(page);
    await purchase.open();
    await popup.payByCard('4242 4242 4242 4242');
    await expect(popup.frame.getByRole('button', { name: /^Paying/ })).toHaveAttribute(
      'aria-busy',
      'true',
    );

    release((route) => route.abort('connectionreset'));
    await expect(
      popup.frame.getByRole('heading', { name: 'The payment service does not respond' }),
    ).toBeVisible();
    expect(await purchase.collection()).toBe(undefined);

    await page.unroute(SCREENS);
    await popup.frame.getByRole('button', { name: 'Try again' }).click();
    await expect(popup.frame.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242');
    await expect(popup.frame.getByLabel('Security code')).toHaveValue('123');
    await popup.payButton.click();
    await purchase.expectOutcome('success');
  });

  test('closing while a press waits for the screens is onClose, and nothing is sent afterwards (D1)', async ({
    page,
    popup,
    purchase,
  }) => {
    const release = await holdScreens(page);
    await purchase.open();
    await popup.payByCard('4242 4242 4242 4242');

    await popup.leave();
    release((route) => route.continue());

    await purchase.expectOutcome('closed');
    expect(await purchase.collection()).toBe(undefined);
  });

  test('several mistakes before the later screens are shown at their fields, and announced', async ({
    page,
    popup,
    purchase,
  }) => {
    await holdScreens(page);
    await purchase.open();

    await popup.payButton.click();

    await expect(popup.frame.getByText('Enter the card number.')).toBeVisible();
    await expect(popup.frame.getByText('Enter the name on the card.')).toBeVisible();
    await expect(popup.frame.getByRole('status')).toHaveText('Check these fields');
  });

  test('a form that loads with the later screens can be filled in once they have loaded', async ({
    page,
    popup,
    purchase,
  }) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    const release = await holdScreens(page);
    await purchase.open({ channels: ['mobile-money'] });
    await expect(popup.frame.locator('mobile-money-form')).toBeAttached();
    await purchase.open({ channels: ['mobile-money'] });

    release((route) => route.continue());

    await popup.payByPhone({ network: 'MTN', phone: '0961111111' });
    await purchase.expectOutcome('success');
    expect(errors).toEqual([]);
  });
});
