import { errors, type Locator, type Page, type Route } from '@playwright/test';
import { PaymentPopup } from '@service-pay/sandbox/playwright';
import type { Step } from '../model/history.ts';
import { LUCK } from '../model/network.ts';
import { findCheckoutFrame } from './checkout-frame.ts';
import type { MerchantSite } from './merchant-site.ts';
import type { ServiceControl } from './service-control.ts';

const ATTEMPTS = '**/checkout/v1/sessions/current/attempts';

/**
 * A person looks this long for what a history wants pressed. If it is not there by then it is not
 * pressed, as in the model.
 */
const SEEN_WITHIN_MS = 300;

/** A person tries this long to use what goes away or is switched off under their hand. */
const TRIED_FOR_MS = 2_000;

/** The delay of a real network for what is late in a history, whose own times run to minutes. */
const LATE_MS = 1_500;

export interface Opening {
  page: number;
  hasPaid: boolean;
  outcomes: string[];
}

/** A tab of a real browser that plays the steps of a history on the real popup. */
export class BrowserTab {
  readonly openings: Opening[] = [];
  readonly #page: Page;
  readonly #popup: PaymentPopup;
  readonly #site: MerchantSite;
  readonly #service: ServiceControl;
  readonly #options: object;
  #pages = 1;
  #luck = 0;

  constructor(page: Page, site: MerchantSite, service: ServiceControl, options: object) {
    this.#page = page;
    this.#popup = new PaymentPopup(page);
    this.#site = site;
    this.#service = service;
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#page.exposeFunction('report', (opening: number, outcome: string) =>
      this.openings[opening]?.outcomes.push(outcome),
    );
    await this.#page.route(ATTEMPTS, (route) => this.#travel(route));
    await this.#page.goto(this.#site.url);
    this.#page.setDefaultTimeout(TRIED_FOR_MS);
  }

  get opening(): Opening | undefined {
    const last = this.openings.at(-1);
    return last?.page === this.#pages && !last.outcomes.length ? last : undefined;
  }

  async act(step: Pick<Step, 'act' | 'luck'>): Promise<void> {
    // Nothing is drawn in a tab behind another, and a press in its frame is lost.
    await this.#page.bringToFront();
    await this.#act(step).catch((error) => {
      if (!isTooLate(error)) throw error;
    });
  }

  async #act({ act, luck }: Pick<Step, 'act' | 'luck'>): Promise<void> {
    const { frame } = this.#popup;
    switch (act) {
      case 'open':
        return this.#open();
      case 'payByCard':
        return this.#payByCard('4242 4242 4242 4242', luck);
      case 'payByDeclinedCard':
        return this.#payByCard('4000 0000 0000 0002', luck);
      case 'payByChallengedCard':
        return this.#payByCard('4000 0000 0000 3220', luck);
      case 'payBySlowCard':
        return this.#payByCard('4000 0000 0000 0077', luck);
      case 'payByUnknownCard':
        return this.#payByCard('4111 1111 1111 1111', luck);
      case 'payByPhone':
        return this.#payByPhone('0960000000', luck);
      case 'payByDeclinedPhone':
        return this.#payByPhone('0962222222', luck);
      case 'payByPhoneWithCode':
        return this.#payByPhone('0969999999', luck);
      case 'payByPhoneThatKeeps':
        return this.#payByPhone('0968888888', luck);
      case 'useAnother':
        return press(frame.getByRole('button', { name: 'Use another number or pay by card' }));
      case 'sendAgain':
        return press(frame.getByRole('button', { name: 'Send the request again' }));
      case 'enterCode':
      case 'enterWrongCode':
        if (await isSeen(frame.getByLabel('One-time code')))
          await this.#popup.enterOneTimeCode(act === 'enterCode' ? '000000' : '111111');
        return;
      case 'approve':
      case 'decline':
        return this.#service[act]('0960000000').catch(() => {}); // no prompt is open
      case 'leave':
        return press(this.#popup.close);
      case 'keepWaiting':
        return press(
          frame.getByRole('button', { name: /^(?:Keep waiting|Finish paying|Keep paying)$/ }),
        );
      case 'closeAnyway':
        return press(frame.getByRole('button', { name: /^(?:Close anyway|Leave)$/ }));
      case 'closeByCode':
        await this.#page.evaluate(() =>
          (window as unknown as { handle?: { close(): void } }).handle?.close(),
        );
        return;
      case 'retry':
        return press(
          frame
            .getByRole('button', { name: 'Try again' })
            .or(this.#page.getByRole('button', { name: 'Try again' })),
        );
      case 'reloadFrame':
        // its page went with the response
        await findCheckoutFrame(this.#page)
          ?.evaluate(() => location.reload())
          .catch(() => {});
        return;
      case 'loseFrame':
        await findCheckoutFrame(this.#page)
          ?.goto('about:blank')
          .catch(() => {}); // the popup was closed meanwhile
        return;
      case 'leavePage':
        // there is no page to go to
        if (!(await this.#page.evaluate(() => navigator.onLine))) return;
        this.#pages += 1;
        await this.#page.goto(this.#site.url);
        return;
      case 'goOffline':
      case 'goOnline':
        return this.#page.context().setOffline(act === 'goOffline');
      case 'minutesPass':
        return this.#service.advance(4 * 60);
      case 'sessionExpires':
        return this.#service.advance(31 * 60);
      default:
        return; // a browser's tab is not hidden by another, and strangers have tests of their own
    }
  }

  async end(): Promise<void> {
    this.#luck = 0;
    await this.act({ act: 'retry', luck: 0 });
    await this.act({ act: 'leave', luck: 0 });
    await this.act({ act: 'closeAnyway', luck: 0 });
    await this.act({ act: 'closeByCode', luck: 0 });
  }

  async #open(): Promise<void> {
    if (this.opening) return;
    this.openings.push({ page: this.#pages, hasPaid: false, outcomes: [] });
    await this.#page.evaluate(
      ({ options, number }) => {
        const page = window as unknown as {
          ServicePay: { getPaid(options: object): unknown };
          report: (opening: number, outcome: string) => void;
          handle: unknown;
        };
        const reportAs = (outcome: string) => () => page.report(number, outcome);
        page.handle = page.ServicePay.getPaid({
          ...options,
          onSuccess: reportAs('success'),
          onClose: reportAs('closed'),
          onConfirmationPending: reportAs('confirmation-pending'),
        });
      },
      { options: this.#options, number: this.openings.length - 1 },
    );
  }

  async #payByCard(number: string, luck: number): Promise<void> {
    const { frame } = this.#popup;
    if (!(await isSeen(this.#popup.payButton))) return;
    if (await isSeen(frame.getByRole('radio', { name: 'Card', exact: true })))
      await this.#popup.chooseChannel('card');
    this.#press(luck);
    await this.#popup.payByCard(number);
  }

  async #payByPhone(number: string, luck: number): Promise<void> {
    if (!(await isSeen(this.#popup.payButton))) return;
    this.#press(luck);
    await this.#popup.payByPhone({ network: 'MTN', phone: number });
  }

  #press(luck: number): void {
    this.#luck = luck;
    if (this.opening) this.opening.hasPaid = true;
  }

  /**
   * Treats an attempt on its way as the model's network does. A frame that has gone waits for no
   * response.
   */
  async #travel(route: Route): Promise<void> {
    const luck = this.#luck;
    this.#luck = 0;
    try {
      if (luck === LUCK.late || luck === LUCK.tooLate || luck === LUCK.twiceAndLate)
        await new Promise((late) => setTimeout(late, LATE_MS));
      if (luck === LUCK.twice || luck === LUCK.twiceAndLate) await route.fetch();
      if (luck === LUCK.responseLost || luck === LUCK.tooLate) await route.fetch();
      if (luck === LUCK.responseLost || luck === LUCK.tooLate) await route.abort('connectionreset');
      else await route.continue();
    } catch {
      return; // the call is nobody's any more
    }
  }
}

async function press(button: Locator): Promise<void> {
  if (await isSeen(button)) await button.first().click();
}

function isSeen(what: Locator): Promise<boolean> {
  return what
    .first()
    .waitFor({ timeout: SEEN_WITHIN_MS })
    .then(
      () => what.first().isEnabled(),
      () => false,
    );
}

/** Checks whether the target went away during the action, for example because a response arrived. */
function isTooLate(error: Error): boolean {
  return (
    error instanceof errors.TimeoutError ||
    /^Expected (an open payment form|a form for a card|MTN as a choice)/.test(error.message)
  );
}
