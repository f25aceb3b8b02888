import { expect } from '@open-wc/testing';

import './define.ts';
import { getPaid, type PaymentOptions } from './get-paid.ts';
import type { PaymentHandle } from './payment.ts';
import { configure } from './service.ts';
import { find, findSoon, openedFrame, serviceOrigin, until } from './test/stand-in-frame.ts';

const ORDER = {
  key: 'pub_sandbox_demo',
  email: 'ann@example.com',
  reference: 'order-1',
  amount: 10,
};

describe('the language of the page’s side', () => {
  const root = document.documentElement;
  const { error } = console;
  let handle: PaymentHandle | undefined;

  const open = (more: Partial<PaymentOptions> = {}) => {
    handle = getPaid({ ...ORDER, ...more });
  };
  const dialog = () => find<HTMLDialogElement>('dialog')!;
  const names = () => [
    dialog().getAttribute('aria-label'),
    find('.close')!.getAttribute('aria-label'),
  ];

  beforeEach(() => {
    configure({ serviceUrl: serviceOrigin });
    console.error = () => {};
  });

  afterEach(() => {
    handle?.close();
    root.lang = 'en';
    console.error = error;
  });

  it('the language of the page’s side is the page’s: direction at once, words as soon as they are there, and the frame gets the same (D23)', async () => {
    root.lang = 'fr-ZM';
    open({ label: 'Café' });

    expect([dialog().lang, dialog().dir]).to.deep.equal(['en', 'ltr']);
    await until(() => names()[0] === 'Paiement: Café');
    expect(names()[1]).to.equal('Fermer');
    expect(dialog().lang).to.equal('fr');
    const frame = await openedFrame();
    const opening = await frame.receives('service-pay:open');
    expect(opening).to.have.nested.property('request.locale', 'fr-ZM');
  });

  for (const lang of ['', 'xx', '../../x', '__proto__']) {
    it(`the language of the page’s side is the browser’s where the page says ${JSON.stringify(lang)} (D23, T22)`, async () => {
      root.lang = lang;
      open({ locale: '<script>' });

      expect(dialog().lang).to.equal('en');
      const frame = await openedFrame();
      const opening = await frame.receives('service-pay:open');
      expect(opening).to.have.nested.property('request.locale').that.matches(/^en/);
    });
  }

  it('the page’s side turns right to left before its words are there, and stays English if they cannot be had', async () => {
    open({ locale: 'ar' });

    expect(dialog().dir).to.equal('rtl');
    await openedFrame();
    expect([dialog().lang, dialog().dir]).to.deep.equal(['en', 'rtl']);
    expect(names()).to.deep.equal(['Payment', 'Close payment']);
  });

  it('the language of the page’s side follows the customer’s choice in the frame, to and fro, also where the frame loads again', async () => {
    open();
    const frame = await openedFrame();
    frame.says({ type: 'shown' });
    frame.says({ type: 'language', language: 'fr' });
    await until(() => names()[1] === 'Fermer');

    frame.does('reload');
    const opening = await frame.receives('service-pay:open', 2);
    expect(opening).to.have.nested.property('request.locale', 'fr');
    frame.says({ type: 'language', language: 'xx' });
    frame.says({ type: 'language', language: 'en' });
    await until(() => names()[1] === 'Close payment');
    expect(dialog().lang).to.equal('en');
  });

  it('the language of the page’s side changes a notice that is already shown', async () => {
    open({ key: 'pub_old' });
    const alert = await findSoon('.stopped [role=alert]');
    expect(alert.textContent).to.contain('too old');
    handle?.close();

    open({ key: 'pub_old', locale: 'fr' });
    await findSoon('.stopped [role=alert]');
    await until(() => dialog().lang === 'fr');
    expect(find('.stopped [role=alert]')!.textContent, 'a word the file lacks').to.contain(
      'too old',
    );
    expect(names()[1]).to.equal('Fermer');
  });

  it('the language of the page’s side is that of the element’s own button, which waits for nothing', async () => {
    const element = document.createElement('service-pay');
    element.serviceUrl = serviceOrigin;
    element.locale = 'fr';
    document.body.append(element);
    const button = element.shadowRoot!.querySelector('button')!;

    expect(button.textContent).to.equal('Pay');
    await until(() => button.textContent === 'Payer');
    expect(button.lang).to.equal('fr');
    element.setAttribute('locale', 'en');
    await until(() => button.textContent === 'Pay');
    element.remove();
  });
});
