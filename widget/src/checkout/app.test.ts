import { expect, fixture, html, waitUntil } from '@open-wc/testing';
import type { Session } from '@service-pay/contract/checkout-api';
import type { FrameMessage } from '@service-pay/contract/frame-messages';

import type { CheckoutApp } from './app.ts';
import './app.ts';
import { loadCatalogue } from './language/messages/messages.ts';
import * as screens from './screens/later-screens.ts';
import { by, deep, press, typeCard, typeInto } from './test/hands.ts';
import {
  buildAttempt,
  buildPrompt,
  buildSession,
  FACTS,
  failure,
  NETWORKS,
  REQUEST,
  StandInCheckout,
  settleAll,
  TestClock,
} from './test/stand-in-checkout.ts';

const DECLINED = buildAttempt({ status: 'declined', reasonForFailure: 'Card declined' });

describe('checkout app', () => {
  let checkout: StandInCheckout;
  let clock: TestClock;
  let app: CheckoutApp;
  let said: FrameMessage[];

  beforeEach(() => {
    checkout = new StandInCheckout();
    clock = new TestClock();
    said = [];
  });

  async function open(
    session: Partial<Session> = {},
    request: object = {},
    more: object = {},
  ): Promise<void> {
    checkout.session = buildSession(session);
    let ids = 0;
    const deps = {
      checkout,
      clock,
      newId: () => `attempt-${++ids}`,
      request: { ...REQUEST, ...request },
      locale: 'en',
      loadCatalogue,
      send: (message: FrameMessage) => void said.push(message),
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

  const visible = (selector: string) =>
    deep(app, selector).filter((element) => element.checkVisibility());
  const textIn = (label: string) => by(app, label).value;
  const headings = () => visible('h1').map((heading) => heading.textContent?.trim());
  const buttons = () => visible('button:not(.test)').map((button) => button.textContent?.trim());
  const countdown = () => deep(app, '#note')[0]?.textContent;
  const alerts = () =>
    visible('[role=alert]').map((alert) => alert.textContent?.replace(/\s+/g, ' ').trim());
  const words = () =>
    deep(app, 'p, bdi, dt, dd, span').map((element) => element.textContent?.trim());
  const announced = () => deep(app, '.unseen[role=status]').at(-1)!.textContent?.trim();
  const focused = () => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active;
  };
  const sent = () =>
    said.map((message) => (message.type === 'money' ? message.state : message.type));

  it('the checkout app shows who is paid: by logo or initial, name and label; and the amount, smaller the longer it is', async () => {
    const logo = 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>';
    await open({ label: 'Two tickets' });
    expect(deep(app, '.tile, .merchant, .label').map((part) => part.textContent)).to.deep.equal([
      'D',
      'Demo Shop',
      'Two tickets',
    ]);
    expect(deep(app, '.wide')).to.deep.equal([]);

    await open({ merchant: { logo, cardBrands: [] }, total: '126543208737.81' });
    expect((deep(app, '.tile')[0] as HTMLImageElement).src).to.equal(logo);
    expect(deep(app, '.wide.widest .total')).to.have.length(1);
    await expect(app).to.be.accessible();

    await open({ merchant: { logo: 'https://evil.example/logo.png', cardBrands: [] } });
    expect(deep(app, 'img')).to.deep.equal([]);
  });

  it('the checkout app names the card whose bank challenges the customer, beside the amount', async () => {
    const card = { brand: 'visa', lastDigits: '3220' };
    const status = '3ds-auth-required';
    await open({ attempt: buildAttempt({ status, challengeUrl: 'about:blank', card }) });

    const [label] = deep(app, '.label');
    expect(label?.textContent?.replace(/\s/g, ' ')).to.equal('ZMW 10.00 Visa \u2066•• 3220\u2069');
  });

  it('the checkout app lists test numbers in a test alone, and fills in the one that is pressed', async () => {
    await open({ isTest: false });
    expect(deep(app, '.test')).to.deep.equal([]);

    await open();
    await press(app, 'Test mode');
    await expect(app).to.be.accessible();
    await press(app, 'Declined');
    await quiet();
    expect(
      ['Card number', 'Expiry date', 'Security code', 'Name on card'].map(textIn),
    ).to.deep.equal(['4000 0000 0000 0002', '12/34', '123', 'Test Customer']);
    expect(deep(app, 'test-numbers')).to.deep.equal([]);
    expect(focused()?.textContent).to.contain('Pay ZMW 10.00');
    await press(app, 'Pay');
    await quiet();
    expect(checkout.submitted).to.have.length(1);

    await open();
    await press(app, 'Test mode');
    await press(app, 'Asks for a code');
    await quiet();
    expect(textIn('Phone number')).to.equal('96 999 9999');
    expect(
      deep(app, '.tiles input').map((input) => (input as HTMLInputElement).checked),
    ).to.deep.equal([true, false, false]);
  });

  it('the checkout app keeps only the chosen form in the document, and what was typed in the other', async () => {
    await open();
    await typeInto(by(app, 'Card number'), '4242');
    await press(app, 'Mobile money');
    await quiet();
    expect(deep(app, 'card-form')).to.have.length(0);
    expect(deep(app, 'input[name=operator]')).to.have.length(3);
    await expect(app).to.be.accessible();

    await press(app, 'Card');
    await quiet();
    expect(deep(app, 'mobile-money-form')).to.have.length(0);
    expect(by(app, 'Card number').value).to.equal('4242');
  });

  it('the checkout app keeps what the form found wrong while it polls the state', async () => {
    const isWrong = (label: string) => by(app, label).ariaInvalid;
    await open();
    await press(app, 'Pay');
    await wait(5_000);
    expect(isWrong('Card number')).to.equal('true');

    await press(app, 'Mobile money');
    await press(app, 'Pay');
    await wait(5_000);
    expect(isWrong('Phone number')).to.equal('true');
  });

  it('the checkout app forgets the problems of a form that the customer left for the other one', async () => {
    await open();
    checkout.responses.submit.push(
      failure('invalid', { path: 'card.number', code: 'card-number-invalid' }),
    );
    await payByCard();
    await waitUntil(() => by(app, 'Card number').ariaInvalid === 'true', 'no problem', {
      timeout: 8_000,
    });
    await press(app, 'Mobile money');
    await wait(5_000);
    await press(app, 'Card');
    await wait(5_000);

    expect(by(app, 'Card number').ariaInvalid).to.equal(null);
  });

  it('the checkout app offers no choice where there is none', async () => {
    await open({ channels: ['mobile-money'] });

    expect(deep(app, 'input[name=channel]')).to.have.length(0);
    expect(by(app, 'Phone number')).to.be.an.instanceOf(HTMLInputElement);
  });

  it('the checkout app shows fee and total where the customer bears the fee, and the button names the total (D36)', async () => {
    await open({ bearer: 'customer', fee: '0.25', total: '10.25', isTest: false });

    const rows = deep(app, 'dt').map((term) => [
      term.textContent,
      term.nextElementSibling?.textContent,
    ]);
    expect(rows).to.deep.equal([
      ['Amount', 'ZMW 10.00'],
      ['Fee', 'ZMW 0.25'],
    ]);
    expect(deep(app, '.total')[0]!.textContent?.replace(/\s+/g, ' ').trim()).to.equal(
      'Total ZMW 10.25',
    );
    expect(buttons()).to.deep.equal(['Pay ZMW 10.25']);
    expect(words()).not.to.include('Test mode');
    await expect(app).to.be.accessible();
  });

  it('the checkout app closes by itself 5 s after success, counted below the button (D2)', async () => {
    await open({ status: 'successful' });
    expect(countdown()).to.equal('Back to Demo Shop in 5\u00a0s');
    await wait(4_999);
    expect(countdown()).to.equal('Back to Demo Shop in 1\u00a0s');
    expect(sent()).not.to.include('close');
    await wait(1);

    expect(sent().at(-1)).to.equal('close');
    expect(countdown(), 'no 0 flashes while the sheet leaves').to.contain('in 1\u00a0s');
  });

  for (const [what, keep] of [
    ['a touch', () => document.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))],
    ['a key press', () => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab' }))],
    ['a selection', () => getSelection()!.selectAllChildren(document.body)],
    [
      'a focus that the customer moves',
      () =>
        deep(app, 'button')
          .find((each) => each.textContent === 'Done')!
          .focus(),
    ],
  ] as const) {
    it(`the checkout app stops the countdown after success for good at ${what}, and stays until it is dismissed (D2)`, async () => {
      await open({ status: 'successful' });
      await wait(2_000);

      keep();
      await new Promise((resolve) => setTimeout(resolve)); // a selection is reported later
      getSelection()!.removeAllRanges();
      await quiet();
      expect(countdown()?.trim()).to.equal('');
      expect(sent().at(-1)).to.equal('stay');
      await wait(60_000);

      expect(sent()).not.to.include('close');
      await press(app, 'Done');
      expect(sent().at(-1)).to.equal('close');
    });
  }

  it('the checkout app continues the countdown after success under a pointer that moves and a focus that a script sets (D2)', async () => {
    await open({ status: 'successful' });

    document.dispatchEvent(new PointerEvent('pointermove', { movementX: 4, bubbles: true }));
    app.refocus();
    await wait(5_000);

    expect(sent().at(-1)).to.equal('close');
  });

  for (const isBlocked of [false, true]) {
    it(`the checkout app copies the reference on a press, and says so only if the browser allowed it: ${!isBlocked}`, async () => {
      const copied: string[] = [];
      const rejections: unknown[] = [];
      const note = (event: PromiseRejectionEvent) => {
        event.preventDefault();
        rejections.push(event.reason);
      };
      const writeText = async (text: string) => {
        if (isBlocked) throw new DOMException('Said by the stand-in.', 'NotAllowedError');
        copied.push(text);
      };
      Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true });
      window.addEventListener('unhandledrejection', note);
      try {
        await open({ status: 'successful', attempt: buildPrompt({ status: 'successful' }) });
        deep(app, '.copy')[0]!.click();
        await quiet();
        await new Promise((resolve) => setTimeout(resolve));
      } finally {
        window.removeEventListener('unhandledrejection', note);
        Reflect.deleteProperty(navigator, 'clipboard');
      }

      expect(rejections).to.deep.equal([]);
      expect(copied).to.deep.equal(isBlocked ? [] : ['order-1042']);
      expect(deep(app, '.copy')[0]?.ariaLabel).to.equal(isBlocked ? 'Copy reference' : 'Copied');
    });
  }

  it('the checkout app links to the test phone, in a tab of its own, in a test alone', async () => {
    const attempt = buildPrompt();
    const prompt = { ...attempt.prompt!, testPhone: '/phone/0960000000' };
    const links = async (isTest: boolean) => {
      await open({ isTest, attempt: { ...attempt, prompt } });
      return deep(app, 'li a').map((link) => [
        link.textContent,
        link.getAttribute('href'),
        link.getAttribute('target'),
      ]);
    };

    expect(await links(true)).to.deep.equal([
      ['Open the test phone', '/phone/0960000000', '_blank'],
    ]);
    expect(await links(false)).to.deep.equal([]);
  });

  it('the checkout app lets a number typed after a decline choose its own network', async () => {
    await open({ attempt: buildPrompt({ status: 'declined', reasonForFailure: 'Incorrect Pin' }) });

    await typeInto(by(app, 'Phone number'), '097 111 1111');

    const chosen = deep(app, 'input:checked').map((input) => (input as HTMLInputElement).value);
    expect(chosen).to.deep.equal(['mobile-money', 'airtel']);
  });

  it('the checkout app returns to the field that had the focus when the customer stays after all', async () => {
    await open();
    await typeInto(by(app, 'Card number'), '4242');
    by(app, 'Security code').focus();
    for (let press = 0; press < 2; press++) {
      app.leave('escape');
      await quiet();
    }
    expect(focused()).to.equal(by(app, 'Security code'));

    app.leave('close');
    await quiet();
    await press(app, 'Keep paying');
    await quiet();
    expect(focused()).to.equal(by(app, 'Security code'));
  });

  it('the checkout app focuses the result if the leave question ends by itself', async () => {
    await open({ attempt: buildPrompt() });
    deep(app, 'select')[0]!.focus();
    app.leave('close');
    await quiet();
    checkout.session = buildSession({ status: 'successful' });
    await wait(1_000);

    expect(headings()).to.deep.equal(['Payment successful']);
    expect(focused()).to.equal(visible('h1')[0]);
  });

  it('the checkout app asks about leaving once for presses made before the question could be seen, and counts each one made after', async () => {
    await open();
    await typeInto(by(app, 'Card number'), '4242');
    const before = Date.now() - 100;
    const soon = () => Date.now() + 100;

    for (const way of ['escape', 'close', 'escape'] as const) app.leave(way, before);
    await quiet();
    expect(headings()).to.deep.equal(['Leave without paying?']);
    expect(sent().slice(2)).to.deep.equal(['stay', 'stay', 'stay']);
    app.leave('escape', soon());
    await quiet();
    expect(by(app, 'Card number').value).to.equal('4242');
    app.leave('escape', soon());
    app.leave('close', soon());

    expect(sent().slice(5)).to.deep.equal(['stay', 'stay', 'close']);
  });

  it('the checkout app ignores the second click of a double click on the screen that the first one led to', async () => {
    await open();
    checkout.responses.submit.push(buildSession({ attempt: buildPrompt({ id: 'attempt-1' }) }));
    const click = (name: string, detail: number) =>
      deep(app, 'button')
        .find((button) => button.textContent?.trim().startsWith(name))!
        .dispatchEvent(
          new MouseEvent('click', { bubbles: true, cancelable: true, composed: true, detail }),
        );
    await press(app, 'Mobile money');
    await typeInto(by(app, 'Phone number'), '0961111111');
    click('Pay', 1);
    await quiet();
    expect(headings()).to.deep.equal(['Approve the payment on your phone']);

    click('Use another number', 2);
    await quiet();
    expect(checkout.withdrawn).to.deep.equal([]);

    click('Use another number', 1);
    await quiet();
    expect(checkout.withdrawn).to.deep.equal(['attempt-1']);
  });

  it('the checkout app takes a held Enter for one press', async () => {
    await open();
    const enter = (repeat: boolean) =>
      new KeyboardEvent('keydown', { key: 'Enter', repeat, cancelable: true });

    expect([false, true].map((repeat) => window.dispatchEvent(enter(repeat)))).to.deep.equal([
      true,
      false,
    ]);
  });

  it('the checkout app takes a held Escape for one press', async () => {
    await open();
    await typeInto(by(app, 'Card number'), '4242');

    for (const repeat of [false, true])
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', repeat }));
    await quiet();

    expect(headings()).to.deep.equal(['Leave without paying?']);
  });

  for (const by of ['close', 'escape', 'backdrop'] as const) {
    it(`the checkout app closes a form at once if it holds only what the shop knew: ${by}`, async () => {
      await open({}, { customer: { firstName: 'Mary', phone: '+260 96 111 1111' } });

      app.leave(by);

      expect(sent().at(-1)).to.equal('close');
    });
  }

  it('the checkout app says that there is no network when Pay is pressed without one, and keeps what was typed', async () => {
    const online = Object.getOwnPropertyDescriptor(Navigator.prototype, 'onLine')!;
    await open();
    Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
    try {
      await payByCard();

      expect(alerts()).to.deep.equal([
        'You are offline. Nothing was sent, and you have not been charged.',
      ]);
      expect(by(app, 'Security code').value).to.equal('123');
      expect(sent()).to.deep.equal(['none', 'shown']);
      const pay = () => deep(app, 'button[type=submit]')[0]?.getAttribute('aria-disabled');
      expect(pay()).to.equal('true');
      await expect(app).to.be.accessible();
      Object.defineProperty(navigator, 'onLine', { ...online, configurable: true });
      window.dispatchEvent(new Event('online'));
      await quiet();
      expect(pay()).to.equal(null);
      expect(alerts()).to.deep.equal([]);
      await wait(10_000);
      expect(checkout.submitted).to.deep.equal([]);
    } finally {
      delete (navigator as { onLine?: boolean }).onLine;
    }
  });

  it('the checkout app shows a busy button while the request is sent again, and then begins like another screen', async () => {
    let respond = (_: Session) => {};
    await open();
    await press(app, 'Mobile money');
    await typeInto(by(app, 'Phone number'), '0961111111');
    checkout.responses.submit.push(buildSession({ attempt: buildPrompt() }));
    await press(app, 'Pay');
    await quiet();
    checkout.session = { ...checkout.session, now: '2026-11-20T10:00:25.000Z' };
    await wait(1_000);
    const declined = { status: 'declined', reasonForFailure: 'Withdrawn by customer' };
    checkout.responses.withdraw.push(buildSession({ attempt: buildPrompt(declined) }));
    checkout.responses.submit.push(new Promise((resolve) => (respond = resolve)));

    visible('button:not(.test)')[0]!.focus();
    await press(app, 'Send the request again');
    await quiet();
    expect(headings()).to.deep.equal(['Approve the payment on your phone']);
    const both = ['Send the request again', 'Use another number or pay by card'];
    expect(buttons()).to.deep.equal(both);
    expect(deep(app, 'button[aria-busy=true]')).to.have.length(1);
    await expect(app).to.be.accessible();
    respond(buildSession({ attempt: buildPrompt({ id: 'attempt-2' }) }));
    await quiet();

    expect(buttons()).to.deep.equal(both);
    expect(deep(app, 'button[aria-disabled=true]')).to.have.length(1);
    const [heading] = visible('h1');
    expect((heading!.getRootNode() as ShadowRoot).activeElement).to.equal(heading);
    expect(announced()).to.equal('Sent again just now');
    expect(words()).to.include('Sent again just now');
    expect(words()).not.to.include('Request sent to your phone');
    checkout.session = buildSession({
      attempt: buildPrompt({ id: 'attempt-2' }),
      now: '2026-11-20T10:00:10.000Z',
    });
    await wait(1_000);
    expect(announced()).to.equal('');
    expect(words()).to.include('Request sent to your phone');
  });

  it('the checkout app says above the form that a cancelled request is over, its number selected, until the next one has a response', async () => {
    await open();
    await press(app, 'Mobile money');
    await typeInto(by(app, 'Phone number'), '0961111111');
    checkout.responses.submit.push(buildSession({ attempt: buildPrompt() }));
    await press(app, 'Pay');
    await quiet();
    const withdrawn = { status: 'declined', reasonForFailure: 'Withdrawn by customer' };
    checkout.responses.withdraw.push(buildSession({ attempt: buildPrompt(withdrawn) }));

    await press(app, 'Use another number or pay by card');
    await quiet();

    expect(words()).to.include('Request cancelled. You have not been charged.');
    expect(announced()).to.equal('Request cancelled. You have not been charged.');
    expect(alerts()).to.deep.equal([]);
    expect(focused()).to.equal(by(app, 'Phone number'));
    const { value, selectionStart, selectionEnd } = by(app, 'Phone number');
    expect([selectionStart, selectionEnd]).to.deep.equal([0, value.length]);
    let respond = (_: Session) => {};
    checkout.responses.submit.push(new Promise((resolve) => (respond = resolve)));
    await press(app, 'Pay');
    await quiet();
    expect(words(), 'Pay does not move').to.include(
      'Request cancelled. You have not been charged.',
    );
    respond(buildSession({ attempt: buildAttempt({ status: 'declined' }) }));
    await quiet();
    expect(words()).not.to.include('Request cancelled. You have not been charged.');
  });

  it('the checkout app says that a request is cancelled although its network has trouble, which is read with the tiles', async () => {
    const networks = NETWORKS.map((network) => ({ ...network, notice: 'slow' as const }));
    await open({ attempt: buildPrompt(), networks });
    const withdrawn = { status: 'declined', reasonForFailure: 'Withdrawn by customer' } as const;
    checkout.responses.withdraw.push(buildSession({ attempt: buildPrompt(withdrawn), networks }));

    await press(app, 'Use another number or pay by card');
    await quiet();

    expect(words().join()).to.include('MTN is slow right now.');
    expect(announced()).to.equal('Request cancelled. You have not been charged.');
  });

  it('the checkout app, after a reload that forgot the number, offers another way to pay, but no second request', async () => {
    await open({ attempt: buildPrompt() });
    checkout.responses.look.push(...Array.from({ length: 40 }, () => failure('not_known')));
    await wait(25_000);

    expect(buttons()).to.deep.equal(['Use another number or pay by card']);
  });

  it('the checkout app says after 5 s that it is still sending, above the form and aloud', async () => {
    const still = 'Still sending. Keep this open: you will not be charged twice.';
    await open();
    let respond = (_: Session) => {};
    checkout.responses.submit.push(new Promise((resolve) => (respond = resolve)));
    await payByCard();
    await wait(4_000);
    expect(words()).not.to.include(still);

    await wait(1_000);

    expect(words()).to.include(still);
    expect(announced()).to.equal(still);
    respond(buildSession({ attempt: DECLINED }));
    await quiet();
    expect(words()).not.to.include(still);
    checkout.responses.submit.push(new Promise(() => {}));
    await payByCard();
    expect(words()).not.to.include(still);
  });

  it('the checkout app explains a decline once, keeps the form less the code, and lets the customer go (D16, T44)', async () => {
    await open();
    checkout.responses.submit.push(buildSession({ attempt: DECLINED }));
    await payByCard();

    expect(alerts()).to.deep.equal([
      'Your bank declined this card. You have not been charged. Try another card or mobile money.',
    ]);
    expect(by(app, 'Name on card').matches(':focus')).to.equal(true);
    expect(by(app, 'Card number').value).to.equal('4242 4242 4242 4242');
    expect(by(app, 'Security code').value).to.equal('');
    expect(deep(app, 'input[name=channel]')).to.have.length(2);
    expect(sent()).to.deep.equal(['none', 'shown', 'unknown', 'none']);
    await expect(app).to.be.accessible();
    app.leave('backdrop');
    app.leave('escape');
    expect(sent().slice(-2)).to.deep.equal(['stay', 'stay']);
    await quiet();
    app.leave('close');
    expect(sent().at(-1)).to.equal('close');
  });

  it('the checkout app asks before leaving after a decline if something else was typed since', async () => {
    await open();
    checkout.responses.submit.push(buildSession({ attempt: DECLINED }));
    await payByCard();
    await typeInto(by(app, 'Card number'), '5555');

    app.leave('close');

    expect(sent().at(-1)).to.equal('stay');
  });

  it('the checkout app shows a reason nobody knew of, as text and cut (T32)', async () => {
    await open({
      attempt: {
        ...DECLINED,
        reasonForFailure: `<img src=x onerror=alert(1)>${'x'.repeat(10_000)}`,
      },
    });

    expect(alerts()[0]).to.match(
      /^Payment declined <img src=x onerror=alert\(1\)>x{92} You have not been charged\./,
    );
  });

  it('the checkout app keeps the code when the service only requires the billing address', async () => {
    await open();
    checkout.responses.submit.push(
      failure('invalid', { path: 'billing.city', code: 'billing-required' }),
    );
    await payByCard();

    expect(by(app, 'Security code').value).to.equal('123');
    expect(by(app, 'City').getAttribute('aria-invalid')).to.equal(null);
    expect(by(app, 'City').matches(':focus')).to.equal(true);
    expect(alerts()).to.deep.equal([]);
  });

  it('the checkout app counts down while the prompt is open, and says aloud when it takes long', async () => {
    await open({ attempt: buildPrompt() });
    expect(headings()).to.deep.equal(['Approve the payment on your phone']);
    expect(sent()).to.deep.equal(['unknown', 'shown']);
    const timer = () => deep(app, '[role=timer]')[0]?.getAttribute('aria-label');
    expect(timer()).to.equal('3:00 left');
    await expect(app).to.be.accessible();

    checkout.session = buildSession({ now: '2026-11-20T10:00:31.000Z', attempt: buildPrompt() });
    await wait(1_000);

    expect(timer()).to.equal('2:29 left');
    expect(deep(app, '[role=status]').at(-1)?.textContent).to.contain('Still waiting');
  });

  it('the checkout app asks before it leaves an open prompt: Escape and Keep waiting go back, a press beside the sheet does nothing, Close and Close anyway leave (D15, T20)', async () => {
    await open({ attempt: buildPrompt() });
    const pressEscape = () => new KeyboardEvent('keydown', { key: 'Escape', cancelable: true });
    const presses = [pressEscape(), pressEscape()];
    const pressedAt = Date.now();
    // clocks tell milliseconds: both were pressed before the first gets its reply
    await waitUntil(() => Date.now() > pressedAt + 1);
    for (const event of presses) window.dispatchEvent(event);
    await quiet();
    expect(headings()).to.deep.equal(['Leave while we wait?']);
    expect(buttons()).to.deep.equal(['Keep waiting', 'Close anyway']);
    await expect(app).to.be.accessible();
    app.leave('backdrop');
    await quiet();
    expect(headings()).to.deep.equal(['Leave while we wait?']);

    for (const goBack of [() => press(app, 'Keep waiting'), () => app.leave('escape')]) {
      await goBack();
      await quiet();
      expect(headings()).to.deep.equal(['Approve the payment on your phone']);
      app.leave();
      await quiet();
    }
    expect(sent().slice(2)).to.deep.equal(['stay', 'stay', 'stay', 'stay', 'stay', 'stay']);
    app.leave('close');
    await press(app, 'Close anyway');
    expect(sent().slice(8)).to.deep.equal(['close', 'close']);
  });

  it('the checkout app says on the leave question that the request is being cancelled, for as long as it is (D47)', async () => {
    let respond = (_: Session) => {};
    await open({ attempt: buildPrompt() });
    checkout.responses.withdraw.push(new Promise((resolve) => (respond = resolve)));
    const question = () =>
      visible('end-screen')[0]!.shadowRoot!.querySelector('#text')!.textContent;
    await press(app, 'Use another number');
    app.leave();
    await quiet();
    expect(headings()).to.deep.equal(['Leave while we wait?']);
    expect(question()).to.equal(
      'We are cancelling the request on your phone. If it still shows there, decline it.',
    );
    await expect(app).to.be.accessible();

    respond(buildSession({ attempt: buildPrompt({ withdrawable: false }) }));
    await quiet();
    expect(headings()).to.deep.equal(['Leave while we wait?']);
    expect(question()).to.contain('The request stays open on your phone.');
  });

  it('the checkout app offers only another number if the shop takes no cards', async () => {
    for (const status of ['pay-offline', 'otp-required'] as const) {
      await open({ channels: ['mobile-money'], attempt: buildPrompt({ status, codesLeft: 3 }) });
      expect(buttons().at(-1)).to.equal('Use another number');
    }
  });

  it('the checkout app offers another number or a card instead of the code, and asks about the code on leaving', async () => {
    const prompt = buildPrompt({ status: 'otp-required', codesLeft: 3 });
    await open({ attempt: prompt });

    await press(app, 'Use another number or pay by card');
    await quiet();
    expect(headings()).to.deep.equal(['Choose how to pay Demo Shop']);
    expect(alerts()).to.deep.equal([]);
    await expect(app).to.be.accessible();
    app.leave('close');
    await quiet();
    expect(headings()).to.deep.equal(['Leave without finishing?']);
    await press(app, 'Finish paying');
    await quiet();
    expect(headings()).to.deep.equal(['Enter the code you were sent']);
    expect(sent()).to.deep.equal(['unknown', 'shown', 'stay']);
    await press(app, 'Use another number or pay by card');
    await quiet();

    checkout.session = buildSession({
      attempt: {
        ...prompt,
        status: 'declined',
        reasonForFailure: 'One-time code not entered in time',
      },
    });
    await wait(1_000);
    expect(alerts()).to.deep.equal([]);
    checkout.responses.submit.push(buildSession({ status: 'successful' }));
    await press(app, 'Card');
    await quiet();
    await payByCard();
    expect(headings()).to.deep.equal(['Payment successful']);
  });

  for (const [what, error, title, code] of [
    ['a used reference (D19)', failure('reference_used'), 'This payment can’t be continued', '04'],
    ['an unknown key (T37)', failure('not_authorized'), 'Payments are not set up here', '09'],
    ['a page that may not pay (T37)', failure('denied'), 'Payments are not set up here', '13'],
    [
      'a currency without a channel (T37)',
      failure('invalid', { path: 'channels', code: 'none-left' }),
      'No payment method available',
      '01',
    ],
    [
      'anything else',
      failure('invalid', { path: 'label', code: 'odd' }),
      'This payment cannot be taken',
      '01',
    ],
  ] as const) {
    const reports = what.startsWith('an unknown key') ? ['unknown-key', 'shown'] : ['shown'];

    it(`the checkout app explains ${what} to the shop's customer, and that nothing was charged`, async () => {
      checkout.responses.open.push(error);
      await open({}, { label: 'Two tickets' }, { facts: FACTS });

      expect(deep(app, '.merchant, .label, .total').map((part) => part.textContent)).to.deep.equal([
        'Demo Shop',
        'Two tickets',
      ]);
      expect(headings()).to.deep.equal([title]);
      expect(words().join()).to.match(/[Nn]othing is charged|not been charged/);
      await expect(app).to.be.accessible();
      app.leave();
      expect(sent().filter((word) => word !== 'none')).to.deep.equal([...reports, 'close']);
    });

    it(`the checkout app explains ${what}, and calls a payment left unconfirmed neither paid nor unpaid (T118)`, async () => {
      checkout.responses.open.push(error);
      await open({}, {}, { isUnconfirmed: true });

      expect(headings()).to.deep.equal([title]);
      expect(words().join()).to.contain(
        `Your earlier payment may have gone through (error\u00a0${code}). Do not pay again yet.`,
      );
      expect(words().join()).not.to.match(/is charged|been charged/);
      await expect(app).to.be.accessible();
      app.leave();
      expect(sent()).to.deep.equal(['unknown', ...reports, 'close']);
    });
  }

  it('the checkout app reports to the page once that the service does not know its key any more (T37)', async () => {
    await open({ attempt: buildPrompt() });
    checkout.responses.look.push(failure('not_authorized'));
    checkout.responses.open.push(failure('not_authorized'));
    await wait(1_000);
    app.leave();

    expect(sent().filter((word) => word === 'unknown-key')).to.have.length(1);
  });

  it('the checkout app repeats on a channel that was opened again what it sent on the one before (T28)', async () => {
    await open({ attempt: buildPrompt() });
    said.length = 0;
    app.repeatReports();

    expect(sent()).to.deep.equal(['unknown', 'shown']);
  });

  it('the checkout app warns two minutes before the time to pay is over, and gets more of it (D37)', async () => {
    const status = () => deep(app, '[role=status]').map((region) => region.textContent?.trim());
    await open({ now: '2026-11-20T10:27:59.000Z', extensionsLeft: 1 });
    expect(buttons()).to.deep.equal(['Pay ZMW 10.00']);

    checkout.session = buildSession({ now: '2026-11-20T10:28:04.000Z', extensionsLeft: 1 });
    await wait(5_000);
    expect(buttons()).to.deep.equal(['Get more time', 'Pay ZMW 10.00']);
    expect(status()).to.deep.equal(['Less than 2 minutes left.']);
    await expect(app).to.be.accessible();

    checkout.responses.extend.push(failure('not_known'));
    await press(app, 'Get more time');
    await quiet();
    expect(buttons()).to.deep.equal(['Get more time', 'Pay ZMW 10.00']);
    expect(deep(app, '.callout p')[0]!.textContent).to.equal(
      'The payment service does not respond',
    );
    expect(status()).to.deep.equal(['The payment service does not respond']);

    checkout.responses.extend.push(
      buildSession({
        now: '2026-11-20T10:28:06.000Z',
        expiresAt: '2026-11-20T10:58:06.000Z',
        extensionsLeft: 0,
      }),
    );
    await press(app, 'Get more time');
    await quiet();
    expect(buttons()).to.deep.equal(['Pay ZMW 10.00']);
    expect(status()).to.deep.equal(['You have more time to pay now.']);
    expect(deep(app, 'h1')[0]!.matches(':focus')).to.equal(true);

    checkout.session = buildSession({
      now: '2026-11-20T10:57:00.000Z',
      expiresAt: '2026-11-20T10:58:06.000Z',
      extensionsLeft: 0,
    });
    await wait(5_000);
    expect(buttons()).to.deep.equal(['Pay ZMW 10.00']);
    expect(status()).to.deep.equal(['Less than 2 minutes left.']);
  });

  it('the checkout app says nothing of a form any longer once another screen has taken its place', async () => {
    const status = () => deep(app, '[role=status]').map((region) => region.textContent?.trim());
    await open({ now: '2026-11-20T10:28:04.000Z', extensionsLeft: 1 });
    checkout.responses.extend.push(buildSession({ expiresAt: '2026-11-20T10:58:06.000Z' }));
    await press(app, 'Get more time');
    await quiet();
    expect(status()).to.deep.equal(['You have more time to pay now.']);

    checkout.session = buildSession({ status: 'failed' });
    await wait(5_000);
    expect(headings()).to.deep.equal(['Time ran out']);
    expect(status()).to.deep.equal(['']);
  });

  it('the checkout app puts the focus back where it was, or to the start (D11)', async () => {
    await open();
    by(app, 'Expiry date').focus();
    app.refocus();
    expect(focused()).to.equal(by(app, 'Expiry date'));

    by(app, 'Expiry date').blur();
    app.refocus();
    expect(focused()).to.equal(by(app, 'Card number'));
  });

  it('the checkout app leaves no listener and no timer behind', async () => {
    await open({ attempt: buildPrompt() });
    app.remove();
    said.length = 0;
    window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }));
    window.dispatchEvent(new Event('online'));
    await clock.advance(60_000);

    expect(clock.waiting).to.equal(0);
    expect(said).to.deep.equal([]);
  });
});
