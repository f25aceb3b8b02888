import { expect, fixture, html } from '@open-wc/testing';
import type { Session } from '@service-pay/contract/checkout-api';

import type { AppDeps, CheckoutApp } from './app.ts';
import './app.ts';
import { type Catalogue, loadCatalogue } from './language/messages/messages.ts';
import * as screens from './screens/later-screens.ts';
import { by, deep, press, typeCard, typeInto } from './test/hands.ts';
import {
  buildAttempt,
  buildPrompt,
  buildSession,
  failure,
  REQUEST,
  StandInCheckout,
  settleAll,
  TestClock,
} from './test/stand-in-checkout.ts';

const DECLINED = buildAttempt({ status: 'declined', reasonForFailure: 'Card declined' });

const CODE = buildPrompt({ status: 'otp-required', codesLeft: 3 });

describe('what the checkout app announces, and where it leaves the focus', () => {
  let checkout: StandInCheckout;
  let clock: TestClock;
  let app: CheckoutApp;

  beforeEach(() => {
    checkout = new StandInCheckout();
    clock = new TestClock();
  });

  afterEach(() => {
    delete (navigator as { onLine?: boolean }).onLine;
  });

  async function open(session: Partial<Session> = {}, more: Partial<AppDeps> = {}): Promise<void> {
    checkout.session = buildSession(session);
    let ids = 0;
    const deps: AppDeps = {
      checkout,
      clock,
      newId: () => `attempt-${++ids}`,
      request: REQUEST,
      locale: 'en',
      loadCatalogue,
      send: () => {},
      ...more,
    };
    app = await fixture<CheckoutApp>(
      html`<checkout-app .deps=${deps} .screens=${screens}></checkout-app>`,
    );
    await quiet();
  }

  async function quiet(): Promise<void> {
    await settleAll(app);
  }

  async function wait(ms: number): Promise<void> {
    await clock.advance(ms);
    await quiet();
  }

  async function payByCard(): Promise<void> {
    await typeCard(app);
    await press(app, 'Pay');
    await quiet();
  }

  async function sendCode(): Promise<void> {
    await typeInto(by(app, 'One-time code'), '123456');
    await press(app, 'Confirm');
    await quiet();
  }

  function takeNetwork(): void {
    Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
  }

  function held(): { response: Promise<Session>; respond: (session: Session) => void } {
    const { promise, resolve } = Promise.withResolvers<Session>();
    return { response: promise, respond: resolve };
  }

  const visible = (selector: string) =>
    deep(app, selector).filter((element) => element.checkVisibility());
  const textOf = (element: Element | undefined) =>
    element?.textContent?.replace(/\s+/g, ' ').trim();
  const alert = () => visible('[role=alert]')[0];
  const announced = () => textOf(deep(app, '.unseen[role=status]').at(-1));
  const heading = () => textOf(visible('h1')[0]);
  const button = (name: string) => visible('button').find((each) => textOf(each) === name);
  const note = () => textOf(visible('.field .note')[0]);
  const focused = () => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active;
  };

  it('the checkout app announces a second decline with the same words as the first', async () => {
    await open();
    checkout.responses.submit.push(buildSession({ attempt: DECLINED }));
    await payByCard();
    const first = alert();
    const { response, respond } = held();
    checkout.responses.submit.push(response);
    await payByCard();
    expect(alert() === first, 'no alert is announced while it sends').to.equal(true);

    respond(buildSession({ attempt: { ...DECLINED, id: 'attempt-2' } }));
    await quiet();

    expect(textOf(alert())).to.equal(textOf(first));
    expect(alert() === first, 'only an alert that is inserted is announced').to.equal(false);
  });

  it('the checkout app announces each press that sends nothing for lack of a network', async () => {
    await open({ attempt: buildPrompt() });
    takeNetwork();
    await press(app, 'Use another number or pay by card');
    await quiet();
    const first = alert();
    checkout.responses.look.push(...Array.from({ length: 20 }, () => failure('not_known')));
    await wait(5_000);
    expect(alert() === first, 'nothing is announced without a press').to.equal(true);

    await press(app, 'Use another number or pay by card');
    await quiet();

    expect(textOf(alert())).to.equal(textOf(first));
    expect(alert() === first).to.equal(false);
  });

  it('the checkout app does not say that there is nothing new once Check again has brought another screen', async () => {
    await open({ attempt: buildAttempt({ isYours: false, status: 'pending' }) });
    checkout.responses.look.push(buildSession({ status: 'successful' }));
    const { matchMedia } = window;
    // A step is only in the document after its end where it fades out.
    window.matchMedia = () => ({ matches: false }) as MediaQueryList;
    try {
      await press(app, 'Check again');
      await quiet();
    } finally {
      window.matchMedia = matchMedia;
    }

    expect(deep(app, 'waiting-screen')).to.have.length(1);
    expect(heading()).to.equal('Payment successful');
    expect(announced()).to.equal('');
  });

  it('the checkout app says that there is nothing new only when the service has responded, also to a poll under way', async () => {
    await open({ attempt: buildAttempt({ isYours: false, status: 'pending' }) });
    const { response, respond } = held();
    checkout.responses.look.push(response);
    await wait(1_000);
    await press(app, 'Check again');
    await quiet();
    expect(announced()).to.equal('');

    respond(checkout.session);
    await quiet();
    expect(announced()).to.equal('Nothing new yet.');
  });

  it('the checkout app keeps Check again, and the focus on it, once the service responds again', async () => {
    await open({ attempt: buildAttempt() });
    checkout.responses.look.push(failure('not_known'), failure('not_known'));
    await wait(2_000);
    const check = button('Check again')!;
    check.focus();

    check.click();
    await quiet();

    expect(heading()).to.equal('Confirming your payment');
    expect(focused() === check).to.equal(true);
    expect(check.checkVisibility()).to.equal(true);
  });

  for (const code of ['rejected', 'invalid', 'denied', 'not_authorized'] as const) {
    it(`the checkout app says at the code that it was not sent, if the service rejects it without naming a field: ${code}`, async () => {
      await open({ attempt: CODE });
      checkout.responses.sendCode.push(failure(code));

      await sendCode();

      expect(note()).to.equal('The code could not be sent. Try again.');
      expect(focused() === by(app, 'One-time code')).to.equal(true);
      checkout.session = buildSession({
        attempt: { ...CODE, status: 'declined', reasonForFailure: 'Wrong one-time code' },
      });
      await wait(1_000);
      expect(textOf(alert())).to.contain('Wrong code.');
    });
  }

  describe('when time is short', () => {
    const SHORT = { now: '2026-11-20T10:28:04.000Z', extensionsLeft: 1 };
    const callout = () => textOf(visible('.callout p')[0]);

    it('the checkout app shows that more time is being requested, and requests it once', async () => {
      await open(SHORT);
      const { response } = held();
      checkout.responses.extend.push(response, failure('not_known'));

      await press(app, 'Get more time');
      await press(app, 'Get more time');
      await quiet();

      expect(button('Get more time')!.ariaBusy).to.equal('true');
      expect(checkout.responses.extend).to.have.length(1);
      await expect(app).to.be.accessible();
    });

    for (const [what, response] of [
      ['rejects it', failure('rejected')],
      ['responds with the same end', buildSession(SHORT)],
    ] as const)
      it(`the checkout app says that more time could not be added, if the service ${what}`, async () => {
        await open(SHORT);
        checkout.responses.extend.push(response);

        await press(app, 'Get more time');
        await quiet();

        expect(callout()).to.equal('More time could not be added.');
        expect(announced()).to.equal('More time could not be added.');
      });

    it('the checkout app says that there is more time, if a poll overtook the response', async () => {
      await open(SHORT);
      const { response, respond } = held();
      checkout.responses.extend.push(response);
      await press(app, 'Get more time');
      await wait(2_500);

      respond(buildSession({ ...SHORT, expiresAt: '2026-11-20T10:58:06.000Z' }));
      await quiet();

      expect(announced()).to.equal('You have more time to pay now.');
    });

    it('the checkout app blames the network alone if there is none', async () => {
      await open(SHORT);
      takeNetwork();

      await press(app, 'Get more time');
      await quiet();

      expect(textOf(alert())).to.contain('You are offline.');
      expect(visible('more-time').map(textOf).join()).not.to.contain('does not respond');
      expect(announced()).not.to.contain('does not respond');
    });
  });

  it('the checkout app is read in the language that it shows, while the words of another are awaited', async () => {
    const { promise, resolve } = Promise.withResolvers<Catalogue>();
    await open({}, { locale: 'ar', loadCatalogue: () => promise });
    const { documentElement } = document;
    expect([documentElement.lang, documentElement.dir]).to.deep.equal(['ar', 'rtl']);

    await wait(2_000);
    expect(heading()).to.equal('Choose how to pay Demo Shop');
    expect([documentElement.lang, documentElement.dir]).to.deep.equal(['en', 'ltr']);

    resolve(await loadCatalogue('ar'));
    await quiet();
    expect([documentElement.lang, documentElement.dir]).to.deep.equal(['ar', 'rtl']);
    documentElement.lang = 'en';
    documentElement.dir = 'ltr';
  });
});
