import type { Page, Request } from '@playwright/test';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import { expect, test } from '../stack.ts';
import { type Ending, PAID, UNTOUCHED, unsure } from '../support/expect-ending.ts';
import type { Actors } from '../support/journeys.ts';

const SESSIONS = '**/checkout/v1/sessions';
const STATE = '**/checkout/v1/sessions/current';
const ATTEMPTS = '**/checkout/v1/sessions/current/attempts';
const CODE = '**/one-time-code';

async function lose(
  page: Page,
  what: string,
  which: 'request' | 'response',
  times = 1,
): Promise<void> {
  await page.route(
    what,
    async (route) => {
      if (which === 'response') await route.fetch();
      await route.abort('connectionreset');
    },
    { times },
  );
}

const UNSURE = unsure(undefined);
const CONFIRMING = 'Your payment is being confirmed';
const PROMPT = 'Approve the payment on your phone';

const CUTS: {
  title: string;
  act: (actors: Actors & { pay: () => Promise<void> }) => Promise<void>;
  ending: Ending;
}[] = [
  {
    title: 'before the session is created: the popup says so, and Try again opens it',
    act: async ({ page, popup, pay }) => {
      await lose(page, SESSIONS, 'request', 2);
      await pay();
      await popup.frame.getByRole('button', { name: 'Try again' }).click();
      await popup.payByCard('4242 4242 4242 4242');
    },
    ending: PAID,
  },
  {
    title:
      'before the response with the session arrives: creates another, and closing reports that nothing was paid',
    act: async ({ page, popup, pay }) => {
      await lose(page, SESSIONS, 'response');
      await pay();
      await expect(popup.payButton).toBeEnabled();
      await popup.close.click();
    },
    ending: UNTOUCHED,
  },
  {
    title: 'before the attempt arrives: sends it again',
    act: async ({ page, popup, pay }) => {
      await pay();
      await popup.expectOpen();
      await lose(page, ATTEMPTS, 'request', 2);
      await popup.payByCard('4242 4242 4242 4242');
      await expect(popup.frame.getByRole('heading', { name: CONFIRMING })).toBeVisible();
    },
    ending: PAID,
  },
  {
    title: 'before the response to the attempt arrives: sends it again and charges once (T42)',
    act: async ({ page, popup, pay }) => {
      await pay();
      await popup.expectOpen();
      await lose(page, ATTEMPTS, 'response', 2);
      await popup.payByCard('4242 4242 4242 4242');
      await expect(popup.frame.getByRole('heading', { name: CONFIRMING })).toBeVisible();
    },
    ending: PAID,
  },
  {
    title: 'for good while the attempt is sent, and the customer leaves (D14)',
    act: async ({ page, popup, pay }) => {
      await pay();
      await popup.expectOpen();
      await lose(page, ATTEMPTS, 'request', 1_000);
      await popup.payByCard('4242 4242 4242 4242');
      await expect(popup.frame.getByRole('heading', { name: CONFIRMING })).toBeVisible();
      await popup.leave('close-anyway');
    },
    ending: UNSURE,
  },
  {
    title: 'while the prompt is approved: shows the result when the connection returns',
    act: async ({ page, popup, service, pay }) => {
      await pay();
      await popup.payByPhone({ network: 'MTN', phone: '0960000000' });
      await expect(popup.frame.getByRole('heading', { name: PROMPT })).toBeVisible();
      await lose(page, STATE, 'request', 3);
      await service.approve('0960000000');
    },
    ending: PAID,
  },
  {
    title: 'before the response to the one-time code arrives: finds out its result',
    act: async ({ page, popup, pay }) => {
      await pay();
      await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
      await lose(page, CODE, 'response');
      await popup.enterOneTimeCode('000000');
    },
    ending: PAID,
  },
];

test.describe('the network is cut (F9)', () => {
  for (const { title, act, ending } of CUTS) {
    test(`the network is cut ${title}`, { tag: ending === PAID ? '@gate' : [] }, async ({
      page,
      popup,
      purchase,
      service,
    }) => {
      await act({ page, popup, service, pay: () => purchase.open() });

      await purchase.expectEnding(ending);
      expect(await purchase.deliveries()).toHaveLength(ending === PAID ? 1 : 0);
    });
  }

  test('the network is cut for more than a minute: the attempt is withdrawn before the popup says that it did not arrive, so it cannot arrive later (D14)', async ({
    page,
    popup,
    purchase,
    service,
  }) => {
    const stuck: Request[] = [];
    await page.clock.install();
    await purchase.open();
    await popup.expectOpen();
    await page.route(ATTEMPTS, async (route) => {
      stuck.push(route.request());
      await route.abort('connectionreset');
    });

    await popup.payByCard('4242 4242 4242 4242');
    await expect(popup.frame.getByRole('heading', { name: CONFIRMING })).toBeVisible();
    for (let seconds = 0; seconds < 70; seconds += 10) await page.clock.runFor(10_000);
    await expect(popup.alert).toContainText('did not reach us');
    await popup.leave();
    await purchase.expectOutcome('closed');

    for (const { authorization = '' } of await Promise.all(
      stuck.map((request) => request.allHeaders()),
    )) {
      const late = await fetch(`${service.url}/checkout/v1/sessions/current/attempts`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: stuck[0]!.postData()!,
      });
      expect(late.status).toBe(401);
    }
    await purchase.expectEnding(UNTOUCHED);
  });
});

for (const { kind, fault } of [
  { kind: 'hangs', fault: { kind: 'hang' } },
  { kind: 'responds with 500', fault: { kind: 'status', status: 500 } },
])
  test(`a service that ${kind} after Pay is named as the cause, may be polled again, and shows the end once it is back (D14)`, async ({
    popup,
    purchase,
    service,
  }) => {
    await purchase.open();
    await popup.fillCard('4242 4242 4242 4242');
    await service.setFaults({ checkoutApi: { rate: 1, ...fault } });

    await popup.payButton.click();
    await expect(popup.frame.getByRole('heading', { name: CONFIRMING })).toBeVisible({
      timeout: 30_000,
    });
    const text = popup.frame.locator('waiting-screen');
    await expect(text).toContainText('The payment service does not respond.');
    await expect(text).toContainText(/\d+:\d\d left/);
    await popup.frame.getByRole('button', { name: 'Check again' }).click();
    await service.setFaults({});

    await purchase.expectEnding(PAID);
    expect(await purchase.deliveries()).toHaveLength(1);
  });

test.describe('the tab is killed, and another tab opens the payment (F9, T35, D17)', () => {
  const KILLS: {
    title: string;
    before: (actors: Actors) => Promise<void>;
    after: (actors: Actors) => Promise<void>;
    ending: Ending;
  }[] = [
    {
      title: 'while the form is filled in',
      before: ({ popup }) => popup.fillCard('4242 4242 4242 4242'),
      after: ({ popup }) => popup.payByCard('4242 4242 4242 4242'),
      ending: PAID,
    },
    {
      title: 'after the attempt is sent and before its response arrives',
      before: async ({ page, popup }) => {
        let attempt = 'not sent';
        await page.route(ATTEMPTS, async (route) => {
          attempt = 'sent';
          // A connection that is closed as it is used again was never read from.
          await route.fetch({ maxRetries: 2, timeout: 10_000 });
          attempt = 'received';
        });
        await popup.payByCard('4242 4242 4242 4242');
        await expect.poll(() => attempt).toBe('received');
      },
      after: async ({ popup }) => {
        await expect(
          popup.frame.getByRole('heading', { name: 'Payment successful' }),
        ).toBeVisible();
      },
      ending: PAID,
    },
    {
      title: 'while the challenge is open, which the other tab cannot answer (T40)',
      before: async ({ popup }) => {
        await popup.payByCard('4000 0000 0000 3220');
        await expect(popup.frame.locator('iframe[title="Card verification"]')).toBeVisible();
      },
      after: async ({ popup }) => {
        await expect(
          popup.frame.getByRole('heading', { name: 'This payment is under way' }),
        ).toBeVisible();
        await expect(popup.frame.locator('iframe')).toHaveCount(0);
        await popup.leave('close-anyway');
      },
      ending: unsure('3ds-auth-required'),
    },
  ];

  for (const { title, before, after, ending } of KILLS) {
    test(`the tab is killed ${title}, and another opens the payment`, async ({
      context,
      page,
      popup,
      purchase,
      service,
    }) => {
      await purchase.open();
      await before({ page, popup, service });
      await page.close();

      const another = await context.newPage();
      await purchase.on(another).open();
      await after({ page: another, popup: new PaymentPopup(another), service });

      await purchase.on(another).expectEnding(ending);
      expect(await purchase.deliveries()).toHaveLength(ending === PAID ? 1 : 0);
    });
  }
});
