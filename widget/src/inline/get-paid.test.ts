import { expect } from '@open-wc/testing';
import { isServicePayError } from './errors.ts';
import { getPaid, type PaymentOptions, preload } from './get-paid.ts';
import type { PaymentHandle } from './payment.ts';
import { configure } from './service.ts';
import {
  find,
  findSoon,
  openedFrame,
  type StandInFrame,
  serviceOrigin,
  until,
} from './test/stand-in-frame.ts';

const ORDER = {
  key: 'pub_sandbox_demo',
  email: 'ann@example.com',
  reference: 'order-1',
  amount: 10,
};

describe('getPaid', () => {
  let orders = 0;
  let reported: string[];
  let handle: PaymentHandle | undefined;
  let warnings: string[];
  const { warn, error } = console;

  const open = (more: Partial<PaymentOptions> = {}): PaymentHandle => {
    handle = getPaid({
      ...ORDER,
      onSuccess: ({ reference }) => reported.push(`success ${reference}`),
      onClose: () => reported.push('closed'),
      onConfirmationPending: () => reported.push('confirmation-pending'),
      ...more,
    });
    return handle;
  };

  beforeEach(() => {
    ORDER.reference = `order-${++orders}`;
    document.documentElement.lang = 'en';
    configure({ serviceUrl: serviceOrigin });
    reported = [];
    warnings = [];
    console.warn = (text: string) => warnings.push(text);
    console.error = (text: string) => warnings.push(text);
  });

  afterEach(() => {
    handle?.close();
    sessionStorage.clear();
    Object.assign(console, { warn, error });
    expect(find('dialog'), 'a dialog is left').to.equal(undefined);
    expect(find('iframe'), 'a frame is left').to.equal(undefined);
    expect(document.adoptedStyleSheets, 'the page is still locked').to.deep.equal([]);
  });

  it('getPaid shows a dialog in the same task, named Payment, with a button to close it', () => {
    open({ label: 'Coffee' });

    const dialog = find<HTMLDialogElement>('dialog')!;
    expect(dialog.matches(':modal')).to.equal(true);
    expect(dialog.ariaLabel).to.equal('Payment: Coffee');
    expect(find('[part=close]', dialog)!.ariaLabel).to.equal('Close payment');
  });

  it('getPaid hands the frame the request as it was read, and nothing personal in its address', async () => {
    open({ email: 'ann@example.com', customer: { firstName: 'Ann' }, amount: 0.1 + 0.2 });
    const frame = await openedFrame();

    const [opening] = frame.received('service-pay:open');
    expect(opening).to.deep.include({
      request: {
        key: ORDER.key,
        email: ORDER.email,
        reference: ORDER.reference,
        amount: '0.30',
        customer: { firstName: 'Ann' },
        locale: 'en',
      },
    });
    const address = new URL(frame.element.src);
    expect([...address.searchParams]).to.deep.equal([
      ['key', ORDER.key],
      ['origin', location.origin],
    ]);
    expect(frame.element.title).to.equal('Secure payment');
  });

  it('getPaid registers no element before the first popup, and then one that Lit updates', async () => {
    open();

    const popup = find('service-pay-popup')!;
    expect(customElements.get('service-pay-popup')).to.equal(popup.constructor);
    expect(
      await (popup as HTMLElement & { updateComplete: Promise<boolean> }).updateComplete,
    ).to.equal(true);
  });

  it('getPaid shows the label at once and the amount right after, where the frame will draw them', async () => {
    open({ label: 'Two tickets', amount: 1234.5, currency: 'ZMW' });

    const text = () => find('.head')!.textContent!.replaceAll('\u00a0', ' ');
    expect(text()).to.equal('Two tickets');
    await until(() => text() === 'Two ticketsZMW 1,234.50');
  });

  for (const locale of ['fr', 'fr_CA', 'fr-!!!']) {
    it(`getPaid formats the amount of the skeleton in the language of the popup: ${locale}`, async () => {
      open({ amount: 1234.5, currency: 'ZMW', locale });

      const text = () => find('.skeleton .amount')!.textContent!.replaceAll(/\s/g, ' ');
      await until(() => text() === '1 234,50 ZMW');
    });
  }

  it('the popup is as high as the frame says its content is, as far as the screen allows', async () => {
    open();
    const frame = await openedFrame();
    const heightOf = () => find('[part=dialog]')!.getBoundingClientRect().height;
    frame.says({ type: 'height', px: 333 });
    await until(() => heightOf() === 333);

    frame.says({ type: 'height', px: 50_000 });
    await until(() => heightOf() === Math.max(innerHeight - 48, Math.min(innerHeight, 440)));
    for (const px of [Number.NaN, -4, '12', Number.POSITIVE_INFINITY])
      frame.says({ type: 'height', px });
    frame.says({ type: 'height', px: 222 });
    await until(() => heightOf() === 222);
  });

  it('the popup shows the frame and gives it the focus once it can be used', async () => {
    open();
    const frame = await openedFrame();
    expect(frame.element.inert).to.equal(true);

    frame.says({ type: 'shown' });

    await until(() => !frame.element.inert);
    expect((frame.element.getRootNode() as ShadowRoot).activeElement).to.equal(frame.element);
  });

  it('getPaid calls onSuccess once, with the reference, after the popup has gone (D1, D2)', async () => {
    const goneAtCallback: boolean[] = [];
    const { result } = open({
      onSuccess: ({ reference }) =>
        goneAtCallback.push(!find('dialog') && reference === ORDER.reference),
    });
    const frame = await openedFrame();
    frame.says({ type: 'shown' });
    frame.says({ type: 'money', state: 'unknown' });
    frame.says({ type: 'money', state: 'paid' });
    frame.says({ type: 'close' });

    expect(await result).to.deep.equal({ outcome: 'success', reference: ORDER.reference });
    expect(goneAtCallback).to.deep.equal([true]);
  });

  it('getPaid reports what a callback throws or rejects with, once, and resolves all the same (D2, T12)', async () => {
    const reported: unknown[] = [];
    const report = globalThis.reportError;
    globalThis.reportError = (problem: unknown) => reported.push(problem);
    const thrown = open({
      onClose: () => {
        throw new Error('thrown');
      },
    });
    thrown.close();
    const rejected = open({ onClose: () => Promise.reject(new Error('rejected')) });
    rejected.close();

    expect((await thrown.result).outcome).to.equal('closed');
    expect((await rejected.result).outcome).to.equal('closed');
    await until(() => reported.length === 2);
    globalThis.reportError = report;
    expect(String(reported)).to.equal('Error: thrown,Error: rejected');
  });

  it('getPaid calls no callback that another script put on the root prototype (T3)', () => {
    const root = Object.prototype as { onClose?: () => void };
    root.onClose = () => reported.push('foreign');
    try {
      handle = getPaid(ORDER);
      handle.close();
    } finally {
      delete root.onClose;
    }

    expect(reported).to.deep.equal([]);
  });

  it('getPaid opens again from within a callback (T12)', async () => {
    const again: PaymentHandle[] = [];
    open({ onClose: () => again.push(open({ reference: 'another' })) }).close();

    expect(again[0]!.reference).to.equal('another');
    expect(find('dialog')).to.not.equal(undefined);
  });

  it('getPaid names every broken rule at once and opens nothing (D4)', () => {
    let problem: unknown;
    try {
      open({ amount: -1, reference: 'a b', email: '' });
    } catch (error) {
      problem = error;
    }

    expect(
      isServicePayError(problem) &&
        [problem.code, ...problem.problems.map(({ path }) => path)].sort(),
    ).to.deep.equal(['amount', 'email', 'invalid_options', 'reference']);
    expect(find('dialog')).to.equal(undefined);
    expect(reported).to.deep.equal([]);
  });

  it('getPaid never prints a secret given as key (D10, T7)', () => {
    expect(() => open({ key: 'sec_live_abc123' }))
      .to.throw(/key/)
      .with.property('message')
      .that.does.not.contain('abc123');
  });

  it('getPaid names members it does not know, once (D5)', () => {
    open({ metadata: 'x', onError: 'y' } as Partial<PaymentOptions>);

    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain('metadata, onError');
  });

  it('getPaid returns the same handle for the same payment and rejects any other while one is open (D11, T11)', () => {
    const first = open();

    expect(open({ onClose: () => reported.push('second') })).to.equal(first);
    expect(() => getPaid({ ...ORDER, amount: 11 }))
      .to.throw()
      .with.property('code', 'already_open');
    expect(() => getPaid({ ...ORDER, reference: 'another' }))
      .to.throw()
      .with.property('code', 'already_open');

    first.close();
    expect(reported).to.deep.equal(['closed']);
  });

  it('the popup checks with the frame before it closes, at each press, and stays when the frame says so (D15, T20)', async () => {
    open();
    const frame = await openedFrame();
    frame.says({ type: 'shown' });
    frame.says({ type: 'money', state: 'unknown' });
    await until(() => !frame.element.inert);
    for (let press = 0; press < 3; press++) pressEscape();
    await frame.receives('leave', 3);
    find('[part=close]')!.focus();
    frame.says({ type: 'money', state: 'none' });
    frame.says({ type: 'stay' });
    await until(() => (frame.element.getRootNode() as ShadowRoot).activeElement === frame.element);

    pressEscape();
    await frame.receives('leave', 4);
    expect(find('dialog')).to.not.equal(undefined);
    frame.says({ type: 'close' });

    await handle!.result;
    expect(reported).to.deep.equal(['closed']);
  });

  it('the popup takes a double click on Close, or a held Escape, for one press', async () => {
    open();
    const frame = await openedFrame();
    frame.says({ type: 'shown' });
    await until(() => !frame.element.inert);
    for (const detail of [1, 2])
      find('[part=close]')!.dispatchEvent(
        new MouseEvent('click', { bubbles: true, composed: true, detail }),
      );
    for (const repeat of [false, true]) pressEscape(repeat);
    find('[part=close]')!.click();

    await frame.receives('leave', 3);
    expect(waysToLeave(frame)).to.deep.equal(['close', 'escape', 'close']);
  });

  it('the popup does not wait longer than a second for a frame that does not respond', async () => {
    open();
    const frame = await openedFrame();
    frame.says({ type: 'money', state: 'unknown' });
    frame.says({ type: 'shown' });
    await until(() => !frame.element.inert);
    find('[part=close]')!.click();

    expect((await handle!.result).outcome).to.equal('confirmation-pending');
    expect(reported).to.deep.equal(['confirmation-pending']);
  });

  it('the popup reports to the frame whether Close, Escape or a press beside the sheet means to leave', async () => {
    open();
    const frame = await openedFrame();
    frame.says({ type: 'shown' });
    await until(() => !frame.element.inert);
    const leaveBy = [
      () => find('[part=close]')!.click(),
      () => pressEscape(),
      () => clickBeside(1_000),
    ];
    for (const [times, leave] of leaveBy.entries()) {
      leave();
      await frame.receives('leave', times + 1);
      frame.says({ type: 'money', state: 'none', turn: times + 1 });
      frame.says({ type: 'stay' });
      await until(() => frame.received('noted').length === times + 1);
    }

    expect(waysToLeave(frame)).to.deep.equal(['close', 'escape', 'backdrop']);
  });

  it('the popup stays open although the browser closes the dialog by itself (T20)', async () => {
    open();
    const frame = await openedFrame();
    const dialog = find<HTMLDialogElement>('dialog')!;
    dialog.close();

    await frame.receives('leave');
    expect(dialog.matches(':modal')).to.equal(true);
  });

  it('the popup closes by a click beside the card while nothing is loaded, as nothing was submitted (D13)', () => {
    open();
    clickBeside(1_000);

    expect(reported).to.deep.equal(['closed']);
  });

  it('the popup stays open at the second click of a double click on the button that opened it', () => {
    open();
    clickBeside(100);

    expect(reported).to.deep.equal([]);
  });

  function clickBeside(laterMs: number): void {
    const click = new MouseEvent('click', { bubbles: true, composed: true });
    Object.defineProperty(click, 'timeStamp', { value: performance.now() + laterMs });
    find('[part=backdrop]')!.dispatchEvent(click);
  }

  it('a popup that is opened again before its end was known is not closed until the frame has reported its state (D14, D17)', async () => {
    open();
    (await openedFrame()).says({ type: 'money', state: 'unknown', turn: 1 });
    await (await openedFrame()).receives('noted');
    handle!.close();
    open().close();
    expect(reported).to.deep.equal(['confirmation-pending', 'confirmation-pending']);

    open();
    const frame = await openedFrame();
    expect(frame.received('service-pay:open')[0]).to.deep.include({ unconfirmed: true });
    frame.says({ type: 'money', state: 'none', turn: 1 });
    await frame.receives('noted');
    expect(sessionStorage).to.have.length(0);
    handle!.close();
    open().close();
    expect(reported.slice(2)).to.deep.equal(['closed', 'closed']);
  });

  it('getPaid stores only the service and the reference, before the frame may send anything (T118)', async () => {
    open({ customer: { firstName: 'Ann', phone: '0960000000' } });
    const frame = await openedFrame();
    expect(frame.received('service-pay:open')[0]).to.deep.include({ unconfirmed: false });
    expect(sessionStorage).to.have.length(0);
    frame.says({ type: 'money', state: 'unknown', turn: 1 });
    await frame.receives('noted');

    expect(Object.entries(sessionStorage)).to.deep.equal([
      ['service-pay unconfirmed', `${serviceOrigin}/${ORDER.reference}`],
    ]);
  });

  it('getPaid notifies a frame that loads again that money may move, and resumes with it: a new port, the same request (T28, T118)', async () => {
    open();
    const frame = await openedFrame();
    frame.says({ type: 'money', state: 'unknown' });
    frame.does('reload');

    const [first] = frame.received('service-pay:open');
    const again = await frame.receives('service-pay:open', 2);
    expect(again).to.deep.equal({ ...first, unconfirmed: true });
    frame.says({ type: 'money', state: 'paid' });
    frame.says({ type: 'close' });
    expect((await handle!.result).outcome).to.equal('success');
  });

  it('a payment stays unconfirmed after success if the next frame does not load (D13, D18)', async () => {
    open();
    const frame = await openedFrame();
    frame.says({ type: 'money', state: 'paid' });
    frame.says({ type: 'close' });
    await handle!.result;
    open().close();

    expect(reported).to.deep.equal([`success ${ORDER.reference}`, 'confirmation-pending']);
  });

  it('the popup closes by code without a question: twice, or at once, is one outcome (T13)', async () => {
    const { result, close } = open();
    close();
    close();

    expect(await result).to.deep.equal({ outcome: 'closed', reference: ORDER.reference });
    expect(reported).to.deep.equal(['closed']);
  });

  it('the popup keeps presses and keys in it from the page', async () => {
    const seen: string[] = [];
    const note = ({ type }: Event) => seen.push(type);
    for (const type of ['click', 'keydown', 'pointerdown', 'focusin'])
      document.addEventListener(type, note);
    open();
    pressEscape();
    open();
    find('[part=close]')!.click();
    for (const type of ['click', 'keydown', 'pointerdown', 'focusin'])
      document.removeEventListener(type, note);

    expect(seen).to.deep.equal([]);
    expect(reported).to.deep.equal(['closed', 'closed']);
  });

  it('the popup covers the page for 300 ms after it has gone, so that a late tap presses nothing', async () => {
    const isCovered = () => document.elementFromPoint(5, 5) !== document.documentElement;
    await until(() => !isCovered());
    open().close();

    expect(isCovered()).to.equal(true);
    await until(() => !isCovered());
  });

  describe('with motion', () => {
    const { matchMedia } = globalThis;

    before(() => {
      globalThis.matchMedia = (query) =>
        matchMedia(query.includes('reduced-motion') ? 'all and (width < 0)' : query);
    });

    after(() => {
      globalThis.matchMedia = matchMedia;
    });

    it('getPaid with motion calls back once the sheet has left the page, and covers the page a little longer (D2)', async () => {
      const button = document.body.appendChild(document.createElement('button'));
      button.focus();
      const isCovered = () => document.elementFromPoint(5, 5) !== document.documentElement;
      const { result, close } = open({
        onClose: () => {
          reported.push(find('dialog') ? 'there' : 'gone', isCovered() ? 'covered' : 'open');
        },
      });
      close();
      expect([reported.length, isCovered()]).to.deep.equal([0, true]);

      expect((await result).outcome).to.equal('closed');
      expect(reported).to.deep.equal(['gone', 'covered']);
      expect(document.activeElement).to.equal(button);
      await until(() => !isCovered());
      button.remove();
    });

    it('getPaid with motion opens for something else while a sheet is leaving, after its callback', async () => {
      open().close();
      const another = open({
        reference: `${ORDER.reference}-b`,
        onClose: () => reported.push('b'),
      });
      expect(reported).to.deep.equal(['closed']);

      another.close();
      await another.result;
      expect(reported).to.deep.equal(['closed', 'b']);
    });

    it('getPaid with motion calls back at once if the page takes the leaving sheet out', () => {
      open().close();
      find('service-pay-popup')!.remove();

      expect(reported).to.deep.equal(['closed']);
    });
  });

  it('the popup gives the focus back to what was pressed if the press, as in Safari, gave it none', () => {
    const button = document.body.appendChild(document.createElement('button'));
    const icon = button.appendChild(document.createElement('span'));
    button.addEventListener('click', () => open());
    icon.click();
    expect(document.activeElement).to.not.equal(button);

    handle!.close();
    expect(document.activeElement).to.equal(button);
    button.remove();
  });

  it('the popup is hidden by no style of the page and closes by itself when its node is taken out (T15, T21)', async () => {
    const style = document.head.appendChild(document.createElement('style'));
    style.textContent = `*{all:unset} div,dialog,iframe{display:none!important}
      body{visibility:hidden;pointer-events:none;--_keyboard:99px}`;
    open();
    const dialog = find('dialog')!;
    const { width, height } = dialog.getBoundingClientRect();
    const shown = getComputedStyle(dialog);
    expect([width > 300, height > 300, shown.visibility, shown.pointerEvents]).to.deep.equal([
      true,
      true,
      'visible',
      'auto',
    ]);
    expect(shown.getPropertyValue('--_keyboard')).to.equal('0px');
    style.remove();

    (dialog.getRootNode() as ShadowRoot).host.remove();
    expect((await handle!.result).outcome).to.equal('closed');
  });

  it('preload loads the frame of another key instead of the first, and getPaid never uses the frame of another key', async () => {
    const keys = () =>
      [...document.querySelectorAll('iframe')].map(({ src }) =>
        new URL(src).searchParams.get('key'),
      );
    preload({ key: 'pub_first' });
    preload({ key: 'pub_second' });
    expect(keys()).to.deep.equal(['pub_second']);

    open();
    const frame = await openedFrame();
    expect(keys()).to.deep.equal([ORDER.key]);
    expect(frame.received('service-pay:open')[0]).to.deep.nested.include({
      'request.key': ORDER.key,
    });
  });

  it('getPaid never uses the frame of another service, or one that the page has removed', async () => {
    preload({ key: ORDER.key, serviceUrl: 'http://127.0.0.1:9' });
    preload({ key: ORDER.key });
    const ahead = await findSoon<HTMLIFrameElement>('iframe');
    expect(new URL(ahead.src).origin).to.equal(serviceOrigin);

    ahead.parentElement?.remove();
    preload({ key: ORDER.key });
    expect(await findSoon('iframe')).not.to.equal(ahead);
    open();
    await openedFrame();
  });

  it('getPaid loads another frame if the one loaded ahead came up as something else, such as the error page of an offline browser (T17)', async () => {
    preload({ key: 'pub_silent' });
    const ahead = await findSoon<HTMLIFrameElement>('iframe');
    await new Promise((loaded) => ahead.addEventListener('load', loaded, { once: true }));
    open({ key: 'pub_silent' });

    await until(() => !ahead.isConnected);
    const other = await findSoon<HTMLIFrameElement>('iframe');
    await findSoon('.stopped [role=alert]');
    find('.notice button')!.click();

    await until(() => !other.isConnected);
    await findSoon('iframe');
  });

  it('preload rejects what is no public key, and sends it nowhere (T7)', () => {
    for (const key of ['sec_live_1', 'sk_live_1', '', undefined]) {
      expect(() => preload({ key: key as string }), key)
        .to.throw()
        .with.nested.property('problems[0].path', 'key');
    }
    expect(find('iframe')).to.equal(undefined);
  });

  it('getPaid names what is missing if no service is known (D22)', () => {
    expect(() => configure({ serviceUrl: 'javascript:alert(1)' }))
      .to.throw()
      .with.property('code', 'not_configured');
    expect(() => configure({ serviceUrl: 'http://pay.example' }))
      .to.throw()
      .with.property('code', 'not_configured');
    expect(() => configure({ serviceUrl: 'https://user@pay.example' }))
      .to.throw()
      .with.property('code', 'not_configured');
  });
});

function waysToLeave(frame: StandInFrame): unknown[] {
  return frame.received('leave').map((leave) => 'by' in leave && leave.by);
}

function pressEscape(repeat = false): void {
  find('dialog')!.dispatchEvent(
    new KeyboardEvent('keydown', {
      key: 'Escape',
      repeat,
      bubbles: true,
      composed: true,
      cancelable: true,
    }),
  );
}
