import { expect } from '@open-wc/testing';
import type { FlowOptions } from './options.ts';
import { createPaymentFlow, OrderFlow } from './order-flow.ts';
import { type FlowStorage, findPage, NAME, type Page } from './page.ts';
import { type PopupOptions, ShopError, type ShopPayment } from './shop-api.ts';
import {
  aMoment,
  buildNews,
  buildTimers,
  COFFEE,
  HONEY,
  keepIn,
  reaches,
  Shop,
} from './test/stand-in-shop.ts';

describe('the flow of an order, with what real shops and pages do', () => {
  let shop: Shop;
  let items: Map<string, string>;
  let storage: FlowStorage;
  let flows: OrderFlow[];
  let reported: unknown[];
  let printed: string[];
  const { error } = console;

  const openPage = (page: Partial<Page> = {}, more: Partial<FlowOptions> = {}): OrderFlow => {
    const { api, getPaid } = shop;
    const options = { api, getPaid, storage, ...more };
    const flow = new OrderFlow(
      options,
      Object.assign(findPage(), { report: (thrown: unknown) => reported.push(thrown) }, page),
    );
    flows.push(flow);
    return flow;
  };
  const pay = (flow: OrderFlow, cart: unknown = HONEY) => flow.pay(shop.place, { cart });
  const send = async (flow: OrderFlow) => {
    await pay(flow);
    shop.leave('onConfirmationPending');
    await reaches(flow, 'pending');
    flow.stop();
  };

  beforeEach(() => {
    shop = new Shop();
    items = new Map();
    storage = keepIn(items);
    flows = [];
    reported = [];
    printed = [];
    console.error = (text: string) => void printed.push(text);
  });

  afterEach(() => {
    console.error = error;
    for (const flow of flows) flow.stop();
  });

  describe('the lock', () => {
    let release = () => {};
    const holdLock = () =>
      new Promise<void>((isHeld) => {
        void navigator.locks.request(NAME, () => {
          isHeld();
          return new Promise<void>((resolve) => (release = resolve));
        });
      });

    afterEach(() => release());

    it('a lock that is held does not stop Pay, Try again and <service-pay> for longer than three seconds (T154)', async () => {
      await holdLock();
      const { after, end } = buildTimers();
      const flow = openPage({ after });
      const paid = pay(flow);
      await end(3_000);
      await paid;
      expect(flow.state.screen).to.equal('paying');

      shop.responses.set('order-1', { status: 'failed' });
      shop.leave('onSuccess');
      await reaches(flow, 'failed');
      const again = flow.payAgain();
      await end(3_000);
      await again;
      expect(shop.popups).to.have.length(2);

      items.clear();
      const prepared = openPage({ after }).prepare(shop.place, { cart: COFFEE })();
      await end(3_000);
      expect(await prepared).to.have.property('reference', 'order-2');
    });

    it('the payment flow no longer waits for the lock once the page is left', async () => {
      await holdLock();
      const { after, waiting } = buildTimers();
      const flow = openPage({ after });
      const paid = pay(flow);
      flow.stop();
      await paid;
      expect(waiting()).to.deep.equal([]);
      expect(shop.keys).to.deep.equal([]);
    });

    it('tabs that press Pay at the same moment wait for the lock, and use one order without it, too', async () => {
      const press = async (more: Partial<Page>) => {
        const tabs = [1, 2, 3].map(() => openPage(more));
        await Promise.all(tabs.map((tab) => pay(tab)));
        return new Set(shop.popups.splice(0).map(({ reference }) => reference));
      };
      expect((await press({})).size).to.equal(1);
      items.clear();
      expect((await press({ lock: (task) => task() })).size).to.equal(1);
    });
  });

  describe("the page's own code", () => {
    it('the page’s own code may throw when it draws: the error is reported, other listeners run, and the payment goes on (T155)', async () => {
      const flow = openPage();
      const cannotDraw = new Error('cannot draw');
      const seen: string[] = [];
      flow.subscribe(() => {
        throw cannotDraw;
      });
      flow.subscribe(() => seen.push(flow.state.screen));
      await pay(flow);

      expect(seen).to.deep.equal(['placing', 'paying']);
      expect(new Set(reported)).to.deep.equal(new Set([cannotDraw]));
      expect(shop.popups).to.have.length(1);
    });

    it('the page’s own code may throw in its events function: the payment is polled (T155)', async () => {
      const noStream = new Error('no stream');
      shop.api.events = () => {
        throw noStream;
      };
      const flow = openPage();
      flow.show('order-7');
      await reaches(flow, 'pending');
      expect(reported).to.deep.equal([noStream]);
    });

    it('the page’s own code may throw when it closes a stream, or deliver events that break the contract (T155, T159)', async () => {
      let notify = (_payment: unknown) => {};
      shop.api.events = (_reference, listener) => {
        notify = listener as typeof notify;
        return {
          close() {
            throw new Error('closed already');
          },
        };
      };
      const flow = openPage();
      flow.show('order-7');
      await reaches(flow, 'pending');
      for (const garbage of [null, {}, 'successful', { status: 'successful' }]) notify(garbage);
      expect(flow.state.screen).to.equal('pending');
      flow.stop();
      expect(reported).to.have.length(1);
    });

    for (const [how, broken] of Object.entries({
      throws: { getItem: fail, setItem: fail, removeItem: fail },
      'forgets at once': { getItem: () => null, setItem: () => {}, removeItem: () => {} },
      'is asynchronous': { getItem: () => Promise.resolve(null), setItem: fail, removeItem: fail },
    }))
      it(`the page’s own code may bring a storage that ${how}: the page itself remembers its order (T155)`, async () => {
        storage = broken as unknown as FlowStorage;
        const flow = openPage();
        await pay(flow);
        shop.leave('onClose');
        await reaches(flow, 'shop');
        await pay(flow);

        expect(new Set(shop.keys).size).to.equal(1);
      });

    it('the page’s own code may call pay before the script is there: the popup opens once it is, and otherwise the page learns that', async () => {
      const { after, end } = buildTimers();
      const { getPaid, ...withoutScript } = { ...shop };
      const late = new OrderFlow({ api: shop.api, storage }, Object.assign(findPage(), { after }));
      flows.push(late);
      expect(withoutScript).to.have.property('api');
      const pressed = pay(late);
      await end(100);
      await end(100);
      Object.assign(globalThis, { ServicePay: { getPaid } });
      await end(100);
      await pressed;
      expect(shop.popups).to.have.length(1);

      Reflect.deleteProperty(globalThis, 'ServicePay');
      shop.leave('onClose');
      await reaches(late, 'shop');
      const inVain = pay(late);
      for (let times = 0; times <= 50; times++) await end(100);
      await inVain;
      expect(late.state.problem?.code).to.equal('popup_failed');
    });
  });

  describe('a cart', () => {
    for (const [name, cart] of Object.entries({
      Map: new Map([['honey', 1]]),
      Set: new Set(['honey']),
      FormData: new FormData(),
      promise: Promise.resolve(HONEY),
      NaN: { quantity: Number.NaN },
    }))
      it(`a cart that JSON would lose is named, and nothing is placed: ${name} (T156)`, async () => {
        const flow = openPage();
        await flow.start({ cart });
        expect(flow.state.problem?.code).to.equal('cart_unusable');
        await pay(flow, cart);

        expect(flow.state.problem?.code).to.equal('cart_unusable');
        expect(String(flow.state.problem?.cause)).to.contain('JSON cannot hold this');
        expect(reported).to.have.length(2);
        expect(shop.keys).to.deep.equal([]);
      });

    it('a cart is the same one whatever the order of its fields, and with fields that are undefined (T156)', async () => {
      const flow = openPage();
      await pay(flow, { sku: 'honey', quantity: 1 });
      shop.leave('onClose');
      await reaches(flow, 'shop');
      await pay(flow, { quantity: 1, sku: 'honey', note: undefined });

      expect(new Set(shop.keys).size).to.equal(1);
    });
  });

  describe("the shop's responses", () => {
    const GARBAGE: [string, unknown][] = [
      ['null', null],
      ['an empty object', {}],
      ['a text', 'successful'],
      ['a list', []],
      ['a payment without status', { reference: 'order-1', amount: '92.50', currency: 'ZMW' }],
      ['an amount in cents', payment({ amount: 9250 as never })],
      ['a foreign status', payment({ status: 'settled' as never })],
      ['an empty reference', payment({ reference: '' })],
    ];
    for (const [name, garbage] of GARBAGE)
      it(`the shop's responses count as none if they break the contract: verify returns ${name} (T159)`, async () => {
        shop.api.verify = async () => garbage as ShopPayment;
        const flow = openPage();
        flow.show('order-1');
        await reaches(flow, ({ trouble }) => trouble !== undefined);

        expect(flow.state).to.include({ screen: 'checking', trouble: 'shop-unreachable' });
        expect(printed.join()).to.contain('verify must return');
      });

    for (const [name, garbage] of [
      ...GARBAGE.slice(1, 4),
      ['an envelope', { data: payment() }],
    ] as const)
      it(`the shop's responses count as none if they break the contract: open and retry return ${name} (T159)`, async () => {
        const { retry, open } = shop.api;
        shop.api.open = async () => garbage as PopupOptions;
        const flow = openPage();
        await pay(flow);
        expect(flow.state.problem?.code).to.equal('shop_unreachable');

        shop.api.open = open;
        shop.api.retry = async () => garbage as PopupOptions;
        shop.open = 'order-7';
        await flow.start();
        await flow.resume();
        expect(flow.state.problem?.code).to.equal('shop_unreachable');
        expect(shop.popups).to.deep.equal([]);
        shop.api.retry = retry;
      });

    for (const [name, returned] of Object.entries({
      'the whole envelope': { data: { reference: 'order-1' } },
      null: null,
    }))
      it(`a response of the order route without options is named: ${name}`, async () => {
        const flow = openPage();
        await flow.pay(async () => returned as never, { cart: HONEY });

        expect(flow.state.problem?.code).to.equal('place_failed');
        expect(printed.join()).to.contain('place must return the `reference` of a payment');
      });

    for (const status of [401, 403, 404, 429])
      it(`a response of open with ${status} is a rejection, and no silence (T159)`, async () => {
        shop.api.open = () => Promise.reject(new ShopError(status, 'rejected'));
        const flow = openPage();
        await flow.start({ cart: HONEY });
        expect(flow.state).to.include({ screen: 'shop', trouble: 'shop-rejects' });
        await pay(flow);

        expect(flow.state.problem?.code).to.equal('shop_rejected');
        expect(printed).to.have.length(1);
        expect(printed[0]).to.contain(`with HTTP ${status}`);
      });

    it('a response with 500 is a failure of the shop, and the network is to blame only if it is away', async () => {
      const flow = openPage({ isOffline: () => true });
      shop.api.open = () => Promise.reject(new ShopError(500, 'internal'));
      await pay(flow);
      expect(flow.state.problem?.code).to.equal('shop_failed');

      shop.api.open = () => Promise.reject(new TypeError('Failed to fetch'));
      await pay(flow);
      expect(flow.state.problem?.code).to.equal('offline');
    });

    it('responses of 403 keep a paid customer from reading "checking" without a reason, and name the cure once (D67)', async () => {
      const { after, end } = buildTimers();
      const flow = openPage({ after });
      await pay(flow);
      shop.responses.set('order-1', new ShopError(403, 'CSRF verification failed'));
      shop.leave('onSuccess');
      await reaches(flow, ({ trouble }) => trouble !== undefined);
      expect(flow.state).to.include({ screen: 'checking', trouble: 'shop-rejects' });
      expect(printed).to.deep.equal([]);
      for (const ms of [4_500, 6_750, 10_125]) {
        await end(ms);
        await aMoment();
      }
      expect(printed).to.have.length(1);
      expect(printed[0]).to.contain('`headers` of createPaymentFlow');

      shop.responses.set('order-1', { status: 'successful' });
      await end(15_000);
      await reaches(flow, 'paid');
    });
  });

  describe('the routes', () => {
    const { fetch, EventSource } = globalThis;
    let calls: { path: string; headers: Record<string, string> }[];

    const serve = (respond: (path: string) => Response) => {
      globalThis.fetch = async (path, { headers } = {}) => {
        const all = Object.fromEntries(new Headers(headers));
        calls.push({ path: `${path}`, headers: all });
        return respond(`${path}`);
      };
    };
    const openShop = (more: Partial<FlowOptions> = {}) => {
      const flow = createPaymentFlow({ api: '/api', storage, getPaid: shop.getPaid, ...more });
      flows.push(flow);
      return flow;
    };

    beforeEach(() => {
      calls = [];
    });
    afterEach(() => {
      Object.assign(globalThis, { fetch, EventSource });
    });

    it('the routes get the headers of the page with verify, retry and open: an object, or a function that is called before each request (D67)', async () => {
      serve((path) =>
        Response.json({ data: path.endsWith('verify') ? payment() : { reference: 'order-1' } }),
      );
      let count = 0;
      const flow = openShop({ headers: async () => ({ 'x-csrftoken': `${++count}` }) });
      await flow.start();
      await reaches(flow, 'unfinished');
      await flow.resume();

      expect(calls.map(({ path }) => path)).to.include.members([
        '/api/orders/open',
        '/api/payments/order-1/verify',
        '/api/payments/order-1/retry',
      ]);
      const tokens = calls.map(({ headers }) => headers['x-csrftoken']);
      expect(tokens).to.deep.equal(tokens.map((_, at) => `${at + 1}`));

      calls = [];
      await openShop({ headers: { 'x-token': 'one' } }).start();
      expect(calls[0]?.headers).to.deep.equal({ 'x-token': 'one' });
    });

    it('the routes may reject with a page of HTML: the status counts (T159)', async () => {
      serve(() => new Response('<h1>Forbidden</h1>', { status: 403 }));
      const flow = openShop();
      await flow.start();
      expect(flow.state.trouble).to.equal('shop-rejects');
    });

    it('the routes get no stream where the page has none, or once the shop has said so', async () => {
      serve(() => Response.json({ data: payment() }));
      let streams = 0;
      class Stream extends EventTarget {
        readyState = 2;
        constructor() {
          super();
          streams++;
          queueMicrotask(() => this.dispatchEvent(new Event('error')));
        }
        close() {}
      }
      Object.assign(globalThis, { EventSource: Object.assign(Stream, { CLOSED: 2 }) });
      const none = openShop({ events: false });
      none.show('order-1');
      await reaches(none, 'pending');
      expect(streams).to.equal(0);

      const flow = openShop();
      for (let times = 0; times < 3; times++) {
        flow.show('order-1');
        await reaches(flow, 'pending');
      }
      expect(streams).to.equal(1);
    });
  });

  describe('what was sent', () => {
    it('a payment that was sent is never forgotten because the shop responds with 404: Pay asks about a second order (D64, T150)', async () => {
      const money = { amount: '92.50', currency: 'ZMW' };
      const flow = openPage();
      await flow.pay(async (key) => ({ ...(await shop.place(key)), ...money }), { cart: HONEY });
      shop.leave('onConfirmationPending');
      flow.stop();
      shop.responses.set('order-1', new ShopError(404, 'unknown'));

      const signedIn = openPage();
      await signedIn.start({ cart: HONEY });
      expect(signedIn.state.screen).to.equal('unfinished');
      expect(signedIn.state.payment).to.deep.equal({
        reference: 'order-1',
        ...money,
      });
      expect(signedIn.state.can).to.include({ resume: false, pay: true, payAnother: true });
      await pay(signedIn);
      expect(signedIn.state.asks).to.equal('second-order');
      expect(shop.keys).to.have.length(1);

      signedIn.payAnother();
      await pay(signedIn);
      expect(shop.popups.at(-1)).to.include({ reference: 'order-2' });
    });

    it('a payment that was sent can be continued again once the shop knows it, and ends as the shop says', async () => {
      const { after, end } = buildTimers();
      await send(openPage());
      shop.responses.set('order-1', new ShopError(404, 'unknown'));
      const flow = openPage({ after });
      await flow.start({ cart: HONEY });
      expect(flow.state.can.resume).to.equal(false);

      shop.responses.delete('order-1'); // changeOwner
      await end(3_000);
      await reaches(flow, ({ can }) => can.resume);
      shop.responses.set('order-1', { status: 'successful' });
      await end(3_000);
      await reaches(flow, 'paid');
    });

    it('a payment that was sent is shown as unfinished, and not as an unknown order, if the owner changes while the page waits', async () => {
      const { after, end } = buildTimers();
      const flow = openPage({ after });
      await pay(flow);
      shop.leave('onConfirmationPending');
      await reaches(flow, 'pending');
      shop.responses.set('order-1', new ShopError(404, 'unknown'));
      await end(3_000);
      await reaches(flow, 'unfinished');
      expect(flow.state.can.resume).to.equal(false);
    });

    it('a payment that was sent is not shown again after its end was, though the storage deletes nothing any more', async () => {
      await send(openPage());
      shop.responses.set('order-1', { status: 'successful' });
      storage.removeItem = fail;
      const flow = openPage();
      await flow.start({ cart: HONEY });
      expect(flow.state.screen).to.equal('paid');
      flow.stop();
      await flow.start({ cart: HONEY });
      expect(flow.state.screen).to.equal('shop');
    });

    it('a payment that was sent has no reference of another shape, whoever wrote it to the storage', async () => {
      items.set(NAME, JSON.stringify({ reference: '../orders/open?', isSent: true }));
      const flow = openPage();
      await flow.start({ cart: HONEY });
      expect(shop.verified).to.equal(0);
      expect(flow.state.screen).to.equal('shop');
    });

    it('a payment that was sent is kept although the page is left before its popup reports it', async () => {
      const flow = openPage();
      await pay(flow);
      flow.stop();
      shop.leave('onConfirmationPending');
      expect(flow.state.screen).to.equal('shop');

      await flow.start({ cart: HONEY });
      expect(flow.state.screen).to.equal('unfinished');
    });
  });

  describe('an order', () => {
    const failAndReturn = async () => {
      const flow = openPage();
      shop.responses.set('order-1', { status: 'failed' });
      await pay(flow);
      shop.leave('onSuccess');
      await reaches(flow, 'failed');
      return flow;
    };

    it('an order that was tried as often as the shop allows makes room for another of the same cart', async () => {
      const flow = await failAndReturn();
      shop.api.retry = () => Promise.reject(new ShopError(400, 'tried too often'));
      await pay(flow);

      expect(flow.state.screen).to.equal('paying');
      expect(shop.popups.at(-1)).to.include({ reference: 'order-2' });
    });

    it('an order that was paid meanwhile is shown as paid, and not placed again', async () => {
      const flow = await failAndReturn();
      shop.api.retry = () => {
        shop.responses.set('order-1', { status: 'successful' });
        return Promise.reject(new ShopError(400, 'paid'));
      };
      await pay(flow);

      expect(flow.state.screen).to.equal('paid');
      expect(new Set(shop.keys).size).to.equal(1);
    });

    it("an order that is no longer this browser's is unknown, and Try again does not repeat it for ever", async () => {
      const flow = await failAndReturn();
      shop.api.retry = () => Promise.reject(new ShopError(404, 'unknown'));
      await flow.payAgain();
      expect(flow.state.screen).to.equal('unknown-order');

      await pay(flow);
      expect(shop.popups.at(-1)).to.include({ reference: 'order-2' });
    });

    it('an order that nobody tried to pay is shown as the shop after a day, and comes before another cart (D57, D61)', async () => {
      const flow = openPage();
      await pay(flow);
      shop.leave('onClose');
      await reaches(flow, 'shop');
      shop.responses.set('order-1', { status: 'failed' }); // expired
      shop.open = 'order-1';

      const nextDay = openPage();
      await nextDay.start({ cart: COFFEE });
      expect(nextDay.state.screen).to.equal('shop');
      await pay(nextDay, COFFEE);
      expect(nextDay.state).to.include({ screen: 'unfinished', asks: 'second-order' });
      expect(nextDay.state.payment).to.include({ amount: '92.50', currency: 'ZMW' });
      expect(shop.popups).to.have.length(1);

      shop.api.retry = async (reference) => ({ reference });
      await nextDay.resume();
      expect(shop.popups).to.have.length(2);
      expect(shop.popups.at(-1)).to.include({ reference: 'order-1' });
    });

    it('an order that nobody tried to pay is paid by the same payment when its own cart is pressed', async () => {
      const flow = openPage();
      await pay(flow);
      shop.leave('onClose');
      shop.responses.set('order-1', { status: 'failed' });
      shop.open = 'order-1';
      shop.api.retry = async (reference) => ({ reference });
      await pay(openPage());

      expect(shop.popups.at(-1)).to.include({ reference: 'order-1' });
      expect(new Set(shop.keys).size).to.equal(1);
    });

    it('an order that the shop does not find in a frame, as it gets no cookie there, opens nothing and says why (T160)', async () => {
      const { after, end } = buildTimers();
      shop.responses.set('order-1', new ShopError(404, 'unknown'));
      const flow = openPage({ isFramed: true, after });
      const pressed = pay(flow);
      await end(1_000);
      await pressed;
      expect(flow.state.problem?.code).to.equal('order_unknown');
      expect(shop.popups).to.deep.equal([]);

      const prepared = openPage({ isFramed: true, after })
        .prepare(shop.place, { cart: COFFEE })()
        .catch((thrown: unknown) => thrown);
      shop.responses.set('order-2', new ShopError(404, 'unknown'));
      await end(1_000);
      expect(await prepared).to.be.instanceOf(ShopError);
    });

    it('an order that the shop finds in a frame, or only at the second look, opens', async () => {
      const { after, end } = buildTimers();
      await pay(openPage({ isFramed: true }));
      expect(shop.popups).to.have.length(1);

      items.clear();
      const { verify } = shop.api;
      shop.api.verify = async () => {
        shop.api.verify = verify;
        throw new ShopError(404, 'not replicated yet');
      };
      const pressed = pay(openPage({ isFramed: true, after }), COFFEE);
      await end(1_000);
      await pressed;
      expect(shop.popups).to.have.length(2);
    });
  });

  describe('a tab', () => {
    it('a tab polls and listens only while it is visible, and polls at once when it is visible again (T145)', async () => {
      let isVisible = false;
      const { watch, notify } = buildNews();
      const streams = { opened: 0, closed: 0 };
      shop.api.events = () => {
        streams.opened++;
        return { close: () => void streams.closed++ };
      };
      const { after, waiting, end } = buildTimers();
      const turns = (news: 'visible' | 'hidden') => {
        isVisible = news === 'visible';
        notify(news);
      };
      const flow = openPage({ isVisible: () => isVisible, watch, after });
      flow.show('order-7');
      await aMoment();
      expect([shop.verified, streams.opened, waiting()]).to.deep.equal([0, 0, []]);

      turns('visible');
      await reaches(flow, 'pending');
      await end(3_000);
      expect([shop.verified, streams.opened]).to.deep.equal([2, 1]);
      turns('hidden'); // while the shop is polled
      await aMoment();
      expect([shop.verified, streams.closed, waiting()]).to.deep.equal([2, 1, []]);

      turns('visible');
      await aMoment();
      expect([shop.verified, streams.opened]).to.deep.equal([3, 2]);
    });

    it('a tab says at once that it is offline, and polls as often as before when it is online again', async () => {
      const { watch, notify } = buildNews();
      const { after, waiting, end } = buildTimers();
      const flow = openPage({ watch, after });
      flow.show('order-7');
      await reaches(flow, 'pending');
      notify('offline');
      expect(flow.state.trouble).to.equal('shop-unreachable');

      shop.responses.set('order-7', new ShopError(0, 'unreachable'));
      for (const pauseMs of [3_000, 4_500, 6_750]) await end(pauseMs);
      await aMoment();
      notify('online');
      await aMoment();
      expect(waiting()).to.deep.equal([4_500]);
    });
  });

  describe('stop', () => {
    for (const [during, begin] of Object.entries({
      'a look': (flow: OrderFlow) => flow.start({ cart: HONEY }),
      'an order': (flow: OrderFlow) => flow.pay(() => new Promise(() => {}), { cart: HONEY }),
      'a wait for the script': (flow: OrderFlow) => pay(flow),
      'a followed payment': async (flow: OrderFlow) => flow.show('order-7'),
    }))
      it(`stop ends every timer, also during ${during}`, async () => {
        const { after, waiting } = buildTimers();
        const flow = new OrderFlow(
          { api: shop.api, storage },
          Object.assign(findPage(), { after }),
        );
        void begin(flow);
        for (let times = 0; times < 5; times++) await aMoment();
        flow.stop();
        await aMoment();

        expect(waiting()).to.deep.equal([]);
      });

    it('the payment flow polls no more after stop, also if the shop responds after it', async () => {
      const { after, waiting } = buildTimers();
      const flow = openPage({ after });
      flow.show('order-7');
      expect(shop.verified).to.equal(1);
      flow.stop();
      await aMoment();
      expect(waiting()).to.deep.equal([]);
    });
  });
});

function payment(more: Partial<ShopPayment> = {}): ShopPayment {
  const money = { amount: '92.50', currency: 'ZMW' };
  return {
    reference: 'order-1',
    status: 'pending',
    ...money,
    isWaitingForCustomer: false,
    ...more,
  };
}

function fail(): never {
  throw new DOMException('The quota is exceeded.', 'QuotaExceededError');
}
