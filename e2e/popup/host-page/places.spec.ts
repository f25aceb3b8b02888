import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { PAID } from '../../support/expect-ending.ts';
import { watchForTrouble } from '../../support/trouble.ts';
import { expect, expectPurchase, test } from './host-page.ts';

test.use({ needs: 'whole browser' });

const MODAL =
  '<div id="modal" role="dialog" aria-modal="true" aria-label="Your cart"><button>Back</button>{{button}}</div>';

test.describe('a card pays above another dialog of the page', () => {
  for (const way of ['tag', 'element'] as const) {
    test(`a modal with a focus trap, by ${way} (T21, U23)`, async ({ page, purchase, buy }) => {
      await buy(
        {
          way,
          headers: {},
          body: `<main><button>Under the modal</button></main>${MODAL}`,
          after: trapFocus,
        },
        {
          async beforePress() {
            const popup = new PaymentPopup(page);
            await page.locator('button#pay, #pay [part=button]').click();
            await popup.expectOpen();
            await popup.close.click();
            await purchase.expectCallback('onClose');
            await popup.expectClosed();
            await page.evaluate(() => (window as unknown as { calls: unknown[] }).calls.splice(0));
          },
          async whileOpen({ close, frame, payButton }) {
            const isInFrame = () => payButton.evaluate(() => document.hasFocus());
            await close.focus();
            await expect.poll(isInFrame).toBe(false);
            await page.keyboard.press('Shift+Tab');
            await expect.poll(isInFrame).toBe(true);
            await frame.getByLabel('Expiry date').focus();
          },
        },
      );
    });

    test(`an open modal <dialog>, by ${way} (T21, U23)`, async ({ page, buy }) => {
      const after = () => document.querySelector('dialog')!.showModal();
      await buy({ way, body: `<dialog>{{button}}</dialog>`, after });
      expect(await page.evaluate(() => document.querySelector('dialog')!.matches(':modal'))).toBe(
        true,
      );
    });
  }
});

test.describe('a card pays in a container of its own', () => {
  for (const [what, isCrossSite, more] of [
    ['a frame of the same origin', false, ''],
    ['a frame on another site', true, ''],
    [
      'a frame sandboxed without allow-forms (T127)',
      false,
      'sandbox="allow-scripts allow-same-origin"',
    ],
  ] as const) {
    test(what, async ({ page, purchase, site }) => {
      const trouble = await watchForTrouble(page);
      const shopPage = purchase.addressOn({}, isCrossSite ? site.sameSiteUrl : site.url);
      const outer = site.publish({
        headers: {},
        body: `<iframe id="shop" ${more} width="700" height="680" src="${shopPage}"></iframe>`,
      });
      await page.goto(site.url + outer);

      const within = page.frameLocator('#shop');
      await within.locator('#pay').waitFor();
      const place = page.frames().find((frame) => frame.parentFrame() === page.mainFrame())!;
      await expectPurchase(page, purchase, {}, { place, within });

      // Chromium names each flag that a sandboxed frame lacks or has too many of.
      expect(trouble.filter((line) => !/sandbox/.test(line))).toEqual([]);
    });
  }

  test('a body made inert before the press and until the end (T21)', async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    await page.goto(site.url);
    await page.evaluate(() => (document.body.inert = true));

    await purchase.open();
    await popup.payByCard('4242 4242 4242 4242');

    await purchase.expectEnding(PAID);
  });

  test('relative addresses with another <base>', async ({ buy }) => {
    await buy({
      headers: {},
      root: 'lang="en"',
      head: '',
      after: () => {
        document.head.append(
          Object.assign(document.createElement('base'), {
            href: 'https://elsewhere.example/shop/',
            target: '_blank',
          }),
        );
      },
    });
  });

  test('printed while the card is being typed', async ({ page, buy }) => {
    await buy(
      {},
      {
        async whileOpen() {
          await page.pdf();
        },
      },
    );
  });

  for (const [what, preferences] of [
    ["the frame's", { cookie_controls_mode: 1, block_third_party_cookies: true }],
    ['all', { default_content_setting_values: { cookies: 2 } }],
  ] as const) {
    test(`cookies and storage blocked: ${what} (T33)`, async ({
      playwright,
      launchOptions,
      purchase,
      service,
    }) => {
      const profile = await mkdtemp(join(tmpdir(), 'service-pay-profile-'));
      await mkdir(join(profile, 'Default'));
      await writeFile(
        join(profile, 'Default/Preferences'),
        JSON.stringify({ profile: preferences }),
      );
      const context = await playwright.chromium.launchPersistentContext(profile, {
        ...launchOptions,
        locale: 'en-GB',
      });
      const page = await context.newPage();
      const trouble = await watchForTrouble(page);
      await page.goto(purchase.addressOn({}));

      await expectPurchase(page, purchase.on(page), {
        async whileOpen() {
          const frame = page.frames().find((each) => each.url().startsWith(service.url))!;
          const storage = frame.evaluate(() => sessionStorage.length);
          await expect(storage).rejects.toThrow(/Access is denied/);
        },
      });

      expect(trouble).toEqual([]);
      await context.close();
      await rm(profile, { recursive: true });
    });
  }
});

test.describe('where a payment cannot be safe', () => {
  for (const [what, address, says] of [
    ['plain http: beyond this machine', 'http://shop.example/', 'it is not on https:'],
    ['a file', 'file:///', 'it is a file'],
  ] as const) {
    test(`${what}: getPaid and the element report load_failed, and nothing shows (T19)`, async ({
      page,
      purchase,
      service,
    }) => {
      const script = await (await fetch(`${service.url}/js/v1/inline.js`)).text();
      await page.route('http://shop.example/', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<!doctype html><body>' }),
      );
      await page.goto(address === 'file:///' ? new URL('.', import.meta.url).href : address);
      await page.evaluate(script);

      const errors = await page.evaluate(tryToPay, purchase.order);

      expect(errors).toEqual(
        Array(2).fill({
          name: 'ServicePayError',
          code: 'load_failed',
          message: expect.stringContaining(says),
        }),
      );
      await expect(page.locator('dialog, iframe')).toHaveCount(0);
    });
  }
});

async function tryToPay({ key, ...order }: { key: string }): Promise<unknown[]> {
  const errors: { name: string; code: string; message: string }[] = [];
  const record = ({ name, code, message }: (typeof errors)[number]) =>
    errors.push({ name, code, message });
  try {
    (window as unknown as { ServicePay: { getPaid(options: object): void } }).ServicePay.getPaid({
      key,
      ...order,
    });
  } catch (error) {
    record(error as (typeof errors)[number]);
  }
  const element = Object.assign(document.createElement('service-pay'), {
    publicKey: key,
    ...order,
  });
  element.addEventListener('service-pay-error', (event) =>
    record((event as unknown as { error: (typeof errors)[number] }).error),
  );
  document.body.append(element);
  element.shadowRoot!.querySelector('button')!.click();
  return errors;
}

/**
 * Does what well-known libraries do to keep the focus in a modal of theirs, and everything else
 * away from keyboard, mouse and screen readers.
 */
function trapFocus(): void {
  const modal = document.querySelector<HTMLElement>('#modal')!;
  const first = modal.querySelector('button')!;
  first.focus();
  const isOutside = ({ target }: Event) => !modal.contains(target as Node);
  const listen = (type: string, act: (event: Event) => void) => {
    document.addEventListener(type, (event) => isOutside(event) && act(event), {
      capture: true,
      passive: false,
    });
  };
  for (const type of ['focusin', 'focus']) {
    listen(type, (event) => {
      event.stopImmediatePropagation();
      first.focus();
    });
  }
  for (const type of ['pointerdown', 'mousedown', 'touchstart', 'click']) {
    listen(type, (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
    });
  }
  listen('keydown', (event) => {
    if (!['Tab', 'Escape'].includes((event as KeyboardEvent).key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    first.focus();
  });
  document.addEventListener(
    'focusout',
    () => setTimeout(() => modal.contains(document.activeElement) || first.focus()),
    true,
  );
  const hide = (node: Node) => {
    if (!(node instanceof HTMLElement) || node === modal || node.localName === 'script') return;
    node.inert = true;
    node.ariaHidden = 'true';
  };
  document.body.childNodes.forEach(hide);
  const watch = new MutationObserver((records) => {
    for (const { addedNodes } of records) addedNodes.forEach(hide);
  });
  watch.observe(document.body, { childList: true });
  document.body.style.pointerEvents = 'none';
  modal.style.pointerEvents = 'auto';
}
