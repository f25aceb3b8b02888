import { expect } from '@open-wc/testing';
import type { FrameMessage } from '@service-pay/contract/frame-messages';
import { settled } from '../test/stand-in-checkout.ts';
import { findPageOrigin, greetPage, type PageLink, type PageOpening } from './link.ts';

const ORIGIN = 'https://shop.example';
const REQUEST = {
  key: 'pub_demo',
  email: 'mary@example.com',
  reference: 'order-1042',
  amount: '10.00',
};

describe('page link', () => {
  let parent: Window;
  let stranger: Window;
  let frame: EventTarget & { parent: { postMessage: (data: unknown, origin: string) => void } };
  let greetings: unknown[][];
  let openings: PageOpening[];
  let received: string[];
  let link: PageLink;
  let frames: HTMLIFrameElement[];

  beforeEach(() => {
    frames = [document.createElement('iframe'), document.createElement('iframe')];
    document.body.append(...frames);
    [parent, stranger] = frames.map(({ contentWindow }) => contentWindow!) as [Window, Window];
    greetings = [];
    openings = [];
    received = [];
    parent.postMessage = (...message: unknown[]) => void greetings.push(message);
    frame = Object.assign(new EventTarget(), { parent });
    link = greetPage({
      window: frame as unknown as Window,
      origin: ORIGIN,
      publicKey: 'pub_demo',
      onOpen: (opening) => void openings.push(opening),
      onMessage: ({ type }) => void received.push(type),
    });
  });

  afterEach(() => {
    for (const element of frames) element.remove();
  });

  function open({
    origin = ORIGIN,
    source = parent,
    request = REQUEST as unknown,
    type = 'service-pay:open',
    theme = {} as unknown,
    notes = undefined as boolean | undefined,
    unconfirmed = undefined as unknown,
  } = {}) {
    const { port1, port2 } = new MessageChannel();
    const messages: FrameMessage[] = [];
    port1.onmessage = ({ data }) => messages.push(data as FrameMessage);
    frame.dispatchEvent(
      new MessageEvent('message', {
        data: { type, request, theme, unconfirmed, ...(notes && { notes }) },
        origin,
        source,
        ports: [port2],
      }),
    );
    return { port: port1, messages };
  }

  async function delivered(): Promise<void> {
    for (let times = 0; times < 3; times++) await settled();
  }

  it('the page link greets its parent at exactly the origin it was given', () => {
    expect(greetings).to.deep.equal([[{ type: 'service-pay:ready', versions: [1] }, ORIGIN]]);
  });

  it('the page link takes an opening from its parent, drops what no rule knows, responds to heartbeats', async () => {
    const { port, messages } = open({ request: { ...REQUEST, evil: 1 } });
    port.postMessage({ type: 'ping' });
    port.postMessage({ type: 'leave' });
    port.postMessage({ type: 'focus' });
    void link.send({ type: 'shown' });
    await delivered();

    expect(openings).to.deep.equal([{ request: REQUEST, theme: {}, isUnconfirmed: false }]);
    expect(received).to.deep.equal(['leave', 'focus']);
    expect(messages.map(({ type }) => type)).to.have.members(['shown', 'pong']);
  });

  it('the page link takes no port from another origin or another window (T25)', async () => {
    const others = [
      open({ origin: 'https://shop.example.evil.example' }),
      open({ origin: 'null' }),
      open({ source: stranger }),
    ];
    void link.send({ type: 'shown' });
    await delivered();

    expect(openings).to.deep.equal([]);
    expect(others.map(({ messages }) => messages)).to.deep.equal([[], [], []]);
  });

  it('the page link receives whether the page left the payment unconfirmed; a script that does not say so did not (T31, T118)', () => {
    for (const unconfirmed of [true, false, undefined]) open({ unconfirmed });
    open({ unconfirmed: 'yes' });

    expect(openings.map(({ isUnconfirmed }) => isUnconfirmed)).to.deep.equal([true, false, false]);
  });

  it('the page link takes no request that breaks a rule or names another key', () => {
    for (const request of [
      { ...REQUEST, key: 'pub_other' },
      { ...REQUEST, amount: 10 },
      { ...REQUEST, reference: '..' },
      null,
      'x',
      [],
    ])
      open({ request });
    open({ type: 'service-pay:ready' });
    open({ theme: 'red' });

    expect(openings).to.deep.equal([]);
  });

  it('the page link drops whatever else comes over the port (T30)', async () => {
    const { port } = open();
    for (const data of [
      null,
      7,
      'leave',
      [],
      {},
      { type: 'constructor' },
      { type: '__proto__' },
      { type: 'x'.repeat(5_000_000) },
    ])
      port.postMessage(data);
    port.postMessage({ type: 'leave' });
    await delivered();

    expect(received).to.deep.equal(['leave']);
  });

  it('the page link talks over the newest port alone (T28, T29)', async () => {
    const first = open();
    const second = open();
    first.port.postMessage({ type: 'leave' });
    void link.send({ type: 'shown' });
    await delivered();

    expect(openings).to.have.length(2);
    expect(received).to.deep.equal([]);
    expect([first.messages, second.messages]).to.deep.equal([[], [{ type: 'shown' }]]);
  });

  it('the page link reports when the page has received what is known of the money, on this channel or the next, and waits for no older script (T31)', async () => {
    let isTaken = false;
    const tell = () =>
      void link.send({ type: 'money', state: 'unknown' })?.then(() => {
        isTaken = true;
      });
    open();
    expect(link.send({ type: 'money', state: 'unknown' })).to.equal(undefined);

    open({ notes: true });
    tell();
    await delivered();
    expect(isTaken).to.equal(false);

    const { port, messages } = open({ notes: true });
    void link.send({ type: 'money', state: 'unknown' });
    port.postMessage({ type: 'noted', turn: 2 });
    await delivered();
    expect(isTaken, 'what was said before counts').to.equal(false);
    expect(messages).to.deep.equal([{ type: 'money', state: 'unknown', turn: 3 }]);
    port.postMessage({ type: 'noted', turn: 3 });
    await delivered();
    expect(isTaken).to.equal(true);
    expect(received).to.deep.equal([]);
  });
});

describe('page origin', () => {
  it('the page origin is taken only if the address names one, spelled as browsers do (T27)', () => {
    expect(
      findPageOrigin(`?key=pub_demo&origin=${encodeURIComponent('https://shop.example:8443')}`),
    ).to.equal('https://shop.example:8443');
    for (const origin of [
      '*',
      'null',
      '',
      'https://shop.example/',
      'https://user@shop.example',
      'https://SHOP.example',
      'javascript:alert(1)',
      'file:///x',
      'https://a; script-src *',
    ]) {
      expect(findPageOrigin(`?origin=${encodeURIComponent(origin)}`), origin).to.equal(undefined);
    }
    expect(findPageOrigin('?origin=https://a.example&origin=https://b.example')).to.equal(
      undefined,
    );
    expect(findPageOrigin('')).to.equal(undefined);
  });
});
