import { expect, fixture, html } from '@open-wc/testing';
import type { Session } from '@service-pay/contract/checkout-api';
import type { FrameMessage } from '@service-pay/contract/frame-messages';

import type { CheckoutApp } from '../app.ts';
import '../app.ts';
import { allWords } from '../language/messages/all-words.ts';
import { type Catalogue, loadCatalogue } from '../language/messages/messages.ts';
import * as screens from '../screens/later-screens.ts';
import { by, deep, press, typeInto } from '../test/hands.ts';
import {
  buildAttempt,
  buildPrompt,
  buildSession,
  REQUEST,
  StandInCheckout,
  settleAll,
  TestClock,
} from '../test/stand-in-checkout.ts';

describe('the language of the frame', () => {
  const root = document.documentElement;
  let checkout: StandInCheckout;
  let clock: TestClock;
  let app: CheckoutApp;
  let said: FrameMessage[];

  beforeEach(() => {
    checkout = new StandInCheckout();
    clock = new TestClock();
    said = [];
  });

  afterEach(() => {
    root.lang = 'en';
    root.dir = 'ltr';
  });

  async function open(
    locale: string,
    session: Partial<Session> = {},
    load = loadCatalogue,
    preview?: Session,
  ): Promise<void> {
    await loadCatalogue(locale);
    checkout.session = buildSession(session);
    const send = (message: FrameMessage) => void said.push(message);
    const deps = {
      checkout,
      clock,
      newId: () => 'attempt-1',
      request: REQUEST,
      preview,
      locale,
      loadCatalogue: load,
      send,
    };
    app = await fixture<CheckoutApp>(
      html`<checkout-app .deps=${deps} .screens=${screens}></checkout-app>`,
    );
    await quiet();
  }

  async function quiet(): Promise<void> {
    await settleAll(app);
  }

  const select = () => deep(app, 'select')[0] as HTMLSelectElement;
  const headings = () => deep(app, 'h1').map((heading) => heading.textContent?.trim());
  const status = () => deep(app, 'p[role=status]').map((region) => region.textContent?.trim());
  const languagesSaid = () =>
    said.flatMap((message) => (message.type === 'language' ? [message.language] : []));
  const written = () => [root.lang, root.dir];

  async function choose(language: string): Promise<void> {
    select().focus();
    select().value = language;
    select().dispatchEvent(new Event('change', { bubbles: true }));
    const { words } = await loadCatalogue(language);
    await quiet();
    expect(document.title).to.equal(words.title);
  }

  it('the frame switches all words and the direction at once, and keeps what is typed and where the focus is', async () => {
    await open('en');
    await typeInto(by(app, 'Card number'), '4242 4242 42');
    await typeInto(by(app, 'Name on card'), 'Mary Banda');
    await press(app, 'Pay');

    await choose('ar');

    expect(written()).to.deep.equal(['ar', 'rtl']);
    expect(by(app, 'رقم البطاقة').value).to.equal('4242 4242 42');
    expect(by(app, 'الاسم على البطاقة').value).to.equal('Mary Banda');
    expect((select().getRootNode() as ShadowRoot).activeElement).to.equal(select());
    expect(status()).to.deep.equal(['يُعرض الدفع الآن بالعربية.']);
    expect(languagesSaid()).to.deep.equal(['ar']);
    await clock.advance(2_500); // the next poll leaves it to be read
    await quiet();
    expect(status()).to.deep.equal(['يُعرض الدفع الآن بالعربية.']);
    const texts = deep(app, 'p, label, legend, h1, h2, button span, a')
      .filter((element) => !element.childElementCount && !element.closest('bdi'))
      .map((element) => element.textContent?.trim() ?? '');
    const names = /ServicePay|Demo Shop|ZMW|MTN|Airtel|Zamtel|Visa/g;
    expect(texts.filter((text) => /[a-z]{3}/i.test(text.replace(names, '')))).to.deep.equal([]);
    await expect(app).to.be.accessible();

    await choose('en');
    expect(written()).to.deep.equal(['en', 'ltr']);
    expect(by(app, 'Card number').value).to.equal('4242 4242 42');
  });

  it('the frame switches its language while an attempt waits for the session and while it is sent, which goes on, once', async () => {
    let respondToOpen!: (session: Session) => void;
    let respondToSubmit!: (session: Session) => void;
    checkout.responses.open.push(new Promise((resolve) => (respondToOpen = resolve)));
    checkout.responses.submit.push(new Promise((resolve) => (respondToSubmit = resolve)));
    await open('en', {}, loadCatalogue, buildSession());
    await typeInto(by(app, 'Card number'), '4242 4242 4242 4242');
    await typeInto(by(app, 'Expiry date'), '12/34');
    await typeInto(by(app, 'Security code'), '123');
    await typeInto(by(app, 'Name on card'), 'Mary Banda');
    await press(app, 'Pay');
    const isBusy = () => deep(app, 'button[aria-busy=true]').length;

    await choose('fr');
    expect([isBusy(), checkout.submitted.length]).to.deep.equal([1, 0]);
    respondToOpen(buildSession());
    await quiet();
    await choose('pt');
    expect([isBusy(), checkout.submitted.length]).to.deep.equal([1, 1]);
    respondToSubmit(
      buildSession({ status: 'successful', attempt: buildAttempt({ status: 'successful' }) }),
    );
    await quiet();

    expect(checkout.submitted).to.have.length(1);
    expect(headings()).to.deep.equal([allWords((await loadCatalogue('pt')).words).successTitle]);
    expect(languagesSaid()).to.deep.equal(['fr', 'pt']);
  });

  it('the frame keeps numbers from left to right in Arabic, and the corner of Close free at the end of the line', async () => {
    await open('ar');

    for (const label of ['رقم البطاقة', 'تاريخ الانتهاء', 'رمز الأمان'])
      expect(getComputedStyle(by(app, label)).direction).to.equal('ltr');
    expect(getComputedStyle(by(app, 'الاسم على البطاقة')).direction).to.equal('rtl');
    const head = deep(app, '.head')[0]!;
    expect(Number.parseFloat(getComputedStyle(head).paddingLeft)).to.be.at.least(48);
    expect(deep(app, '.total')[0]!.textContent).to.contain('\u206610.00 ZMW\u2069');
    expect(app.scrollWidth).to.equal(app.clientWidth);
  });

  const states: Record<string, [Partial<Session>, string]> = {
    'the prompt': [{ attempt: buildPrompt() }, 'Idhinisha malipo kwenye simu yako'],
    'the one-time code': [
      { attempt: buildAttempt({ channel: 'mobile-money', status: 'otp-required', codesLeft: 3 }) },
      'Weka namba uliyotumiwa',
    ],
    'the challenge': [
      { attempt: buildAttempt({ status: '3ds-auth-required', challengeUrl: 'about:blank' }) },
      'Thibitisha na benki yako',
    ],
    'the end': [{ status: 'successful' }, 'Malipo yamefanikiwa'],
  };
  for (const [state, [session, heading]] of Object.entries(states)) {
    it(`the language of the frame can be switched at ${state}`, async () => {
      await open('en', session);

      await choose('sw');

      expect(headings()).to.deep.equal([heading]);
      expect((select().getRootNode() as ShadowRoot).activeElement).to.equal(select());
      expect(select().getBoundingClientRect().height).to.be.at.least(44);
    });
  }

  it('the frame explains a reason of a decline that it knows, and quotes another as the service says it, marked as English (T40)', async () => {
    await open('fr', {
      attempt: buildAttempt({ status: 'declined', reasonForFailure: 'Monthly limit reached' }),
    });

    const alert = deep(app, '[role=alert]')[0]!;
    expect(alert.querySelector('bdi[lang=en]')?.textContent).to.equal('Monthly limit reached');
    expect(alert.textContent).to.contain('Votre compte n’a pas été débité.');
  });

  it('the language of the frame is requested beside the session; the form comes in its words, or in English after two seconds (D23)', async () => {
    let arrive!: (catalogue: Catalogue) => void;
    const late = new Promise<Catalogue>((resolve) => {
      arrive = resolve;
    });
    await open('fr', {}, () => late);

    expect(written()).to.deep.equal(['fr', 'ltr']);
    expect(deep(app, 'input, select')).to.deep.equal([]);
    await clock.advance(2_000);
    await quiet();
    await typeInto(by(app, 'Card number'), '4242 4242 42');

    arrive(await loadCatalogue('fr'));
    await quiet();
    expect(by(app, 'Numéro de carte').value).to.equal('4242 4242 42');
    expect(languagesSaid()).to.deep.equal([]);
  });

  it('the frame is English if its words cannot be loaded: the page is notified, the payment goes on, and a switch that fails changes nothing', async () => {
    await open('fr', {}, async (locale) =>
      locale === 'sw' ? loadCatalogue(locale) : Promise.reject(new Error('no such file')),
    );

    expect(headings()).to.deep.equal(['Choose how to pay Demo Shop']);
    expect(written()).to.deep.equal(['en', 'ltr']);
    expect(languagesSaid()).to.deep.equal(['en']);
    await choose('sw');
    select().value = 'ar';
    select().dispatchEvent(new Event('change', { bubbles: true }));
    await quiet();
    expect(select().value).to.equal('sw');
    expect(written()).to.deep.equal(['sw', 'ltr']);
    expect(languagesSaid()).to.deep.equal(['en', 'sw']);
  });
});
