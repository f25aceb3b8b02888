import { expect, test } from '../stack.ts';
import { PAID } from '../support/expect-ending.ts';

const WAITS = { network: 'MTN', phone: '0960000000' };
const PROMPT = 'Approve the payment on your phone';

test.describe('a prompt the customer no longer wants (D47)', () => {
  test('a prompt is withdrawn for a card, which pays; the phone no longer shows it', {
    tag: '@gate',
  }, async ({ page, popup, purchase, service }) => {
    await purchase.open();
    await popup.payByPhone(WAITS);
    await popup.expectPromptFor(WAITS);
    const handset = await page.context().newPage();
    await handset.goto(`${service.url}/phone/${WAITS.phone}`);
    await expect(handset.getByRole('button', { name: 'Approve' })).toBeVisible();

    await popup.useAnotherWay();

    await popup.expectOpen();
    await expect(popup.alert).toHaveCount(0);
    await expect(popup.frame.getByRole('radio', { name: 'Mobile money' })).toBeChecked();
    await expect(handset.getByRole('button', { name: 'Approve' })).toHaveCount(0);
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectEnding(PAID);
  });

  test('a prompt is sent again to the same number after 20 s, and one approval pays once', async ({
    popup,
    purchase,
    service,
  }) => {
    await service.stopClock();
    await purchase.open();
    await popup.payByPhone(WAITS);
    await popup.expectPromptFor(WAITS);
    await expect(popup.frame.getByRole('button', { name: 'Send the request again' })).toHaveCount(
      0,
    );
    await service.advance(20);

    await popup.sendAgain();

    await expect.poll(async () => (await purchase.collection())?.status).toBe('pay-offline');
    await popup.expectPromptFor(WAITS);
    await popup.approveOnPhone(WAITS);
    await purchase.expectEnding(PAID);
  });

  test('a prompt that the network cannot withdraw asks the customer to decline it on the phone, and then offers other ways to pay', async ({
    popup,
    purchase,
  }) => {
    const kept = { network: 'MTN', phone: '0968888888' };
    await purchase.open();
    await popup.payByPhone(kept);
    await popup.expectPromptFor(kept);

    await popup.useAnotherWay();

    await expect(
      popup.frame.getByRole('heading', { name: 'Decline the first request on your phone' }),
    ).toBeVisible();
    await expect(
      popup.frame.getByRole('button', { name: 'Use another number or pay by card' }),
    ).toHaveCount(0);
    await popup.declineOnPhone(kept);
    await popup.expectDeclined('Transaction unauthorized');
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectEnding(PAID);
  });

  test('a cancellation whose response is lost is checked before anything else is sent (T124)', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payByPhone(WAITS);
    await popup.expectPromptFor(WAITS);
    let lost = 0;
    const attempts: string[] = [];
    await page.route('**/withdrawal', async (route) => {
      if (lost++) return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    page.on('request', (request) => {
      if (/\/attempts$/.test(request.url())) attempts.push(request.url());
    });

    await popup.useAnotherWay();

    await popup.expectOpen();
    expect(attempts).toEqual([]);
    await popup.payByCard('4242 4242 4242 4242');
    await purchase.expectEnding(PAID);
  });
});

test('a code the customer cannot read gives way to a card, which pays', async ({
  popup,
  purchase,
}) => {
  await purchase.open();
  await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
  await expect(popup.frame.getByLabel('One-time code')).toBeVisible();

  await popup.useAnotherWay();

  await popup.expectOpen();
  await expect(popup.alert).toHaveCount(0);
  await popup.payByCard('4242 4242 4242 4242');
  await purchase.expectEnding(PAID);
});

test('Pay while offline sends nothing, now or later, and says so; a new press pays', async ({
  context,
  popup,
  purchase,
}) => {
  await purchase.open();
  await popup.fillCard('4242 4242 4242 4242');
  await context.setOffline(true);

  await popup.payButton.click();

  await expect(popup.alert).toHaveText(
    /You are offline\.\s+Nothing was sent, and you have not been charged\./,
  );
  await context.setOffline(false);
  await expect(popup.alert).toHaveCount(0);
  await expect(popup.payButton).toBeFocused();
  expect(await purchase.collection()).toBeUndefined();
  await popup.payButton.click();
  await purchase.expectEnding(PAID);
});

test('Close asks before it discards a phone number that could not be sent', async ({
  context,
  popup,
  purchase,
}) => {
  await purchase.open();
  await popup.chooseChannel('mobile-money');
  await popup.frame.getByLabel('Phone number').fill('0961111111');
  await context.setOffline(true);
  await popup.payButton.click();
  await expect(popup.alert).toContainText('You are offline.');

  await popup.close.click();

  await popup.expectLeavingQuestion('typed');
  await context.setOffline(false);
});

test('a filled-in form asks before Escape, a press beside the popup or Close discards it', async ({
  page,
  popup,
  purchase,
}) => {
  await purchase.open();
  const openAt = await page.evaluate(() => performance.now());
  await popup.fillCard('4242 4242 4242 4242');

  await page.keyboard.press('Escape');
  await popup.expectLeavingQuestion('typed');
  await page.keyboard.press('Escape');
  await expect(popup.frame.getByLabel('Card number')).toBeVisible();
  await expect(popup.frame.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242');
  // Until half a second has passed, a press may belong to a double click on the shop's button.
  await page.waitForFunction((openAt) => performance.now() > openAt + 500, openAt);
  await page.mouse.click(5, 5);
  await popup.expectLeavingQuestion('typed');
  await popup.close.click();

  await popup.expectClosed();
  await purchase.expectOutcome('closed');
});

test('a reload after a decline on the phone opens on the same channel and network (D60)', async ({
  page,
  popup,
  purchase,
  site,
}) => {
  await purchase.open({}, site.sameSiteUrl);
  await popup.payByPhone({ network: 'Airtel', phone: '0972222222' });
  await popup.expectDeclined('Incorrect Pin');

  await page.reload();
  await purchase.open({}, site.sameSiteUrl);

  await popup.expectOpen();
  await expect(popup.frame.getByRole('radio', { name: 'Mobile money' })).toBeChecked();
  await expect(popup.frame.getByRole('radio', { name: 'Airtel' })).toBeChecked();
  await expect(popup.frame.getByRole('heading', { name: PROMPT })).toHaveCount(0);
});
