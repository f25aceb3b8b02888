import { watchStep } from '../lab/step-motion.ts';
import { expect, test } from '../stack.ts';
import { checkoutFrame } from '../support/checkout-frame.ts';

const PRESSED_AFTER_MS = [50, 100, 150];

test.use({ viewport: { width: 360, height: 740 } });

test.describe('between two steps on a phone (B12, B13)', () => {
  test.use({ reducedMotion: 'no-preference' });

  const STEPS = {
    'a decline, with an alert above the form': ['4000 0000 0000 0002', '[role=alert]'],
    'a challenge, higher than the form': ['4000 0000 0000 3220', 'waiting-screen iframe'],
    'success, lower than the form': ['4242 4242 4242 4242', 'success-screen h1'],
  } as const;
  for (const [step, [number, shows]] of Object.entries(STEPS))
    test(`${step}: no frame is empty or faint, the head moves with the sheet’s edge, and the foot stays`, {
      tag: '@gate',
    }, async ({ page, popup, purchase }) => {
      await purchase.open();
      await popup.fillCard(number);
      const motion = await watchStep(page, async () => {
        await popup.payButton.click();
        await popup.frame.locator(shows).waitFor();
      });

      expect(motion.frames).toBeGreaterThan(10);
      expect(motion.lowestOpacity).toBeGreaterThanOrEqual(0.4);
      expect(motion.headOffPx).toBeLessThanOrEqual(2);
      expect(motion).toMatchObject({
        emptyFrames: 0,
        footOffPx: 0,
        footMovedPx: 0,
        isGliding: true,
      });
      expect(motion.topMovedPx).toBeGreaterThan(5);
    });

  test('a step that blinks, a head that lags and a foot that sinks are noticed', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    await popup.fillCard('4242 4242 4242 4242');
    const frame = checkoutFrame(page);
    const motion = await watchStep(page, async () => {
      await popup.payButton.click();
      await popup.frame.locator('success-screen h1').waitFor();
      await frame.evaluate(() => {
        const root = document.querySelector('checkout-app')!.shadowRoot!;
        root.querySelector('.body')!.animate({ opacity: [0, 1] }, 120);
        root.querySelector('.head')!.animate({ translate: ['0 30px', '0'] }, 120);
        root.querySelector('.last')!.animate({ translate: ['0 30px', '0'] }, 120);
      });
    });

    expect(motion.lowestOpacity).toBeLessThan(0.4);
    expect(motion.headOffPx).toBeGreaterThan(2);
    expect(motion.footOffPx).toBeGreaterThan(2);
  });

  for (const ms of PRESSED_AFTER_MS)
    test(`a press of Pay ${ms} ms after a decline has appeared is not lost`, async ({
      page,
      popup,
      purchase,
    }) => {
      await purchase.open();
      await popup.fillCard('4000 0000 0000 0002');
      const { x, y, width, height } = (await popup.payButton.boundingBox())!;
      await popup.payButton.click();
      const frame = checkoutFrame(page);
      await frame.evaluate(untilAppearedFor, ms);
      // Where it was when the customer aimed.
      await page.mouse.click(x + width / 2, y + height / 2);

      await expect(popup.frame.getByText('Enter the security code.')).toBeVisible();
    });
});

test.describe('between two steps on a larger screen (B13)', () => {
  test.use({ viewport: { width: 1280, height: 800 }, reducedMotion: 'no-preference' });

  test('the top stays through decline, challenge and question, and the foot moves with the lower edge, by degrees, to 24 px above the window’s at most', async ({
    page,
    popup,
    purchase,
  }) => {
    await purchase.open();
    const expectStep = async (act: () => Promise<unknown>, shows: string) => {
      const motion = await watchStep(page, async () => {
        await act();
        await popup.frame.locator(shows).waitFor();
      });
      expect(motion, shows).toMatchObject({ topMovedPx: 0, headOffPx: 0, isGliding: true });
      expect(motion.footOffPx, shows).toBeLessThanOrEqual(2);
      const { y, height } = (await popup.dialog.boundingBox())!;
      expect(800 - y - height, shows).toBeGreaterThanOrEqual(24);
    };
    const pay = () => popup.payButton.click();

    await popup.fillCard('4000 0000 0000 0002');
    await expectStep(pay, '[role=alert]');
    await popup.fillCard('4000 0000 0000 3220');
    await expectStep(pay, 'waiting-screen iframe');
    await expectStep(() => popup.close.click(), 'end-screen h1');
    await expectStep(
      () => popup.frame.getByRole('button', { name: 'Finish paying' }).click(),
      '.step:not([inert]) > waiting-screen',
    );
  });
});

test('nothing moves between steps if the customer prefers less motion', async ({
  page,
  popup,
  purchase,
}) => {
  await purchase.open();
  await popup.fillCard('4000 0000 0000 0002');
  const motion = await watchStep(page, async () => {
    await popup.payButton.click();
    await popup.frame.getByRole('alert').waitFor();
  });

  expect(motion).toMatchObject({ lowestOpacity: 1, footMovedPx: 0, isGliding: false });
});

/** Resolves once the alert has been on screen for so long, counted in drawn frames. */
function untilAppearedFor(ms: number): Promise<void> {
  return new Promise((resolve) => {
    let appeared: number | undefined;
    const look = (now: number) => {
      const { shadowRoot } = document.querySelector('checkout-app')!;
      if (shadowRoot!.querySelector('[role=alert]')) appeared ??= now;
      if (appeared !== undefined && now - appeared >= ms) resolve();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}
