import { type Engine, hasEngine } from '../../scripts/programs/find-engines.ts';
import {
  DECLINED,
  type Ending,
  expectEnding,
  PAID,
  UNTOUCHED,
  unsure,
} from '../support/expect-ending.ts';
import type { MerchantSite } from '../support/merchant-site.ts';
import type { ServiceControl } from '../support/service-control.ts';
import { BANK, type Customer, PAGE } from './customer.ts';
import { expect, test } from './engine-stack.ts';
import type { Key } from './tab.ts';

interface Journey {
  title: string;
  options?: object;
  act: (customer: Customer, service: ServiceControl) => Promise<void>;
  ending: Ending;
}

const JOURNEYS: Journey[] = [
  {
    title: 'a declined card says why, and another pays',
    act: async (customer) => {
      await customer.payByCard('4000 0000 0000 0002');
      await customer.seeAlert('Card declined');
      await customer.payByCard('5555 5555 5555 4444');
      await customer.see('heading', 'Payment successful');
    },
    ending: PAID,
  },
  {
    title: 'a challenge approved in the bank’s frame pays',
    act: async (customer) => {
      await customer.payByCard('4000 0000 0000 3220');
      await customer.press('button', 'Approve', BANK);
    },
    ending: PAID,
  },
  {
    title: 'a card that needs the billing address asks for it and pays',
    options: { billing: { city: 'Lusaka', country: 'ZM' } },
    act: async (customer) => {
      await customer.payByCard('4000 0000 0000 0010');
      await customer.fill('Street address', '1 Cairo Road');
      await customer.fill('State or province', 'Lusaka');
      await customer.fill('Postal code', '10101');
      await customer.fill('Security code', '123');
      await customer.press('button', 'Pay');
    },
    ending: PAID,
  },
  {
    title: 'mobile money pays once the prompt is approved',
    act: async (customer, service) => {
      await customer.payByPhone('Airtel', '0970000000');
      await customer.see('heading', 'Approve the payment on your phone');
      await service.approve('0970000000');
    },
    ending: PAID,
  },
  {
    title: 'a one-time code leads to the prompt and pays',
    act: async (customer) => {
      await customer.payByPhone('MTN', '0969999999');
      await customer.fill('One-time code', '000000');
      await customer.press('button', 'Confirm');
    },
    ending: PAID,
  },
  {
    title: 'Close on the form is onClose',
    act: async (customer) => {
      await customer.see('button', 'Pay');
      await customer.press('button', 'Close payment', PAGE);
    },
    ending: UNTOUCHED,
  },
  {
    title: 'Escape in the frame after a decline asks, and Leave is onClose (D16)',
    act: async (customer) => {
      await customer.payByCard('4000 0000 0000 0002');
      await customer.seeAlert('Card declined');
      await customer.press('textbox', 'Security code');
      await customer.pressKeys('Escape');
      await customer.see('heading', 'Leave without paying?');
      await customer.press('button', 'Leave');
    },
    ending: DECLINED,
  },
  {
    title:
      'repeated Escape during a prompt asks, and only Close anyway closes the popup (D15, T20)',
    act: async (customer) => {
      await customer.payByPhone('MTN', '0960000000');
      await customer.see('heading', 'Approve the payment on your phone');
      await customer.evaluate(putFocusOnClose);
      for (const heading of [
        'Leave while we wait?',
        'Approve the payment on your phone',
        'Leave while we wait?',
      ]) {
        await customer.pressKeys('Escape');
        await customer.see('heading', heading);
      }
      await customer.press('button', 'Keep waiting');
      await customer.see('heading', 'Approve the payment on your phone');
      await customer.press('button', 'Close payment', PAGE);
      await customer.press('button', 'Close anyway');
    },
    ending: unsure('pay-offline'),
  },
];

/** A press this soon after the one that opened the popup counts as its second click. */
const DOUBLE_CLICK_MS = 500;

/**
 * WebKit lets a frame of another site put the focus on a field only once a person has done
 * something in it.
 */
const TABS_TO_FIRST_FIELD: Record<Engine, Key[]> = { firefox: [], webkit: ['Tab', 'Tab', 'Tab'] };

test.skip(({ engine }) => !hasEngine(engine), 'this engine is not on this machine');

test.describe('on a page of another site, under the strict policy', () => {
  for (const { title, options, act, ending } of JOURNEYS) {
    test(title, async ({ customer, service, shop, site }) => {
      const order = await shop.order();

      await site.pay(customer, { ...order, ...options });
      await act(customer, service);

      await expectEnding({ page: customer, site, shop, service }, order.reference, ending);
    });
  }

  test('a reload while the prompt is out resumes it (D17)', async ({
    customer,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await site.pay(customer, order);
    await customer.payByPhone('MTN', '0960000000');
    await customer.see('heading', 'Approve the payment on your phone');

    await customer.tab.reload();
    await site.pay(customer, order);
    await customer.see('heading', 'Approve the payment on your phone');
    await service.approve('0960000000');

    await expectEnding({ page: customer, site, shop, service }, order.reference, PAID);
  });

  test('a preloaded frame is used, or loaded again if the browser cannot move it', async ({
    customer,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await customer.goto(site.url);
    await customer.evaluate(preload, order.key);

    await site.pay(customer, order);
    await customer.payByCard('4242 4242 4242 4242');

    await expectEnding({ page: customer, site, shop, service }, order.reference, PAID);
  });

  test('by keyboard alone: the focus enters the popup and returns', async ({
    customer,
    engine,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await openToPress(customer, site, order);
    await customer.pressKeys('Tab');
    await customer.seeFocusOn('button', 'Before', PAGE);
    await customer.pressKeys('Enter');

    await customer.see('button', 'Pay');
    await customer.pressKeys(...TABS_TO_FIRST_FIELD[engine]);
    // A field that is complete leads on by itself.
    for (const [field, text] of Object.entries({
      'Card number': '4242424242424242',
      'Expiry date': '1234',
      'Security code': '123',
      'Name on card': 'Mary Banda',
    })) {
      await customer.seeFocusOn('textbox', field);
      await customer.type(text);
    }
    await customer.pressKeys('Tab');
    await customer.seeFocusOn('button', 'Pay');
    await customer.pressKeys('Enter');

    await expectEnding({ page: customer, site, shop, service }, order.reference, PAID);
    await customer.seeFocusOn('button', 'Before', PAGE);
  });

  test('Tab cycles inside the popup and never reaches the page behind', async ({
    customer,
    shop,
    site,
  }) => {
    await site.pay(customer, await shop.order());
    await customer.see('button', 'Pay');

    for (let presses = 0; presses < 12; presses++) {
      await customer.pressKeys('Tab');
      expect(await customer.evaluate(isFocusOnPage)).toBe(false);
    }
  });

  test('a click on the page behind the popup has no effect, and the focus returns to the button that opened it', async ({
    customer,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await openToPress(customer, site, order);
    await customer.press('button', 'Before', PAGE);
    await customer.see('button', 'Pay');
    await expect.poll(() => customer.evaluate(msSincePress)).toBeGreaterThan(DOUBLE_CLICK_MS);

    await customer.pressBehind('button', 'Before');

    await expectEnding({ page: customer, site, shop, service }, order.reference, UNTOUCHED);
    expect(await customer.evaluate(pressesOnPage)).toBe(1);
    await customer.seeFocusOn('button', 'Before', PAGE);
  });
});

test.describe('a page that cannot show the form', () => {
  test('says that its policy blocks it, and closing is onClose (D13)', async ({
    customer,
    service,
    shop,
    site,
  }) => {
    const order = await shop.order();
    await customer.goto(site.url);
    await customer.evaluate(forbidFrames);

    await site.pay(customer, order);
    await customer.seeAlert('This page blocks the payment form.', PAGE);
    await customer.press('button', 'Close payment', PAGE);

    await expectEnding({ page: customer, site, shop, service }, order.reference, UNTOUCHED);
  });
});

test.describe('in the shop', () => {
  for (const [way, path] of [
    ['the script tag', '/'],
    ['the element', '/element'],
  ] as const) {
    test(`a card pays by ${way}, and the order is paid`, async ({ customer, shop, stack }) => {
      const paidBefore = shop.paidPayments();
      await customer.goto(stack.shopUrl + path);
      await customer.press('button', 'Pay', PAGE);
      await customer.payByCard('4242 4242 4242 4242');

      await customer.see('heading', 'Order paid', PAGE);
      expect(shop.paidPayments()).toBe(paidBefore + 1);
    });
  }
});

test('in Arabic the form reads from right to left, and pays', async ({
  customer,
  service,
  shop,
  site,
}) => {
  const order = await shop.order();

  await site.pay(customer, { ...order, locale: 'ar' });
  await customer.fill('رقم البطاقة', '4242 4242 4242 4242');
  await customer.fill('تاريخ الانتهاء', '12/34');
  await customer.fill('رمز الأمان', '123');
  await customer.fill('الاسم على البطاقة', 'Mary Banda');
  expect(await customer.directionOf('button', 'ادفع')).toBe('rtl');
  await customer.press('button', 'ادفع');

  await expectEnding({ page: customer, site, shop, service }, order.reference, PAID);
});

type PageOfSite = {
  pay(options: object): void;
  presses: number;
  pressedAt: number;
  ServicePay: { preload(options: object): void };
};

async function openToPress(customer: Customer, site: MerchantSite, options: object): Promise<void> {
  const path = site.publish({ after: payOnPress });
  await customer.goto(`${site.url}${path}#${encodeURIComponent(JSON.stringify(options))}`);
}

/**
 * Starts the payment at the press of a button, which the mouse gives no focus, as in Safari on a
 * Mac. It is a script of the page's own: in Firefox, listeners of a driver's script get no
 * `window.event`.
 */
function payOnPress(): void {
  const page = window as unknown as PageOfSite;
  const options = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  page.presses = 0;
  const button = document.getElementById('before');
  button?.addEventListener('mousedown', (event) => event.preventDefault());
  button?.addEventListener('click', () => {
    page.presses += 1;
    page.pay(options);
    page.pressedAt = performance.now();
  });
}

function msSincePress(): number {
  return performance.now() - (window as unknown as PageOfSite).pressedAt;
}

function pressesOnPage(): number {
  return (window as unknown as PageOfSite).presses;
}

function preload(key: string): void {
  (window as unknown as PageOfSite).ServicePay.preload({ key });
}

/** Adds a policy to the page's own. No later policy can allow what it forbids. */
function forbidFrames(): void {
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = "frame-src 'none'";
  document.head.append(policy);
}

function putFocusOnClose(): void {
  const find = (root: Document | ShadowRoot): HTMLElement | undefined => {
    for (const element of root.querySelectorAll<HTMLElement>('*')) {
      const found =
        element.ariaLabel === 'Close payment'
          ? element
          : element.shadowRoot && find(element.shadowRoot);
      if (found) return found;
    }
    return undefined;
  };
  find(document)?.focus();
}

function isFocusOnPage(): boolean {
  const { activeElement, body } = document;
  return activeElement !== body && !activeElement?.closest('service-pay-popup');
}
