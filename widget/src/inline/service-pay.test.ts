import { expect, fixture, html, oneEvent } from '@open-wc/testing';

import './define.ts';
import type { PaymentErrorEvent } from './events.ts';
import type { ServicePayElement } from './service-pay.ts';
import { find, findSoon, openedFrame, serviceOrigin, until } from './test/stand-in-frame.ts';
import { keepUnconfirmed } from './unconfirmed-payments.ts';

const EVENTS = [
  'service-pay-success',
  'service-pay-close',
  'service-pay-confirmation-pending',
  'service-pay-error',
] as const;

describe('<service-pay>', () => {
  let element: ServicePayElement;
  let reported: string[];
  let printed: unknown[][];
  const { error, warn } = console;

  const place = async (): Promise<void> => {
    element = await fixture<ServicePayElement>(html`
      <service-pay
        service-url=${serviceOrigin}
        public-key="pub_sandbox_demo"
        email="ann@example.com"
        reference="order-1"
        amount="10.75"
        currency="ZMW"
        label="Coffee"
        channels="card mobile-money"
      ></service-pay>
    `);
    for (const type of EVENTS) {
      element.addEventListener(type, (event) =>
        reported.push('error' in event ? `${type} ${event.error.code}` : type),
      );
    }
  };

  beforeEach(async () => {
    reported = [];
    printed = [];
    console.warn = () => undefined;
    console.error = (...line: unknown[]) => printed.push(line);
    await place();
  });

  afterEach(async () => {
    element.remove();
    await until(() => !document.adoptedStyleSheets.length, 'the page is still locked');
    Object.assign(console, { error, warn });
    expect(find('dialog'), 'a dialog is left').to.equal(undefined);
    expect(find('iframe'), 'a frame is left').to.equal(undefined);
  });

  it('<service-pay> renders a button of its own, opens by it, and requests the payment that its attributes describe', async () => {
    await expect(element).to.be.accessible();
    find('button', element.shadowRoot!)!.click();
    const frame = await openedFrame();

    expect(frame.received('service-pay:open')[0]).to.deep.nested.include({
      'request.key': 'pub_sandbox_demo',
      'request.reference': 'order-1',
      'request.amount': '10.75',
      'request.currency': 'ZMW',
      'request.channels': ['card', 'mobile-money'],
    });
  });

  it('<service-pay> opens by the button it is given, without sending the form around it', async () => {
    let isSent = false;
    const form = await fixture<HTMLFormElement>(html`<form><button>Buy</button></form>`);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      isSent = true;
    });
    element.append(form.firstElementChild!);
    form.append(element);
    form.querySelector('button')!.click();

    expect(find('dialog')).to.not.equal(undefined);
    expect(isSent).to.equal(false);
  });

  for (const [what, markup] of [
    ['a line break', '\n  '],
    ['an empty paragraph', '<p></p>'],
    ['a <br>', '<br>'],
    ['a comment', '<!-- Pay -->'],
    ['what editors leave of a text', '<div><br></div><p>&nbsp;</p>\u200b<span><!----></span>'],
  ] as const) {
    it(`<service-pay> renders its own button, which pays, if it contains only ${what} (T158)`, async () => {
      element.innerHTML = markup;
      const own = find('button', element.shadowRoot!)!;
      await until(() => own.getClientRects().length, 'there is nothing to press');
      expect(element.getBoundingClientRect().height).to.equal(own.offsetHeight);
      await expect(element).to.be.accessible();

      own.click();
      await openedFrame();
      expect(own.getClientRects()).to.have.length(1);
    });
  }

  it('<service-pay> renders what it contains as soon as that is a text or can be seen, and its own button again afterwards (T158)', async () => {
    const own = find('button', element.shadowRoot!)!;
    const isOwnShown = () => own.getClientRects().length > 0;
    const label = element.appendChild(document.createElement('span'));
    await Promise.resolve();
    expect(isOwnShown()).to.equal(true);

    label.textContent = 'Buy';
    await until(() => !isOwnShown(), 'its own button beside the text');
    expect(label.getClientRects()).to.have.length(1);
    label.firstChild!.nodeValue = '';
    await until(isOwnShown);

    for (const content of ['<img alt="Pay">', '<button></button>', '<p><i class="icon"></i></p>']) {
      element.innerHTML = content;
      await until(() => !isOwnShown(), content);
      element.innerHTML = '';
      await until(isOwnShown);
    }
  });

  it('<service-pay> keeps properties set before it was defined or without attributes', async () => {
    element.customer = { firstName: 'Ann' };
    element.amount = 0.1 + 0.2;
    element.pay();
    const frame = await openedFrame();

    expect(frame.received('service-pay:open')[0]).to.deep.nested.include({
      'request.amount': '0.30',
      'request.customer': { firstName: 'Ann' },
    });
    const { prototype } = element.constructor;
    for (const name of ['publicKey', 'amount', 'customer', 'prepare']) {
      expect(
        Object.getOwnPropertyDescriptor(prototype, name)?.set,
        `the setter that Svelte looks for: ${name}`,
      ).to.be.a('function');
    }
  });

  it('<service-pay> keeps what was set on it before it was known as an element (U2)', async () => {
    const early = document.createElement('service-pay-early') as ServicePayElement;
    Object.assign(early, {
      publicKey: 'pub_early',
      serviceUrl: serviceOrigin,
      email: 'ann@example.com',
      reference: 'early',
      amount: 1,
    });
    document.body.append(early);
    customElements.define(
      'service-pay-early',
      class extends (element.constructor as typeof ServicePayElement) {},
    );
    early.amount = 2;
    early.pay();
    const frame = await openedFrame();
    early.remove();

    expect(frame.received('service-pay:open')[0]).to.deep.nested.include({
      'request.key': 'pub_early',
      'request.amount': '2.00',
    });
  });

  it('<service-pay> shows the popup in its own shadow root, so that its parts can be styled, and carries its custom properties', async () => {
    element.style.setProperty('--service-pay-accent', 'rebeccapurple');
    element.style.setProperty('--service-pay-radius', ' 6px ');
    const style = document.head.appendChild(document.createElement('style'));
    style.textContent = 'service-pay::part(dialog) { background: rgb(1, 2, 3) }';
    element.pay();
    const frame = await openedFrame();

    expect(getComputedStyle(find('[part=dialog]')!).backgroundColor).to.equal('rgb(1, 2, 3)');
    style.remove();
    for (const part of ['dialog', 'backdrop', 'close', 'button'])
      expect(find(`[part=${part}]`, element.shadowRoot!), part).to.not.equal(undefined);
    expect(frame.received('service-pay:open')[0]).to.deep.nested.include({
      theme: { accent: 'rebeccapurple', radius: '6px' },
    });
  });

  it('<service-pay> keeps the colours of its button where the page has a custom property named as one of ours (T21)', () => {
    element.style.setProperty('--_fill', 'red');

    expect(getComputedStyle(find('[part=button]', element.shadowRoot!)!).backgroundColor).to.equal(
      'rgb(11, 107, 79)',
    );
  });

  it('<service-pay> is a reactive element whose attributes and properties say the same', async () => {
    element.setAttribute('channels', ' card\n mobile-money ');
    element.setAttribute('amount', '3');
    expect([element.channels, element.amount]).to.deep.equal([['card', 'mobile-money'], '3']);
    element.removeAttribute('channels');
    element.removeAttribute('currency');
    expect([element.channels, element.currency]).to.deep.equal([undefined, undefined]);
    expect(await element.updateComplete).to.equal(true);
  });

  it('<service-pay> shows the popup at the end of the body where it is hidden itself', async () => {
    element.style.display = 'none';
    element.pay();

    expect(find('dialog')!.getBoundingClientRect().width).to.be.above(300);
    await openedFrame();
  });

  it('<service-pay> stays in sight, and resumes, when the page hides it while the popup is open (T21, T28)', async () => {
    const { result } = element.pay();
    const first = await openedFrame();
    first.says({ type: 'stay' });
    first.says({ type: 'money', state: 'unknown', turn: 1 });
    // Moved before that, the frame would reload without having reported.
    await first.receives('noted');
    element.hidden = true;
    await until(() => find('service-pay-popup')?.parentNode === document.body);

    expect(find('dialog')!.matches(':modal')).to.equal(true);
    expect(find('dialog')!.getBoundingClientRect().width).to.be.above(300);
    (await openedFrame()).says({ type: 'close' });
    expect((await result).outcome).to.equal('confirmation-pending');
    expect(find('iframe')).to.equal(undefined);
  });

  it('<service-pay> resumes when a framework replaces its text while the popup is open (T28)', async () => {
    element.textContent = 'Pay';
    element.pay();
    await openedFrame();
    element.textContent = 'Paying…';
    await until(() => find('iframe'));

    const again = await openedFrame();
    again.says({ type: 'shown' });
    await until(() => document.activeElement === again.element);
    expect(element.textContent).to.equal('Paying…');
  });

  it('<service-pay> reports success by an event that carries the reference, once', async () => {
    const success = oneEvent(element, 'service-pay-success');
    const { result } = element.pay();
    const frame = await openedFrame();
    frame.says({ type: 'money', state: 'paid' });
    frame.says({ type: 'close' });

    expect(await success).to.include({ reference: 'order-1', bubbles: true, composed: true });
    expect((await result).outcome).to.equal('success');
    expect(reported).to.deep.equal(['service-pay-success']);
  });

  it('<service-pay> throws nothing: what is wrong is an event and a line in the console, and the handle is of a popup closed already (D20)', async () => {
    element.amount = '1,000';
    const wrong = oneEvent(element, 'service-pay-error');
    const handle = element.pay();

    expect(
      ((await wrong) as unknown as PaymentErrorEvent).error.problems.map(({ path }) => path),
    ).to.deep.equal(['amount']);
    expect(await handle.result).to.deep.equal({ outcome: 'closed', reference: 'order-1' });
    element.serviceUrl = 'javascript:alert(1)';
    element.amount = 10;
    element.pay();
    element.preload();
    expect(reported).to.deep.equal([
      'service-pay-error invalid_options',
      'service-pay-error not_configured',
      'service-pay-error not_configured',
    ]);
    expect(printed).to.have.length(3);
    expect(String(printed[0])).to.match(/^ServicePay: amount must be /);
  });

  it('<service-pay> gives the open popup its own handle again, without a second prepare (D11)', () => {
    let calls = 0;
    element.prepare = () => new Promise(() => calls++);
    const handle = element.pay();

    expect(element.pay()).to.equal(handle);
    expect(calls).to.equal(1);
    expect(handle.reference).to.equal(undefined);
  });

  it('<service-pay> opens at once while prepare runs, and pays what it returns (D21)', async () => {
    let respond!: (request: object) => void;
    element.prepare = () =>
      new Promise((resolve) => {
        respond = resolve;
      });
    const handle = element.pay();
    expect(find('dialog')).to.not.equal(undefined);
    await findSoon('iframe');
    respond({ reference: 'made-by-the-server', amount: '3.50' });
    const frame = await openedFrame();

    expect(frame.received('service-pay:open')[0]).to.deep.nested.include({
      'request.reference': 'made-by-the-server',
      'request.amount': '3.50',
    });
    expect(handle.reference).to.equal('made-by-the-server');
  });

  it('<service-pay> says that prepare failed, and calls it again on Try again (D21)', async () => {
    let calls = 0;
    const noStock = new Error('no stock');
    element.prepare = async () => {
      if (++calls === 1) throw noStock;
      return { reference: 'second-try' };
    };
    element.pay();
    expect((await findSoon('.stopped [role=alert]')).textContent).to.contain('could not prepare');
    expect(reported).to.deep.equal(['service-pay-error prepare_failed']);
    expect(printed).to.deep.equal([['ServicePay: prepare() rejected or threw', noStock]]);
    await expect(element).to.be.accessible();

    find('.notice button')!.click();
    const frame = await openedFrame();
    expect(frame.received('service-pay:open')[0]).to.deep.nested.include({
      'request.reference': 'second-try',
    });
  });

  it('<service-pay> closes without an error when prepare calls the payment off (D21)', async () => {
    element.prepare = async () => {
      throw new DOMException('The page has a question first.', 'AbortError');
    };
    const { result } = element.pay();

    expect((await result).outcome).to.equal('closed');
    expect(reported).to.deep.equal(['service-pay-close']);
    expect(printed).to.deep.equal([]);
  });

  it('<service-pay> takes back that nothing has been paid, where prepare names a payment left unconfirmed (D13, T118)', async () => {
    keepUnconfirmed(`${serviceOrigin}/order-left`, true);
    // A frame that the policy blocks says nothing.
    element.publicKey = 'pub_silent';
    let respond = (_request: object) => {};
    element.prepare = () => new Promise((resolve) => (respond = resolve));
    element.pay();
    const { src } = await findSoon<HTMLIFrameElement>('iframe');
    const about = {
      effectiveDirective: 'frame-src',
      documentURI: location.href,
      originalPolicy: '',
      violatedDirective: '',
      statusCode: 0,
    };
    document.dispatchEvent(
      new SecurityPolicyViolationEvent('securitypolicyviolation', {
        ...about,
        disposition: 'enforce',
        blockedURI: src,
      }),
    );
    expect((await findSoon('.stopped [role=alert]')).textContent).to.contain(
      'You have not been charged',
    );

    respond({ reference: 'order-left' });
    await until(() =>
      find('.stopped [role=alert]')?.textContent?.includes('Please don’t pay again'),
    );
    find('[part=close]')!.click();
    expect(reported).to.deep.equal([
      'service-pay-error load_failed',
      'service-pay-confirmation-pending',
    ]);
    keepUnconfirmed(`${serviceOrigin}/order-left`, false);
  });

  it('<service-pay> says that what prepare gave breaks a rule (D4, D21)', async () => {
    element.prepare = async () => ({ amount: -5 });
    element.pay();
    await findSoon('.stopped [role=alert]');
    find('[part=close]')!.click();

    expect(reported).to.deep.equal(['service-pay-error invalid_options', 'service-pay-close']);
  });

  for (const isLate of [false, true]) {
    it(`<service-pay> opens nothing when prepare resolves ${isLate ? 'long ' : ''}after the element has gone (T15)`, async () => {
      element.reference = 'gone';
      let respond!: (request: object) => void;
      element.prepare = () =>
        new Promise((resolve) => {
          respond = resolve;
        });
      const { result } = element.pay();
      element.remove();
      if (!isLate) respond({});

      expect((await result).outcome).to.equal('closed');
      respond({});
      await Promise.resolve();
      expect(find('dialog')).to.equal(undefined);
      expect(reported).to.deep.equal(['service-pay-close']);
    });
  }

  it('<service-pay> closes with what is known when it is removed, and works where it is put afterwards (T15)', async () => {
    const { result } = element.pay();
    const frame = await openedFrame();
    frame.says({ type: 'shown' });
    frame.says({ type: 'money', state: 'unknown' });
    frame.says({ type: 'stay' });
    find('[part=close]')!.focus();
    await until(() => document.activeElement === frame.element);
    element.remove();

    expect((await result).outcome).to.equal('confirmation-pending');
    document.body.append(element);
    element.pay().close();
    expect(reported).to.deep.equal([
      'service-pay-confirmation-pending',
      'service-pay-confirmation-pending',
    ]);
  });

  for (const [how, move] of [
    ['moved', () => document.body.append(element)],
    [
      'taken out and put back a moment later',
      async () => {
        element.remove();
        await new Promise((resolve) => setTimeout(resolve));
        document.body.append(element);
      },
    ],
  ] as const) {
    for (const [where, hide] of [
      ['in its own shadow root', false],
      ['at the end of the body', true],
    ] as const) {
      it(`<service-pay> keeps the popup ${where} open when it is ${how} (T15, T28)`, async () => {
        element.hidden = hide;
        const handle = element.pay();
        (await openedFrame()).says({ type: 'shown' });
        await move();

        const frame = await openedFrame();
        frame.says({ type: 'shown' });
        await until(() => document.activeElement === frame.element);
        expect(find('dialog')!.matches(':modal')).to.equal(true);
        expect(document.querySelectorAll('iframe')).to.have.length(1);
        expect([element.pay(), reported]).to.deep.equal([handle, []]);
        frame.says({ type: 'money', state: 'paid' });
        frame.says({ type: 'close' });
        expect((await handle.result).outcome).to.equal('success');
      });
    }
  }

  it('<service-pay> keeps what is in the form when it is moved by moveBefore (T15)', async () => {
    element.reference = 'moved-before';
    const { result } = element.pay();
    const frame = await openedFrame();
    frame.says({ type: 'shown' });
    await until(() => document.activeElement === frame.element);
    const { contentWindow } = frame.element;
    (document.body as unknown as { moveBefore: Node['insertBefore'] }).moveBefore(element, null);

    expect(frame.element.contentWindow === contentWindow, 'it has loaded again').to.equal(true);
    expect(document.activeElement === frame.element, 'it has lost the focus').to.equal(true);
    expect(find('dialog')!.matches(':modal')).to.equal(true);
    frame.says({ type: 'close' });
    expect((await result).outcome).to.equal('closed');
  });

  it('<service-pay> gives way to another payment that is opened before its removal has been noticed (T15)', async () => {
    element.reference = 'given-way';
    element.pay();
    await openedFrame();
    element.remove();
    const other = element.cloneNode() as ServicePayElement;
    other.reference = 'order-2';
    document.body.append(other);
    other.pay();

    await until(() => reported.length);
    expect(reported).to.deep.equal(['service-pay-close']);
    expect(find('dialog')!.matches(':modal')).to.equal(true);
    other.remove();
  });

  for (const [outcome, state] of [
    ['close', 'none'],
    ['confirmation-pending', 'unknown'],
    ['success', 'paid'],
  ] as const) {
    it(`<service-pay> reports its outcome on the document after it has been removed, once: ${outcome} (T129)`, async () => {
      const { onDocument, stop } = listenOnDocument();
      element.reference = `removed-${outcome}`;
      element.pay();
      const frame = await openedFrame();
      frame.says({ type: 'money', state, turn: 1 });
      await frame.receives('noted');
      element.remove();

      await until(() => onDocument.length);
      await until(() => !find('service-pay-popup'));
      stop();
      expect(onDocument).to.deep.equal([`service-pay-${outcome}`]);
      expect(reported).to.deep.equal([`service-pay-${outcome}`]);
    });
  }

  it('<service-pay> reports its outcome on the document once when its popup or all around it is removed (T129)', async () => {
    const { onDocument, stop } = listenOnDocument();
    element.reference = 'removed-around';
    element.pay();
    find('service-pay-popup')!.remove();
    await until(() => onDocument.length === 1);
    const around = element.parentElement!.appendChild(document.createElement('div'));
    around.append(element);
    element.pay();
    around.remove();
    await until(() => onDocument.length === 2);
    stop();

    expect(onDocument).to.deep.equal(['service-pay-close', 'service-pay-close']);
    expect(reported).to.deep.equal(onDocument);
  });

  it('<service-pay> reports on the document that it cannot open where it is in no document (T129)', () => {
    const { onDocument, stop } = listenOnDocument();
    element.remove();
    element.pay();
    stop();

    expect(onDocument).to.deep.equal(['service-pay-error']);
  });

  it('<service-pay> says in one message that it has no prepare, and neither reference nor amount', () => {
    for (const name of ['email', 'reference', 'amount', 'currency', 'label', 'channels'])
      element.removeAttribute(name);
    let problems: readonly { path: string; message: string }[] = [];
    element.addEventListener('service-pay-error', ({ error }) => ({ problems } = error));
    element.pay();

    expect(reported).to.deep.equal(['service-pay-error invalid_options']);
    expect(problems.map(({ path }) => path)).to.deep.equal(['prepare']);
    expect(printed).to.deep.equal([[`ServicePay: ${problems[0]!.message}`]]);
    expect(problems[0]!.message).to.contain('React').and.not.contain('@');
  });

  it('<service-pay> reports a key that the service does not know by an event, and stays (T37)', async () => {
    element.pay();
    const frame = await openedFrame();
    frame.says({ type: 'unknown-key' });

    await until(() => reported.length);
    expect(reported).to.deep.equal(['service-pay-error invalid_options']);
    expect(find('dialog')).to.not.equal(undefined);
  });

  it('<service-pay> reports a failed frame by an event, and stays (D20)', async () => {
    element.publicKey = 'pub_old';
    element.pay();
    await findSoon('.stopped [role=alert]');

    expect(reported).to.deep.equal(['service-pay-error load_failed']);
  });

  for (const intent of ['pointerenter', 'pointerdown', 'focusin']) {
    it(`<service-pay> loads the frame ahead on ${intent}, and hands it nothing before the press`, async () => {
      expect(find('iframe')).to.equal(undefined);
      find('button', element.shadowRoot!)!.dispatchEvent(
        new Event(intent, { bubbles: true, composed: true }),
      );
      if (intent === 'pointerenter') element.dispatchEvent(new Event(intent));
      const ahead = await findSoon<HTMLIFrameElement>('iframe');
      expect(find('dialog')).to.equal(undefined);
      expect(new URL(ahead.src).searchParams.toString()).to.equal(
        new URLSearchParams({ key: 'pub_sandbox_demo', origin: location.origin }).toString(),
      );

      element.pay();
      const frame = await openedFrame();
      expect(frame.received().map(({ type }) => type)).to.deep.equal(['service-pay:open']);
    });
  }

  it('<service-pay> gives the frame loaded ahead back when it is removed, and loads none once it has been opened (T15)', async () => {
    element.dispatchEvent(new Event('pointerenter'));
    expect(find('iframe')).to.not.equal(undefined);
    const place = element.parentElement!;
    element.remove();
    expect(find('iframe')).to.equal(undefined);

    place.append(element);
    find('button', element.shadowRoot!)!.focus();
    expect(find('iframe')).to.not.equal(undefined);
    element.pay().close();
    element.dispatchEvent(new Event('pointerenter'));
    expect(find('iframe')).to.equal(undefined);
  });

  it('<service-pay> sends a secret nowhere, neither ahead nor while prepare runs, and says so at the press alone (T7)', () => {
    element.publicKey = 'sec_live_1';
    element.dispatchEvent(new Event('pointerenter'));
    expect([find('iframe'), reported]).to.deep.equal([undefined, []]);
    element.prepare = () => new Promise(() => undefined);
    element.pay();

    expect([find('iframe'), find('dialog'), reported]).to.deep.equal([
      undefined,
      undefined,
      ['service-pay-error invalid_options'],
    ]);
  });

  it('<service-pay> leaves nothing behind after many opens and closes (T15)', async () => {
    // the popup of the test before covers the page for a moment more
    await until(() => document.elementFromPoint(5, 5) === document.documentElement, 'covered');
    const before = document.querySelectorAll('*').length;
    for (let turn = 0; turn < 100; turn++) element.pay().close();

    expect(find('service-pay-popup')).to.equal(undefined);
    await until(() => document.querySelectorAll('*').length === before, 'nodes are left');
    expect(element.shadowRoot!.childElementCount).to.equal(1);
    expect(reported).to.have.length(100);
  });

  it('<service-pay> has the focus on its button again, its own or the one put into it, where the press gave it none', async () => {
    const own = find('button', element.shadowRoot!)!;
    own.click();
    element.pay().close();
    expect(element.shadowRoot!.activeElement).to.equal(own);

    own.blur();
    const given = element.appendChild(document.createElement('button'));
    await until(() => given.getClientRects().length);
    given.click();
    element.pay().close();
    expect(document.activeElement).to.equal(given);
  });
});

function listenOnDocument(): { onDocument: string[]; stop: () => void } {
  const onDocument: string[] = [];
  const note = ({ type }: Event) => void onDocument.push(type);
  for (const type of EVENTS) document.addEventListener(type, note);
  return {
    onDocument,
    stop: () => {
      for (const type of EVENTS) document.removeEventListener(type, note);
    },
  };
}
