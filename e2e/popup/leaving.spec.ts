import type { Page } from '@playwright/test';
import { expect, test } from '../stack.ts';
import { checkoutFrame } from '../support/checkout-frame.ts';
import { DECLINED, type Ending, PAID, unsure } from '../support/expect-ending.ts';
import { expectPrompt, reachPrompt } from '../support/expect-prompt.ts';

const WAITING = unsure('pay-offline');
const FAILED: Ending = { callback: 'onClose', state: 'failed', collection: 'failed' };

test.describe('leaving the window', () => {
  test('closing by the handle during an attempt is onConfirmationPending, without a question (T13)', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await reachPrompt(popup);
    await page.evaluate(() => (window as unknown as { handle: { close(): void } }).handle.close());

    await popup.expectClosed();
    await purchase.expectEnding(WAITING);
  });

  test("a phone's back gesture and a press beside the popup ask during a prompt; in the question, back stays and Close leaves (D15, T20)", async ({
    page,
    popup,
    purchase,
  }) => {
    await page.addInitScript(watchLeaving);
    await purchase.open();
    await reachPrompt(popup);

    // A press that comes before the frame has replied to the last one does nothing.
    const pressBeside = async () => {
      const before = await countReplies(page);
      await page.mouse.click(5, 5);
      await expect.poll(() => countReplies(page)).toBe(before + 1);
    };
    for (const leave of [goBack, goBack, pressBeside, goBack]) {
      await leave(page);
      await popup.expectLeavingQuestion();
      await popup.frame.getByRole('button', { name: 'Keep waiting' }).click();
      await expectPrompt(popup);
    }
    await goBack(page);
    await popup.expectLeavingQuestion();
    await pressBeside();
    await goBack(page);
    await expectPrompt(popup);
    await goBack(page);
    await popup.expectLeavingQuestion();
    await popup.close.click();

    await purchase.expectEnding(WAITING);
  });
});

test.describe('coming back', () => {
  for (const storage of ['kept', 'blocked'] as const) {
    test(`a reload while the prompt is out resumes it, and approving pays once: storage ${storage} (D17, T33)`, {
      tag: '@gate',
    }, async ({ page, popup, purchase, service, site }) => {
      const url = storage === 'kept' ? site.sameSiteUrl : site.url;

      await purchase.open({}, url);
      await reachPrompt(popup);
      await page.reload();
      await purchase.open({}, url);
      await expectPrompt(popup);
      await service.approve('0960000000');

      await purchase.expectEnding(PAID);
      expect(await purchase.deliveries()).toHaveLength(1);
    });
  }

  test('a reload while the challenge is open shows the challenge again (D17)', async ({
    page,
    popup,
    purchase,
    site,
  }) => {
    await purchase.open({}, site.sameSiteUrl);
    await popup.payByCard('4000 0000 0000 3220');
    await expect(popup.frame.locator('iframe[title="Card verification"]')).toBeVisible();
    await page.reload();
    await purchase.open({}, site.sameSiteUrl);
    await popup.answerChallenge('approve');

    await purchase.expectEnding(PAID);
  });

  test('an already paid reference says so and runs onSuccess again, without a second charge (D18)', {
    tag: '@gate',
  }, async ({ page, popup, purchase }) => {
    await purchase.open();
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectEnding(PAID);
    const first = await purchase.collection();

    await page.reload();
    await purchase.open();

    await expect(popup.frame.getByText(/already paid/)).toBeVisible();
    await purchase.expectEnding(PAID);
    expect((await purchase.collection())?.completedAt).toBe(first?.completedAt);
  });

  test('closed after a decline and opened again, it counts on, and the fifth decline ends it (T35, D37)', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');
    await popup.close.click();
    await purchase.expectEnding(DECLINED);

    await page.reload();
    await purchase.open();
    for (let attempt = 2; attempt < 5; attempt++) {
      await popup.payByCard('4000 0000 0000 0002');
      await popup.expectDeclined('Card declined');
      await expect(popup.frame.getByLabel('Security code')).toHaveValue('');
    }
    await popup.payByCard('4000 0000 0000 0002');
    await expect.poll(async () => (await purchase.collection())?.status).toBe('failed');
    await expect(popup.frame.getByRole('heading', { name: 'No tries left' })).toBeVisible();
    await popup.close.click();

    await purchase.expectEnding(FAILED);
    expect(await purchase.collection()).toMatchObject({ reasonForFailure: 'Card declined' });
  });

  test('the reference of a failed payment cannot be used again, and closing is onClose (D19)', async ({
    page,
    popup,
    purchase,
    service,
  }) => {
    await service.stopClock();
    await purchase.open();
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');
    await service.advance(31 * 60);
    await expect(popup.payButton).toHaveCount(0);

    await page.reload();
    await purchase.open();
    await expect(popup.frame.getByRole('heading')).toBeVisible();
    await expect(popup.payButton).toHaveCount(0);
    await popup.close.click();

    await purchase.expectEnding(FAILED);
  });

  test('the same reference with another amount is rejected, and closing is onClose (D19, T39)', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payByCard('4000 0000 0000 0002');
    await popup.expectDeclined('Card declined');
    await page.reload();

    await purchase.open({ amount: '1.00' });
    await expect(popup.frame.getByRole('heading')).toBeVisible();
    await expect(popup.payButton).toHaveCount(0);
    await popup.close.click();

    await purchase.expectEnding(DECLINED);
  });
});

/**
 * Runs before any other script: makes the page's close watchers, which a phone's back gesture goes
 * to, known to the test, and the frame's replies to a wish to leave.
 */
function watchLeaving(): void {
  const watchers: unknown[] = [];
  const { CloseWatcher } = window as unknown as { CloseWatcher: new (options: object) => object };
  const Listed = class extends CloseWatcher {
    constructor(options: object) {
      super(options);
      watchers.push(this);
    }
  };
  const replies: unknown[] = [];
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (this: MessagePort, message: { type?: string }) {
    postMessage.call(this, message);
    if (message.type === 'stay') replies.push(message);
  };
  Object.assign(window, { watchers, replies, CloseWatcher: Listed });
}

function countReplies(page: Page): Promise<number> {
  return checkoutFrame(page).evaluate(
    () => (window as unknown as { replies: unknown[] }).replies.length,
  );
}

/** Plays a phone's back gesture: the newest close watcher is requested to close. */
async function goBack(page: Page): Promise<void> {
  await page.evaluate(() =>
    (window as unknown as { watchers: { requestClose(): void }[] }).watchers.at(-1)!.requestClose(),
  );
}
