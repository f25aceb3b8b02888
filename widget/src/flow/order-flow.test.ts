import { expect } from '@open-wc/testing';
import { serviceOrigin } from '../inline/test/stand-in-frame.ts';
import { createPaymentFlow, OrderFlow } from './order-flow.ts';
import { type FlowStorage, findPage, type Page } from './page.ts';
import { type PopupOptions, ShopError, type ShopPayment } from './shop-api.ts';
import {
  buildNews,
  buildTimers,
  COFFEE,
  HONEY,
  keepIn,
  reaches,
  Shop,
} from './test/stand-in-shop.ts';

describe('the flow of an order', () => {
  let shop: Shop;
  let storage: FlowStorage;
  let flows: OrderFlow[];

  /** Opens a page: a new tab, or a reload. */
  const openPage = (page?: Partial<Page>): OrderFlow => {
    const { api, getPaid } = shop;
    const options = { api, getPaid, storage };
    const flow = page
      ? new OrderFlow(options, Object.assign(findPage(), page))
      : createPaymentFlow(options);
    flows.push(flow);
    return flow;
  };

  beforeEach(() => {
    shop = new Shop();
    storage = keepIn(new Map());
    flows = [];
  });

  afterEach(() => {
    for (const flow of flows) flow.stop();
  });

  it('the payment flow is a store: its state is a new object when something changed, and only then', async () => {
    const flow = openPage();
    const seen = new Set([flow.state]);
    const stop = flow.subscribe(() => seen.add(flow.state));

    await flow.start({ cart: HONEY });
    await flow.start({ cart: HONEY });
    expect([...seen].map(({ screen }) => screen)).to.deep.equal(['shop']);
    await flow.pay(shop.place, { cart: HONEY });
    expect([...seen].map(({ screen }) => screen)).to.deep.equal(['shop', 'placing', 'paying']);

    stop();
    shop.leave('onClose');
    expect(seen.size).to.equal(3);
  });

  it('the payment flow gives the same cart the same key after a look at the popup, in another tab too, and another cart another', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onClose');
    await reaches(flow, 'shop');
    const tab = openPage();
    await tab.start({ cart: HONEY });
    expect(tab.state.screen).to.equal('shop');
    await tab.pay(shop.place, { cart: HONEY });
    shop.leave('onClose');
    await tab.pay(shop.place, { cart: COFFEE });
    expect(tab.state).to.include({ screen: 'unfinished', asks: 'second-order' });
    tab.payAnother();
    await tab.pay(shop.place, { cart: COFFEE });

    const [first, second, third] = shop.keys;
    expect(second).to.equal(first);
    expect(third).not.to.equal(first);
    expect(shop.popups.at(-1)).to.include({ reference: 'order-2' });
  });

  it('the payment flow keeps that something was sent: a reload shows it as unfinished, and Pay asks about a second order', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onConfirmationPending');
    expect(flow.state.screen).to.equal('checking');

    const reloaded = openPage();
    await reloaded.start({ cart: HONEY });
    expect(reloaded.state).to.include({ screen: 'unfinished', asks: undefined });
    await reloaded.pay(shop.place, { cart: HONEY });
    expect(reloaded.state).to.include({ screen: 'unfinished', asks: 'second-order' });
    expect(shop.keys).to.have.length(1);

    reloaded.payAnother();
    await reloaded.pay(shop.place, { cart: HONEY });
    expect(new Set(shop.keys).size).to.equal(2);
  });

  it('the payment flow asks about a second order if the shop knows of a prompt that the popup never reported', async () => {
    await openPage().pay(shop.place, { cart: HONEY });
    shop.responses.set('order-1', { isWaitingForCustomer: true });
    const reloaded = openPage();
    await reloaded.pay(shop.place, { cart: HONEY });

    expect(reloaded.state).to.include({ screen: 'unfinished', asks: 'second-order' });
    expect(shop.popups).to.have.length(1);
  });

  it('the payment flow leaves the order that another tab has begun as it is', async () => {
    const { after, end } = buildTimers();
    const flow = openPage({ after });
    await flow.pay(shop.place, { cart: HONEY });
    const other = openPage();
    await other.pay(shop.place, { cart: COFFEE });
    other.payAnother();
    await other.pay(shop.place, { cart: COFFEE });
    shop.leave('onConfirmationPending');
    shop.popups[0]?.onClose();
    shop.responses.set('order-1', { status: 'successful' });
    await end(3_000);
    await reaches(flow, 'paid');

    const reloaded = openPage();
    await reloaded.start({ cart: COFFEE });
    expect(reloaded.state).to.include({ screen: 'unfinished' });
    expect(reloaded.state.payment?.reference).to.equal('order-2');
  });

  it('the payment flow counts nothing as sent once the popup was closed after a decline', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onConfirmationPending');
    await reaches(flow, 'pending');
    await flow.resume();
    shop.leave('onClose');
    await reaches(flow, 'shop');

    const reloaded = openPage();
    await reloaded.start({ cart: HONEY });
    expect(reloaded.state.screen).to.equal('shop');
  });

  it('the payment flow places nothing if a sent payment cannot be verified, and says that the shop is away', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onConfirmationPending');
    const reloaded = openPage();
    shop.responses.set('order-1', new ShopError(503, 'not known yet'));

    await reloaded.start({ cart: HONEY });
    expect(reloaded.state).to.include({ screen: 'unfinished', trouble: 'service-unreachable' });
    await reloaded.pay(shop.place, { cart: HONEY });

    expect(reloaded.state.problem?.code).to.equal('shop_failed');
    expect(reloaded.state.screen).to.equal('unfinished');
    expect(shop.keys).to.have.length(1);
  });

  it('the payment flow requests the order whose response was lost before it places one for another cart', async () => {
    const flow = openPage();
    const loseResponse = () => Promise.reject(new TypeError('connection lost'));
    const { open } = shop.api;
    await flow.pay(loseResponse, { cart: HONEY });
    shop.api.open = loseResponse;
    await flow.pay(shop.place, { cart: COFFEE });
    expect(flow.state.problem?.code).to.equal('shop_unreachable');

    shop.api.open = open;
    shop.open = 'order-of-honey';
    await flow.pay(shop.place, { cart: COFFEE });

    expect(flow.state).to.include({ screen: 'unfinished', asks: 'second-order' });
    expect(flow.state.payment?.reference).to.equal('order-of-honey');
    expect(shop.keys).to.deep.equal([]);
  });

  it('the payment flow makes no new payment while nobody knows whether another tab has an open one', async () => {
    const flow = openPage();
    shop.responses.set('order-1', { status: 'failed' });
    flow.show('order-1');
    await reaches(flow, 'failed');
    shop.api.open = () => Promise.reject(new ShopError(0, 'unreachable'));

    await flow.payAgain();

    expect(flow.state.screen).to.equal('failed');
    expect(flow.state.problem?.code).to.equal('shop_unreachable');
    expect(flow.state.can.payAgain).to.equal(true);
    expect(shop.popups).to.have.length(0);
  });

  it('the payment flow verifies the payment with the shop after onSuccess, instead of trusting the popup', async () => {
    const flow = openPage();
    shop.responses.set('order-1', { status: 'failed' });
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onSuccess');
    await reaches(flow, 'failed');

    expect(shop.verified).to.equal(1);
  });

  it('the payment flow verifies once after onClose, and shows a payment that was approved elsewhere', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    const paidWith = { channel: 'card' as const, label: 'Visa •• 4242' };
    shop.responses.set('order-1', { status: 'successful', paidWith });
    shop.leave('onClose');
    await reaches(flow, 'paid');

    expect(flow.state.payment?.paidWith).to.deep.equal(paidWith);
    expect(flow.state.can).to.include({ pay: true, resume: false, payAgain: false });
  });

  it('the payment flow shows the end of a payment until a customer has seen it: a hidden tab forgets nothing', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onConfirmationPending');
    flow.stop();
    shop.responses.set('order-1', { status: 'successful' });
    const hidden = openPage({ isVisible: () => false });
    await hidden.start({ cart: HONEY });
    expect(hidden.state.screen).to.equal('paid');

    const seen = openPage();
    await seen.start({ cart: HONEY });
    expect(seen.state.screen).to.equal('paid');
    const next = openPage();
    await next.start({ cart: HONEY });
    expect(next.state.screen).to.equal('shop');
  });

  it('the payment flow pays for the same order after a failure that was seen, by a new payment', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.responses.set('order-1', { status: 'failed' });
    shop.leave('onSuccess');
    await reaches(flow, 'failed');
    const reloaded = openPage();
    await reloaded.start({ cart: HONEY });
    expect(reloaded.state.screen).to.equal('shop');
    await reloaded.pay(shop.place, { cart: HONEY });

    expect(shop.popups.at(-1)).to.include({ reference: 'order-1-again' });
    expect(shop.keys).to.have.length(1);
  });

  it('the payment flow polls again after a poll that failed, and when another tab has news', async () => {
    const { after, end } = buildTimers();
    const { watch, notify } = buildNews();
    const flow = openPage({ after, watch });
    const { open } = shop.api;
    shop.api.open = async () => {
      throw new ShopError(0, 'unreachable');
    };
    await flow.start({ cart: HONEY });
    expect(flow.state).to.include({ screen: 'shop', trouble: 'shop-unreachable' });

    shop.api.open = open;
    shop.open = 'order-7';
    await end(15_000);
    await reaches(flow, 'unfinished');
    shop.responses.set('order-7', new ShopError(404, 'unknown'));
    shop.open = undefined;
    await end(3_000);
    await reaches(flow, 'shop');
    shop.open = 'order-8';
    notify('storage');
    await reaches(flow, 'unfinished');
    expect(flow.state.payment?.reference).to.equal('order-8');
  });

  it('the payment flow opens an unfinished payment on one press, although news arrives meanwhile', async () => {
    const { watch, notify } = buildNews();
    const flow = openPage({ watch });
    shop.open = 'order-7';
    await flow.start({ cart: HONEY });
    expect(flow.state.can.resume).to.equal(true);
    const resumed = flow.resume();
    notify('visible');
    notify('storage');
    await flow.start({ cart: COFFEE });
    await resumed;

    expect(shop.popups).to.have.length(1);
    expect(flow.state.screen).to.equal('paying');
  });

  it('the payment flow follows a payment again after a stop', async () => {
    const flow = openPage();
    await flow.start();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onSuccess');
    await reaches(flow, 'pending');
    flow.stop();

    await flow.start();
    expect(flow.state.screen).to.equal('unfinished');
    shop.responses.set('order-1', { status: 'successful' });
    flow.stop();
    await flow.start();
    expect(flow.state.screen).to.equal('paid');
  });

  it('the payment flow takes orders again if it was stopped while a popup was open', async () => {
    const flow = openPage();
    await flow.start();
    await flow.pay(shop.place, { cart: HONEY });
    flow.stop();
    await flow.start();
    expect(flow.state.can.pay).to.equal(true);

    await flow.pay(shop.place, { cart: HONEY });
    await flow.start({ cart: COFFEE });
    expect(flow.state.screen, 'a popup is open').to.equal('paying');
  });

  it('the payment flow places a second order beside an open one after the first second order has failed', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onClose');
    shop.open = 'order-1';
    await flow.pay(shop.place, { cart: COFFEE });
    flow.payAnother();
    await flow.pay(shop.place, { cart: COFFEE });
    shop.leave('onClose');
    shop.responses.set('order-2', { status: 'failed' });
    await flow.pay(shop.place, { cart: COFFEE });
    expect(flow.state.asks).to.equal('second-order');

    flow.payAnother();
    await flow.pay(shop.place, { cart: COFFEE });

    expect(flow.state.screen).to.equal('paying');
    expect(shop.popups).to.have.length(3);
  });

  it('the payment flow takes orders again if the popup of <service-pay> was closed before the order was placed', async () => {
    const flow = openPage();
    let respond = (_options: PopupOptions) => {};
    await new Promise<void>((isPlacing) => {
      const placeLate = () => {
        isPlacing();
        return new Promise<PopupOptions>((resolve) => (respond = resolve));
      };
      flow
        .prepare(placeLate, { cart: HONEY })()
        .catch(() => {});
    });

    document.dispatchEvent(new Event('service-pay-close'));
    respond({ reference: 'order-1' });

    await reaches(flow, 'shop');
    expect(flow.state.can.pay).to.equal(true);
  });

  it('the payment flow calls off the popup of <service-pay> if the page has a question first', async () => {
    const flow = openPage();
    shop.open = 'order-7';

    const error = await flow
      .prepare(shop.place, { cart: COFFEE })()
      .catch((cause: unknown) => cause as DOMException);

    expect(error.name).to.equal('AbortError');
    expect(flow.state.asks).to.equal('second-order');
    expect(shop.keys).to.deep.equal([]);
  });

  it('the payment flow keeps an order under the cart it was placed for, although the cart changes meanwhile', async () => {
    const flow = openPage();
    const paying = flow.pay(shop.place, { cart: HONEY });
    await flow.start({ cart: COFFEE });
    await paying;
    shop.leave('onClose');

    await reaches(flow, 'unfinished');
    await flow.start({ cart: HONEY });
    await reaches(flow, 'shop');
  });

  it('the payment flow places nothing once the page has gone on', async () => {
    const flow = openPage();
    const paying = flow.pay(shop.place, { cart: HONEY });
    flow.show('order-9');
    await paying;

    expect(shop.keys).to.deep.equal([]);
  });

  it('the payment flow drops an order that arrives after the page has gone on', async () => {
    const flow = openPage();
    let arrive = (_options: PopupOptions) => {};
    let placed: Promise<void> | undefined;
    await new Promise<void>((isPlacing) => {
      const place = () =>
        new Promise<PopupOptions>((resolve) => {
          arrive = resolve;
          isPlacing();
        });
      placed = flow.pay(place, { cart: HONEY });
    });
    flow.show('order-9');
    arrive({ reference: 'order-1' });
    await placed;

    expect(shop.popups).to.deep.equal([]);
    expect(flow.state.payment?.reference).to.equal('order-9');
  });

  it('the payment flow says what failed, and leaves the page where it was', async () => {
    const flow = openPage();
    const cause = new Error('The order was not placed: 500');
    const keys: string[] = [];
    const fail = (key: string) => {
      keys.push(key);
      return Promise.reject(cause);
    };
    await flow.pay(fail, { cart: HONEY });
    expect(flow.state.screen).to.equal('shop');
    expect(flow.state.problem).to.deep.equal({ code: 'place_failed', cause });
    await flow.pay(fail, { cart: HONEY });
    expect(keys[1]).to.equal(keys[0]); // it may have been placed

    const blocked = new Error('Blocked by an extension');
    shop.popups.push = () => {
      throw blocked;
    };
    await flow.pay(shop.place, { cart: HONEY });
    expect(flow.state.screen).to.equal('shop');
    expect(flow.state.problem).to.deep.equal({ code: 'popup_failed', cause: blocked });
  });

  it('the payment flow says no more that a press failed once the shop knows how the payment ended', async () => {
    const { after, end } = buildTimers();
    const flow = openPage({ after });
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onConfirmationPending');
    await reaches(flow, 'pending');
    shop.responses.set('order-1', new ShopError(0, 'unreachable'));
    await flow.resume();
    expect(flow.state.problem?.code).to.equal('shop_unreachable');
    shop.responses.set('order-1', { status: 'successful' });
    await end(4_500);
    await reaches(flow, 'paid');
    expect(flow.state.problem).to.equal(undefined);
  });

  it('the payment flow shows a failed payment as paid once another tab has paid for the order', async () => {
    const { watch, notify } = buildNews();
    const flow = openPage({ watch });
    shop.responses.set('order-1', { status: 'failed' });
    flow.show('order-1');
    await reaches(flow, 'failed');
    shop.responses.set('order-1', { status: 'successful', reference: 'order-1-again' });
    notify('storage');
    await reaches(flow, 'paid');
    expect(flow.state.payment?.reference).to.equal('order-1-again');
  });

  it('the payment flow verifies a payment once at a time, and drops the response if it shows another one by then', async () => {
    const responded = Promise.withResolvers<void>();
    const { verify } = shop.api;
    shop.api.verify = async (reference, signal) => {
      const response = await verify(reference, signal);
      if (reference === 'order-7') await responded.promise;
      return response;
    };
    const { watch, notify } = buildNews();
    const flow = openPage({ watch });
    flow.show('order-7');
    notify('visible');
    expect(shop.verified).to.equal(1);
    flow.show('order-8');
    await reaches(flow, 'pending');
    responded.resolve();
    await new Promise((resolve) => setTimeout(resolve));

    expect(flow.state.payment?.reference).to.equal('order-8');
  });

  it('the payment flow takes no event of an open payment for news', async () => {
    let notify = (_payment: ShopPayment) => {};
    shop.api.events = (_reference, listener) => {
      notify = listener;
      return { close: () => {} };
    };
    const flow = openPage();
    shop.responses.set('order-7', { isWaitingForCustomer: true });
    flow.show('order-7');
    await reaches(flow, 'pending');
    notify({
      ...(await shop.api.verify('order-7', AbortSignal.timeout(1_000))),
      isWaitingForCustomer: false,
    });
    expect(flow.state.payment?.isWaitingForCustomer).to.equal(true);

    notify({
      ...(await shop.api.verify('order-7', AbortSignal.timeout(1_000))),
      status: 'successful',
    });
    expect(flow.state.screen).to.equal('paid');
  });

  it('the payment flow keeps the amount while the payment is verified', async () => {
    const flow = openPage();
    const place = async () => ({ reference: 'order-1', amount: '92.50', currency: 'ZMW' });
    await flow.pay(place, { cart: HONEY });
    shop.leave('onConfirmationPending');
    expect(flow.state.screen).to.equal('checking');
    expect(flow.state.payment).to.deep.equal({
      reference: 'order-1',
      amount: '92.50',
      currency: 'ZMW',
    });
  });

  it('the payment flow serves <service-pay>: prepare resolves with the options, and the events of that popup count once', async () => {
    const flow = openPage();
    const prepare = flow.prepare(shop.place, { cart: HONEY });
    const dispatch = (name: string) => document.dispatchEvent(new Event(`service-pay-${name}`));

    expect(await prepare()).to.deep.equal({ reference: 'order-1' });
    expect(flow.state.screen).to.equal('paying');
    dispatch('confirmation-pending');
    await reaches(flow, 'pending');
    dispatch('close');
    expect(flow.state.screen).to.equal('pending');
    expect(shop.popups).to.deep.equal([]);
  });

  it('the payment flow does not take a rejection by the routes for the state of a payment', async () => {
    const flow = createPaymentFlow({ ...shop, api: serviceOrigin, storage });
    flows.push(flow);
    flow.show('order-9');

    await reaches(flow, 'unknown-order');
  });

  it('the payment flow does not know a payment that the shop does not know, and forgets it', async () => {
    shop.responses.set('order-1', new ShopError(404, 'unknown'));
    const flow = openPage();
    flow.show('order-1');
    await reaches(flow, 'unknown-order');

    expect(flow.state.payment).to.deep.equal({ reference: 'order-1' });
  });

  it('the payment flow ends a wait for a place order that never responds, and lets other tabs go on', async () => {
    const { after, end } = buildTimers();
    const flow = openPage({ after });
    const paying = flow.pay(() => new Promise(() => {}), { cart: HONEY });
    await end(30_000);
    await paying;

    expect(flow.state).to.include({ screen: 'shop' });
    expect(flow.state.problem?.code).to.equal('place_failed');
    await openPage().pay(shop.place, { cart: HONEY });
    expect(shop.popups).to.have.length(1);
  });

  it('the payment flow counts a route that never responds as unreachable, and ends its request', async () => {
    const ended = Promise.withResolvers<void>();
    shop.api.open = (signal) => {
      signal.addEventListener('abort', () => ended.resolve());
      return new Promise(() => {});
    };
    const { after, end } = buildTimers();
    const flow = openPage({ after });
    const started = flow.start();
    await end(30_000);
    await Promise.all([started, ended.promise]);

    expect(flow.state.trouble).to.equal('shop-unreachable');
  });

  it('the payment flow pays if the browser blocks locks together with storage', async () => {
    const { request } = navigator.locks;
    navigator.locks.request = async () => {
      throw new DOMException('Access to the Locks API is denied.', 'SecurityError');
    };
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY }).finally(() => {
      navigator.locks.request = request;
    });

    expect(flow.state.screen).to.equal('paying');
  });

  it('the payment flow keeps an order for this page once the storage is full, although an older one is stored', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onClose');
    await reaches(flow, 'shop');
    storage.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    shop.responses.set('order-1', { status: 'failed' });
    await flow.pay(shop.place, { cart: COFFEE });
    shop.leave('onClose');
    await reaches(flow, 'shop');
    await flow.pay(shop.place, { cart: COFFEE });

    expect(shop.keys).to.have.length(3);
    expect(shop.keys[2]).to.equal(shop.keys[1]);
  });

  it('the payment flow drops an unfinished payment that the shop does not know without saying so', async () => {
    const { after, end } = buildTimers();
    const flow = openPage({ after });
    shop.open = 'order-7';
    await flow.start();
    expect(flow.state.screen).to.equal('unfinished');
    const seen: string[] = [];
    flow.subscribe(() => seen.push(flow.state.screen));
    shop.responses.set('order-7', new ShopError(404, 'unknown'));
    await end(3_000);
    await reaches(flow, 'shop');

    expect(seen).to.deep.equal(['shop']);
  });

  it('the payment flow does not know a payment whose reference the shop cannot read, such as one of a cut link', async () => {
    shop.responses.set('order 1', new ShopError(400, 'must be of the characters A-Z'));
    const flow = openPage();
    flow.show('order 1');
    await reaches(flow, 'unknown-order');
    storage.setItem('service-pay-flow', JSON.stringify({ reference: 'order 1' }));
    const next = openPage();
    await next.start();
    await next.pay(shop.place);

    expect(next.state.screen).to.equal('paying');
  });

  it('the payment flow takes the wish for a second order for one press only', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onConfirmationPending');
    flow.stop();
    await flow.start({ cart: HONEY });
    shop.responses.set('order-1', new ShopError(0, 'unreachable'));
    flow.payAnother();
    await flow.pay(shop.place, { cart: HONEY });
    expect(flow.state.problem?.code).to.equal('shop_unreachable');
    shop.responses.delete('order-1');
    await flow.pay(shop.place, { cart: HONEY });

    expect(flow.state.asks).to.equal('second-order');
    expect(shop.keys).to.have.length(1);
  });

  it('the payment flow forgets the wish for a second order if the customer continues the first', async () => {
    const flow = openPage();
    shop.open = 'order-7';
    await flow.start();
    flow.payAnother();
    await flow.resume();
    shop.leave('onClose');
    await reaches(flow, 'unfinished');
    await flow.pay(shop.place, { cart: HONEY });

    expect(flow.state.asks).to.equal('second-order');
    expect(shop.keys).to.have.length(0);
  });

  it('the payment flow opens nothing if the page is left while a failed payment is tried again', async () => {
    const flow = openPage();
    shop.responses.set('order-1', { status: 'failed' });
    flow.show('order-1');
    await reaches(flow, 'failed');
    const again = flow.payAgain();
    expect(flow.state.can.payAgain, 'a press is shown at once').to.equal(false);
    flow.stop();
    await again;

    expect(shop.popups).to.deep.equal([]);
  });

  it('the payment flow tries the order on screen again, and not one that failed in another tab since', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.responses.set('order-1', { status: 'failed' });
    shop.leave('onSuccess');
    await reaches(flow, 'failed');
    const tab = openPage();
    await tab.pay(shop.place, { cart: COFFEE });
    shop.responses.set('order-2', { status: 'failed' });
    shop.leave('onSuccess');
    await reaches(tab, 'failed');
    await flow.payAgain();

    expect(shop.popups.at(-1)).to.include({ reference: 'order-1-again' });
  });

  it('the payment flow still says that a payment is unfinished if its popup cannot open', async () => {
    shop.open = 'order-7';
    const flow = openPage();
    await flow.start();
    shop.popups.push = () => {
      throw new Error('Blocked by an extension');
    };
    await flow.resume();

    expect(flow.state.screen).to.equal('unfinished');
    expect(flow.state.problem?.code).to.equal('popup_failed');
  });

  it('the payment flow polls again only for news of its own in the storage', async () => {
    const news: string[] = [];
    const stop = findPage().watch((one) => news.push(one));
    dispatchEvent(new StorageEvent('storage', { key: 'heartbeat' }));
    dispatchEvent(new StorageEvent('storage', { key: 'service-pay-flow' }));
    dispatchEvent(new StorageEvent('storage', { key: null }));
    stop();

    expect(news).to.deep.equal(['storage', 'storage']);
  });

  it('the payment flow calls a shop of another origin with its cookie, and treats a response without data as none', async () => {
    const { fetch } = globalThis;
    const requests: (RequestInit | undefined)[] = [];
    globalThis.fetch = async (_path, request) => {
      requests.push(request);
      return Response.json({ status: false });
    };
    const flow = createPaymentFlow({ api: 'https://api.shop.example/api', storage });
    flows.push(flow);
    try {
      await flow.start();
    } finally {
      Object.assign(globalThis, { fetch });
    }

    expect(requests.map((request) => request?.credentials)).to.deep.equal(['include']);
    expect(flow.state.trouble).to.equal('shop-unreachable');
  });

  it('the payment flow still follows a payment of which nothing is known yet after <service-pay> was pressed in vain', async () => {
    const { after, end } = buildTimers();
    const flow = openPage({ after });
    await flow.pay(shop.place, { cart: HONEY });
    shop.responses.set('order-1', new ShopError(0, 'unreachable'));
    shop.leave('onConfirmationPending');
    await flow
      .prepare(shop.place, { cart: HONEY })()
      .catch(() => undefined);
    expect(flow.state.screen).to.equal('checking');
    expect(flow.state.problem?.code).to.equal('shop_unreachable');

    shop.responses.set('order-1', { status: 'successful' });
    await end(4_500);
    await reaches(flow, 'paid');
  });

  it('the payment flow takes orders again if <service-pay> was pressed twice, and the shop took neither', async () => {
    const flow = openPage();
    const fail = () => Promise.reject(new Error('500'));
    const presses = [1, 2].map(() => flow.prepare(fail, { cart: HONEY })());
    await Promise.allSettled(presses);

    expect(flow.state.screen).to.equal('shop');
    expect(flow.state.can.pay).to.equal(true);
  });

  it('the payment flow opens one popup where two <service-pay> are pressed, that of the last press', async () => {
    const flow = openPage();
    const presses = [1, 2].map(() => flow.prepare(shop.place, { cart: HONEY })());
    const [first, second] = await Promise.allSettled(presses);

    expect(first).to.have.nested.property('reason.name', 'AbortError');
    expect(second).to.have.nested.property('value.reference', 'order-1');
  });

  it('the payment flow calls off the popup of <service-pay> without an error where the shop no longer knows what was sent', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.leave('onConfirmationPending');
    shop.responses.set('order-1', new ShopError(404, 'unknown'));
    const error = await openPage()
      .prepare(shop.place, { cart: HONEY })()
      .catch((cause: unknown) => cause);

    expect(error).to.have.property('name', 'AbortError');
  });

  it('the payment flow takes no popup of another page for that of <service-pay> that was open at stop', async () => {
    const flow = openPage();
    await flow.prepare(shop.place, { cart: HONEY })();
    const kept = storage.getItem('service-pay-flow');
    flow.stop();
    document.dispatchEvent(new Event('service-pay-confirmation-pending'));

    expect(storage.getItem('service-pay-flow')).to.equal(kept);
  });

  it('the payment flow does not call a payment unfinished, which another tab showed as paid, when its popup closes', async () => {
    const flow = openPage();
    await flow.pay(shop.place, { cart: HONEY });
    shop.responses.set('order-1', { status: 'successful' });
    const tab = openPage();
    await tab.start({ cart: HONEY });
    expect(tab.state.screen).to.equal('paid');
    const seen: string[] = [];
    flow.subscribe(() => seen.push(flow.state.screen));
    shop.leave('onClose');
    await reaches(flow, 'paid');

    expect(seen).to.deep.equal(['shop', 'paid']);
  });
});
