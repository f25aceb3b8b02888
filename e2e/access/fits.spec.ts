import { LANGUAGES } from '@service-pay/contract/languages';
import { PaymentPopup } from '@service-pay/sandbox/playwright';

import { expect, test } from '../stack.ts';

for (const [width, height] of [
  [360, 640],
  [360, 740],
  [1280, 800],
] as const) {
  test.describe(`at ${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });

    test('the whole card form with Pay and foot fits without scrolling, in every language', async ({
      popup,
      purchase,
    }) => {
      test.slow();
      for (const locale of LANGUAGES) {
        await purchase.open({ label: 'Chitenge cloth, two yards', locale });
        await expect(popup.frame.locator('button[type=submit]')).toBeVisible();
        await expect(popup.frame.locator('language-switch select')).toBeVisible();

        expect(await overflowOf(popup), locale).toBeLessThanOrEqual(0);
        const last = (await popup.frame.locator('.last').boundingBox())!;
        const card = (await popup.dialog.boundingBox())!;
        expect(last.y + last.height, locale).toBeLessThanOrEqual(card.y + card.height + 1);
        await popup.close.click();
        await popup.expectClosed();
      }
    });
  });
}

test.describe('on a phone of 360 × 740', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  test('the list of problems and the first of them are in sight where a card needs its billing address', async ({
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payByCard('4000 0000 0000 0010');
    await expect(popup.frame.getByLabel('Street address')).toBeFocused();

    await popup.payButton.click();

    await expect(popup.frame.getByRole('heading', { name: 'Check these fields' })).toBeVisible();
    await expect(popup.frame.getByLabel('Street address')).toBeFocused();
    await expectBetweenHeadAndFoot(popup, 'problem-list');
    await expectBetweenHeadAndFoot(popup, '.field:has(#streetAddress)');
  });

  test('both channels are equally wide and a chosen network fits its tile, in every language', async ({
    page,
    purchase,
  }) => {
    test.slow();
    for (const locale of LANGUAGES) {
      const popup = new PaymentPopup(page, { locale });
      await purchase.open({ locale });
      const channels = popup.frame.locator('pay-form .choices:not(.tiles) .choice');
      await expect(channels).toHaveCount(2);
      const [card, phone] = await channels.all();
      await popup.chooseChannel('mobile-money');
      const networks = popup.frame.locator('.tiles .choice');
      await expect(networks.first()).toBeVisible();
      const tiles = await networks.all();
      await popup.frame.locator('.tiles input').last().press('Space');

      const widths = await Promise.all(
        [card!, phone!].map(async (one) => (await one.boundingBox())!.width),
      );
      expect(widths[0], locale).toBeCloseTo(widths[1]!, 0);
      expect(tiles.length).toBeGreaterThan(1);
      for (const choice of [card!, phone!, ...tiles])
        expect(await choice.evaluate((box) => box.scrollWidth - box.clientWidth), locale).toBe(0);
      await page.reload();
    }
  });

  test('fields of one row are on one line if only one of their labels takes two, and with an error below one', async ({
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.fillCard('4242 4242 4242 4242', { securityCode: '1' });
    await popup.frame.getByLabel('Security code').evaluate((input) => {
      const label = input.closest('.field')!.querySelector('label')!;
      label.append(' of three digits on its back');
    });
    await popup.payButton.click();
    await expect(popup.frame.locator('#securityCode[aria-invalid=true]')).toBeVisible();

    const [date, code] = await Promise.all(
      ['#expiry', '#securityCode'].map((field) => popup.frame.locator(field).boundingBox()),
    );
    expect(code!.y).toBe(date!.y);
    expect(code!.height).toBe(date!.height);
  });

  test('the way out of a prompt takes one line', async ({ popup, purchase }) => {
    const waits = { network: 'MTN', phone: '0960000000' };
    await purchase.open();
    await popup.payByPhone(waits);
    await popup.expectPromptFor(waits);

    const button = popup.frame.getByRole('button', { name: 'Use another number or pay by card' });
    expect((await button.boundingBox())!.height).toBe(48);
  });
});

test.describe('on a small phone of 320 × 568', () => {
  test.use({ viewport: { width: 320, height: 568 } });

  test('the link to the bank’s own page is in sight under its challenge', async ({
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.payByCard('4000 0000 0000 3220');
    const link = popup.frame.getByRole('link', { name: 'Open your bank’s page' });
    await expect(link).toBeVisible();

    const [{ y, height }, last] = [
      (await link.boundingBox())!,
      (await popup.frame.locator('.last').boundingBox())!,
    ];
    expect(y + height).toBeLessThanOrEqual(last.y + 1);
    expect(await overflowOf(popup)).toBeLessThanOrEqual(0);
  });
});

test.describe('held sideways', () => {
  test.use({ viewport: { width: 640, height: 360 } });

  test('head and Pay stay in sight, and the first row of fields is whole', async ({
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.expectOpen();
    for (const isScrolled of [false, true]) {
      if (isScrolled) await popup.frame.getByLabel('Name on card').focus();
      const boxOf = async (selector: string) =>
        (await popup.frame.locator(selector).boundingBox())!;
      const [head, foot] = [await boxOf('.head'), await boxOf('.foot')];
      expect(head.y).toBeGreaterThanOrEqual(0);
      expect(foot.y + foot.height).toBeLessThanOrEqual(360);
      await expectBetweenHeadAndFoot(
        popup,
        isScrolled ? '.field:has(#name)' : '.field:has(#number)',
      );
    }
  });

  test('the one-time code is in sight, also when a new one is offered and after a wrong one', async ({
    popup,
    purchase,
    service,
  }) => {
    await service.stopClock();
    await purchase.open();
    await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
    await expect(popup.frame.getByLabel('One-time code')).toBeFocused();
    await expectBetweenHeadAndFoot(popup, '.field:has(#code)');

    await service.advance(31);
    await expect(popup.frame.getByRole('button', { name: 'Send a new code' })).toBeVisible();
    await expectBetweenHeadAndFoot(popup, '.field:has(#code)');

    await popup.frame.getByLabel('One-time code').fill('111111');
    await popup.frame.getByRole('button', { name: 'Confirm' }).click();
    await expect(popup.frame.getByText('Wrong code. 2 tries left.')).toBeVisible();
    await expectBetweenHeadAndFoot(popup, '.field:has(#code)');
  });
});

async function expectBetweenHeadAndFoot(popup: PaymentPopup, selector: string): Promise<void> {
  const boxOf = async (each: string) => (await popup.frame.locator(each).boundingBox())!;
  const [head, foot, box] = [await boxOf('.head'), await boxOf('.foot'), await boxOf(selector)];
  expect(box.y, selector).toBeGreaterThanOrEqual(head.y + head.height - 1);
  expect(box.y + box.height, selector).toBeLessThanOrEqual(foot.y + 1);
}

function overflowOf(popup: PaymentPopup): Promise<number> {
  return popup.frame.locator('html').evaluate((html) => html.scrollHeight - html.clientHeight);
}
