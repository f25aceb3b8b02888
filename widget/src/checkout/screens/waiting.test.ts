import { expect, fixture, html } from '@open-wc/testing';

import type { SayEvent } from '../parts/field.ts';
import { buildAttempt, buildPrompt } from '../test/stand-in-checkout.ts';
import type { WaitingKind, WaitingScreen } from './waiting.ts';
import './later-screens.ts';

const IDLE = { busy: false, stuck: false };
const CHALLENGE = buildAttempt({ status: '3ds-auth-required', challengeUrl: '/bank.html' });

describe('waiting screen', () => {
  let looks: number;

  beforeEach(() => {
    looks = 0;
  });

  function show(kind: WaitingKind, changes: Partial<WaitingScreen> = {}): Promise<WaitingScreen> {
    const attempt = kind === 'challenge' ? CHALLENGE : buildPrompt();
    return fixture<WaitingScreen>(html`<waiting-screen
      .kind=${kind}
      .attempt=${changes.attempt ?? attempt}
      .amount=${'ZMW 10.00'}
      .secondsLeft=${changes.secondsLeft}
      .partLeft=${changes.secondsLeft && changes.secondsLeft / 180}
      .dialCode=${changes.dialCode ?? ''}
      .testPhone=${changes.testPhone ?? ''}
      .ways=${changes.ways ?? { busy: false, stuck: false }}
      .isLong=${changes.isLong ?? false}
      .isCut=${changes.isCut ?? false}
      .isOffline=${changes.isOffline}
      .look=${
        changes.look ??
        (() => {
          looks += 1;
        })
      }
    ></waiting-screen>`);
  }

  const heading = (screen: WaitingScreen) => screen.shadowRoot!.querySelector('h1')!;
  const text = (screen: WaitingScreen) =>
    screen.shadowRoot!.textContent!.replace(/[^\S\u00a0]+/g, ' ');

  it('the waiting screen says which phone, which network, which amount, how long yet', async () => {
    const screen = await show('prompt', { secondsLeft: 65 });

    expect(heading(screen).textContent).to.equal('Approve the payment on your phone');
    expect(text(screen))
      .to.contain('Enter your MTN PIN on \u2066096\u00a0•••\u00a01111\u2069 to pay ZMW 10.00.')
      .and.contain('1:05');
    await expect(screen).to.be.accessible();
  });

  it('the waiting screen says what to dial if the network has a code for it', async () => {
    const screen = await show('prompt', { dialCode: '*000#' });

    expect(text(screen)).to.contain('No pop-up? Dial \u2066*000#\u2069');
  });

  it('the waiting screen opens the dialler with the code to dial in a browser on Android, where a link may carry it', async () => {
    const browse = (value: string) =>
      Object.defineProperty(navigator, 'userAgent', { value, configurable: true });
    const link = (screen: WaitingScreen) =>
      screen.shadowRoot!.querySelector<HTMLAnchorElement>('li a');
    try {
      browse('Mozilla/5.0 (Linux; Android 10; K)');
      const screen = await show('prompt', { dialCode: '*000#' });
      expect(text(screen)).to.contain('No pop-up? Dial \u2066*000#\u2069');
      expect(link(screen)!.getAttribute('href')).to.equal('tel:*000%23');
      expect(link(screen)!.target).to.equal('_blank');
      for (const linked of ['*165*1#', '111', '*123*45*6#'])
        expect(link(await show('prompt', { dialCode: linked })), linked).to.not.equal(null);

      browse('Mozilla/5.0 (Linux; Android 14; Pixel 8; wv)');
      expect(link(await show('prompt', { dialCode: '*000#' }))).to.equal(null);
    } finally {
      delete (navigator as { userAgent?: string }).userAgent;
    }
  });

  it('the waiting screen links no code to dial that is long, may hold a PIN, or is none, and shows it as text', async () => {
    Object.defineProperty(navigator, 'userAgent', { value: 'Android', configurable: true });
    try {
      for (const dialCode of [
        ...['*115*PIN#', '*115*1234#', '*21*0961111111#', '*2767*3855#', '##002#', '0961111111'],
        ...['*000#;ext=1', '*1*2*3*4*5*6#', 'https://evil.example', '*٠٠٠#'],
      ]) {
        const screen = await show('prompt', { dialCode });
        expect(screen.shadowRoot!.querySelectorAll('li a').length, dialCode).to.equal(0);
        expect(text(screen)).to.contain(`Dial \u2066${dialCode}\u2069`);
      }
    } finally {
      delete (navigator as { userAgent?: string }).userAgent;
    }
  });

  it('the waiting screen says to decline on the phone where the network cannot take the prompt back (D47)', async () => {
    const screen = await show('prompt', { ways: { busy: false, stuck: true } });

    expect(heading(screen).textContent).to.equal('Decline the first request on your phone');
    expect(text(screen)).to.contain('If you approve it after all, the payment goes through.');
    await expect(screen).to.be.accessible();
  });

  for (const [kind, more] of [
    ['prompt', { ways: { busy: false, stuck: true } }],
    ['elsewhere', {}],
  ] as const)
    it(`the waiting screen shows the time left and checks again on a press, where only another device can go on: ${kind}`, async () => {
      let respond = () => {};
      const polled = new Promise<void>((resolve) => (respond = resolve));
      const screen = await show(kind, { ...more, secondsLeft: 65, look: () => polled });
      const said: string[] = [];
      screen.addEventListener('say', (event) => said.push((event as SayEvent).text));
      const button = screen.shadowRoot!.querySelector('button')!;
      expect(screen.shadowRoot!.querySelector('[role=timer]')!.textContent).to.contain('1:05');
      expect(button.textContent).to.equal('Check again');

      button.click();
      await screen.updateComplete;
      expect(button.ariaBusy).to.equal('true');
      respond();
      await polled;
      await screen.updateComplete;

      expect(button.ariaBusy).to.equal('false');
      expect(text(screen)).to.contain('Nothing new yet.');
      expect(said).to.deep.equal(['Nothing new yet.']);
      await expect(screen).to.be.accessible();
    });

  it('the waiting screen shows how long the bank still waits, read out only on request (D37)', async () => {
    const screen = await show('challenge', { secondsLeft: 599 });

    expect(screen.shadowRoot!.querySelector('[role=timer]')!.textContent).to.equal('9:59 left');
  });

  it('the waiting screen says after a while that leaving loses nothing', async () => {
    const screen = await show('prompt', { isLong: true });

    expect(text(screen)).to.contain('Still waiting.');
    await expect(screen).to.be.accessible();
  });

  for (const [kind, title] of [
    ['confirming', 'Confirming your payment'],
    ['elsewhere', 'This payment is under way'],
    ['unsure', 'Your payment is being confirmed'],
  ] as const) {
    it(`the waiting screen says "${title}" and takes the focus: ${kind}`, async () => {
      const screen = await show(kind);
      screen.focusStart();

      expect(screen.shadowRoot!.activeElement).to.equal(heading(screen));
      expect(heading(screen).textContent).to.equal(title);
      await expect(screen).to.be.accessible();
    });
  }

  it('the waiting screen says that the service does not respond, or that the connection is lost if the browser says so (D14)', async () => {
    for (const [kind, isOffline, words] of [
      ['unsure', false, 'The payment service does not respond. Please don’t pay again.'],
      ['unsure', true, 'Connection lost. Please don’t pay again.'],
      ['prompt', false, 'The payment service does not respond. Please don’t pay again.'],
      ['confirming', true, 'Connection lost. Please don’t pay again.'],
    ] as const) {
      const screen = await show(kind, { isCut: true, isOffline });
      expect(text(screen)).to.contain(words);
    }
  });

  for (const kind of ['unsure', 'confirming'] as const)
    it(`the waiting screen offers to check again while the service does not respond: ${kind}`, async () => {
      const screen = await show(kind, { isCut: true, secondsLeft: 1_000 });

      screen.shadowRoot!.querySelector('button')!.click();

      expect(looks).to.equal(1);
      if (kind === 'unsure') expect(text(screen)).to.contain('16:40 left');
    });

  it('the waiting screen offers no other way to pay while the connection is cut', async () => {
    let changes = 0;
    const change = { name: 'Use another number', act: () => (changes += 1) };
    const screen = await show('prompt', { isCut: true, ways: { ...IDLE, change } });
    const button = screen.shadowRoot!.querySelector('button')!;

    button.click();

    expect([button.textContent, button.ariaDisabled, changes]).to.deep.equal([
      'Use another number',
      'true',
      0,
    ]);
  });

  it('the waiting screen keeps every button in its place while a prompt is cancelled or sent again (B14)', async () => {
    const ways = { ...IDLE, change: { name: 'Use another number', act() {} }, repeat() {} };
    const screen = await show('prompt', { ways });
    const places = () =>
      [...screen.shadowRoot!.querySelectorAll('button')].map((each) => each.offsetTop);
    const before = places();

    for (const isRepeating of [true, false]) {
      screen.ways = { ...ways, busy: true, isRepeating };
      await screen.updateComplete;
      expect(places()).to.deep.equal(before);
    }
    expect(text(screen)).to.contain('Cancelling the request on your phone…');
    await expect(screen).to.be.accessible();
  });

  it('the waiting screen frames the page of the bank, which may not steer the windows around it (T34)', async () => {
    const screen = await show('challenge');
    const frame = screen.shadowRoot!.querySelector('iframe')!;

    expect(frame.title).to.equal('Card verification');
    expect(frame.getAttribute('src')).to.equal('/bank.html');
    expect(frame.sandbox.value).not.to.contain('top-navigation');
    expect(screen.shadowRoot!.querySelector('a')!.target).to.equal('_blank');
  });

  it('the waiting screen sends the customer to a window of its own, and names allow-forms to the developer, if the page blocks forms (T127)', async () => {
    const { error } = console;
    const printed: string[] = [];
    console.error = (line: string) => printed.push(line);
    const block = (event: Event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    expect(text(await show('challenge'))).not.to.contain('can’t open here');
    window.addEventListener('submit', block, true);
    const screen = await show('challenge');
    window.removeEventListener('submit', block, true);
    console.error = error;

    expect(text(screen)).to.contain('can’t open here').and.not.to.contain('allow-forms');
    expect(printed.join()).to.contain('allow-forms').and.contain('allow-popups');
    await expect(screen).to.be.accessible();
  });

  it('the waiting screen polls when the page of the bank posts anything, and for no other window (T34)', async () => {
    const screen = await show('challenge', {
      attempt: { ...CHALLENGE, challengeUrl: 'about:blank' },
    });
    const frame = screen.shadowRoot!.querySelector('iframe')!;

    window.dispatchEvent(new MessageEvent('message', { data: { paid: true }, source: window }));
    expect(looks).to.equal(0);
    window.dispatchEvent(
      new MessageEvent('message', { data: { paid: true }, source: frame.contentWindow }),
    );
    expect(looks).to.equal(1);
    screen.remove();
    window.dispatchEvent(new MessageEvent('message', { data: { paid: true }, source: window }));
    expect(looks).to.equal(1);
  });
});
