import { expect, type Page } from '@playwright/test';
import type { PaymentPopup } from '@service-pay/sandbox/playwright';
import { DECLINED, type Ending, PAID, UNTOUCHED, unsure } from './expect-ending.ts';
import { expectPrompt, reachPrompt } from './expect-prompt.ts';
import type { ServiceControl } from './service-control.ts';

export interface Actors {
  page: Page;
  popup: PaymentPopup;
  service: ServiceControl;
}

export interface Journey {
  title: string;
  /** The one of its ending that is played on every page. */
  isSample?: boolean;
  act: (actors: Actors) => Promise<void>;
  ending: Ending;
}

const cards: Journey[] = [
  {
    title: 'Visa pays',
    isSample: true,
    act: async ({ popup }) => {
      await popup.payByCard('4242 4242 4242 4242');
      await popup.expectSuccessful();
    },
    ending: PAID,
  },
  {
    title: 'a card is declined with its reason, and closing then is onClose (D16)',
    isSample: true,
    act: async ({ popup }) => {
      await popup.payByCard('4000 0000 0000 0002');
      await popup.expectDeclined('Card declined');
      await popup.close.click();
    },
    ending: DECLINED,
  },
  {
    title: 'a challenge approved at the bank pays',
    isSample: true,
    act: async ({ popup }) => {
      await popup.payByCard('4000 0000 0000 3220');
      await popup.answerChallenge('approve');
    },
    ending: PAID,
  },
  {
    title: 'a challenge declined at the bank is a decline',
    act: async ({ popup }) => {
      await popup.payByCard('4000 0000 0000 3220');
      await popup.answerChallenge('decline');
      await popup.expectDeclined('Card verification declined');
      await popup.close.click();
    },
    ending: DECLINED,
  },
  {
    title: 'a declined card leaves the other channel open: mobile money then pays',
    act: async ({ popup }) => {
      await popup.payByCard('4000 0000 0000 0002');
      await popup.expectDeclined('Card declined');
      await popup.payByPhone({ network: 'MTN', phone: '0961111111' });
    },
    ending: PAID,
  },
];

const phones: Journey[] = [
  ...(
    [
      ['MTN', '0961111111'],
      ['Airtel', '0971111111'],
      ['Zamtel', '0951111111'],
    ] as const
  ).map(([network, phone]) => ({
    title: `${network} pays after the prompt is approved`,
    isSample: network === 'MTN',
    act: async ({ popup }: Actors) => {
      await popup.payByPhone({ network, phone });
      await expectPrompt(popup);
    },
    ending: PAID,
  })),
  {
    title: 'a phone is declined with its reason',
    act: async ({ popup }) => {
      await popup.payByPhone({ network: 'MTN', phone: '0962222222' });
      await popup.expectDeclined('Not enough funds');
      await popup.close.click();
    },
    ending: DECLINED,
  },
  {
    title: "a prompt is never answered: declined after three minutes of the service's clock",
    act: async ({ popup, service }) => {
      await service.stopClock();
      await popup.payByPhone({ network: 'MTN', phone: '0966666666' });
      await expectPrompt(popup);
      await service.advance(181);
      await popup.expectDeclined('Transaction Timed Out');
      await popup.close.click();
    },
    ending: DECLINED,
  },
  {
    title: 'the right one-time code leads to the prompt and pays',
    act: async ({ popup }) => {
      await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
      await popup.enterOneTimeCode('000000');
    },
    ending: PAID,
  },
  {
    title: 'a wrong one-time code may be corrected; three wrong ones decline',
    act: async ({ popup }) => {
      await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
      for (const code of ['111111', '222222']) {
        await popup.enterOneTimeCode(code);
        await expect(popup.frame.getByLabel('One-time code')).toHaveAttribute(
          'aria-invalid',
          'true',
        );
      }
      await popup.enterOneTimeCode('333333');
      await popup.expectDeclined('Wrong one-time code');
      await popup.close.click();
    },
    ending: DECLINED,
  },
  {
    title: 'the handset approves the prompt on its own page',
    act: async ({ page, popup, service }) => {
      await reachPrompt(popup);
      const handset = await page.context().newPage();
      await handset.goto(`${service.url}/phone/0960000000`);
      await handset.getByRole('button', { name: 'Approve' }).click();
      await handset.close();
    },
    ending: PAID,
  },
  {
    title: 'the handset declines the prompt, and the form takes another number',
    act: async ({ popup, service }) => {
      await popup.payByPhone({ network: 'Airtel', phone: '0970000000' });
      await expectPrompt(popup);
      await service.decline('0970000000');
      await popup.expectDeclined('Transaction unauthorized');
      await popup.payByPhone({ network: 'Airtel', phone: '0971111111' });
    },
    ending: PAID,
  },
];

const leavings: Journey[] = [
  {
    title: 'closing before anything is sent is onClose',
    isSample: true,
    act: async ({ popup }) => {
      await popup.expectOpen();
      await popup.close.click();
    },
    ending: UNTOUCHED,
  },
  {
    title: 'Escape on the page before anything is sent is onClose',
    act: async ({ page, popup }) => {
      await popup.expectOpen();
      await popup.close.focus();
      await page.keyboard.press('Escape');
    },
    ending: UNTOUCHED,
  },
  {
    title: 'Escape in the frame before anything is sent is onClose',
    act: async ({ page, popup }) => {
      await popup.frame.getByLabel('Card number').focus();
      await page.keyboard.press('Escape');
    },
    ending: UNTOUCHED,
  },
  {
    title: 'half a form typed: asked once, then onClose',
    act: async ({ popup }) => {
      await popup.fillCard('4242 4242 4242 4242');
      await popup.close.click();
      await popup.frame.getByRole('heading', { name: 'Leave without paying?' }).waitFor();
      await popup.frame.getByRole('button', { name: 'Leave', exact: true }).click();
    },
    ending: UNTOUCHED,
  },
  {
    title:
      'during a prompt, the popup asks once: Keep waiting stays, Close anyway is onConfirmationPending (D15)',
    isSample: true,
    act: async ({ popup }) => {
      await reachPrompt(popup);
      await popup.close.click();
      await popup.expectLeavingQuestion();
      await popup.frame.getByRole('button', { name: 'Keep waiting' }).click();
      await expectPrompt(popup);
      await popup.leave('close-anyway');
    },
    ending: unsure('pay-offline'),
  },
  {
    title:
      'repeated Escape during a prompt alternates between question and prompt, and never closes the popup (T20)',
    act: async ({ page, popup }) => {
      await reachPrompt(popup);
      for (let times = 0; times < 3; times++) {
        await popup.close.focus();
        await page.keyboard.press('Escape');
        if (times % 2) await expectPrompt(popup);
        else await popup.expectLeavingQuestion();
      }
      await popup.frame.getByRole('button', { name: 'Close anyway' }).click();
    },
    ending: unsure('pay-offline'),
  },
  {
    title: 'a challenge that is open asks, and closing is onConfirmationPending (D15)',
    act: async ({ popup }) => {
      await popup.payByCard('4000 0000 0000 3220');
      await expect(popup.frame.locator('iframe[title="Card verification"]')).toBeVisible();
      await popup.leave('close-anyway');
    },
    ending: unsure('3ds-auth-required'),
  },
  {
    title: 'a one-time code that is asked for asks, and closing is onConfirmationPending',
    act: async ({ popup }) => {
      await popup.payByPhone({ network: 'MTN', phone: '0969999999' });
      await expect(popup.frame.getByLabel('One-time code')).toBeVisible();
      await popup.leave('close-anyway');
    },
    ending: unsure('otp-required'),
  },
  {
    title: 'the payment lands while the customer is being asked: onSuccess',
    act: async ({ popup, service }) => {
      await reachPrompt(popup);
      await popup.close.click();
      await popup.expectLeavingQuestion();
      await service.approve('0960000000');
    },
    ending: PAID,
  },
  {
    title: 'closing while success is shown is onSuccess, not onClose (D1)',
    isSample: true,
    act: async ({ popup }) => {
      await popup.payByCard('4242 4242 4242 4242');
      await expect(popup.frame.getByRole('heading', { name: 'Payment successful' })).toBeVisible();
      await popup.close.click();
    },
    ending: PAID,
  },
];

/** Every journey through the popup that ends without the page's help, whichever page opened it. */
export const JOURNEYS: readonly Journey[] = [...cards, ...phones, ...leavings];

/** One journey for each way a payment may end, for pages that differ in what they do then. */
export const EACH_ENDING: readonly Journey[] = JOURNEYS.filter(({ isSample }) => isSample);

/** One journey for each callback, for pages that differ only in how they pay. */
export const EACH_CALLBACK: readonly Journey[] = EACH_ENDING.filter(
  ({ ending: { callback } }, at) =>
    at === EACH_ENDING.findIndex(({ ending }) => ending.callback === callback),
);
