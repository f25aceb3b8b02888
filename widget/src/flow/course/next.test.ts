import { expect } from '@open-wc/testing';
import fc from 'fast-check';
import { type KeptOrder, wasSent } from '../kept-order.ts';
import type { ShopPayment } from '../shop-api.ts';
import { type Course, type CourseEvent, NOTHING_BEGUN, type Seen } from './course.ts';
import { next } from './next.ts';

const DAY_MS = 24 * 60 * 60_000;

const reference = fc.constantFrom('order-1', 'order-2');
const cart = fc.constantFrom('honey', 'coffee');
const options = fc.record({ reference });
const payment: fc.Arbitrary<ShopPayment> = fc.record({
  reference,
  status: fc.constantFrom('successful', 'failed', 'pending'),
  amount: fc.constant('92.50'),
  currency: fc.constant('ZMW'),
  isWaitingForCustomer: fc.boolean(),
  isInReview: fc.boolean(),
  mustContactShop: fc.boolean(),
});
const status = fc.constantFrom(0, 400, 401, 404, 429, 500, 503);
/** How many turns ago the question was. */
const age = fc.constantFrom(0, 0, 0, 1);

type Untimed<Event> = Event extends { turn: number }
  ? Omit<Event, 'turn'> & { age: number }
  : Event;
type Draw = Untimed<CourseEvent>;

const draws: fc.Arbitrary<Draw> = fc.oneof(
  fc.record({ on: fc.constant('start'), cart }),
  fc.record({
    on: fc.constant('press'),
    what: fc.constant('pay'),
    cart,
    newKey: fc.string({ minLength: 8, maxLength: 8 }),
    isElement: fc.boolean(),
  }),
  fc.record({
    on: fc.constant('press'),
    what: fc.constantFrom('resume', 'pay-again', 'pay-another'),
  }),
  fc.record({ on: fc.constant('show'), reference }),
  fc.record({ on: fc.constant('stop') }),
  fc.record({ on: fc.constant('turn'), age }),
  fc.record({ on: fc.constant('response'), age, payment }),
  fc.record({ on: fc.constant('response'), age, options: fc.option(options) }),
  fc.record({
    on: fc.constant('lost'),
    age,
    status,
    cause: fc.constant('lost'),
    isOffline: fc.boolean(),
  }),
  fc.record({ on: fc.constant('not-opened'), age, cause: fc.constant('blocked') }),
  fc.record({ on: fc.constant('sent'), reference }),
  fc.record({ on: fc.constant('closed'), reference }),
  fc.record({ on: fc.constant('closed') }),
  fc.record({ on: fc.constant('news'), age, payment }),
  fc.record({ on: fc.constant('news'), age, status }),
  fc.record({
    on: fc.constant('page'),
    news: fc.constantFrom('visible', 'hidden', 'online', 'offline', 'storage'),
  }),
  fc.record({ on: fc.constant('look-again'), age }),
) as fc.Arbitrary<Draw>;

interface Step {
  before: Course;
  event: CourseEvent;
  seen: Seen;
  after: Course;
}

/** Plays events, each with what the storage kept after the last, as a page does. */
function play(
  events: readonly Draw[],
  seen: Partial<Seen> = {},
  check: (step: Step) => void = () => {},
  begun = NOTHING_BEGUN,
): Course {
  let course = begun;
  for (const draw of events) {
    const event = ('age' in draw ? { ...draw, turn: course.turn - draw.age } : draw) as CourseEvent;
    // the shop responds only to what was requested
    const { call } = course;
    if (event.on === 'lost' && !call) continue;
    if (event.on === 'response' && (!call || !event.payment === (call.to === 'verify'))) continue;
    const around = { kept: course.kept, isVisible: true, isFramed: false, now: 0, ...seen };
    const after = next(course, event, around);
    check({ before: course, event, seen: around, after });
    course = after;
  }
  return course;
}

const HONEY = { key: 'key-1', cart: 'honey', reference: 'order-1' };
const SENT: KeptOrder = { ...HONEY, isSent: true, sentAt: 0 };

const start = { on: 'start', cart: 'honey' } as const;
const press = {
  on: 'press',
  what: 'pay',
  cart: 'honey',
  newKey: 'key-2',
  isElement: false,
} as const;
const turn = { on: 'turn', age: 0 } as const;
const page = (news: 'offline' | 'storage' | 'visible') => ({ on: 'page', news }) as const;
const names = (named?: string) =>
  ({ on: 'response', age: 0, options: named === undefined ? null : { reference: named } }) as const;
const fails = (status: number) =>
  ({ on: 'lost', age: 0, status, cause: 'lost', isOffline: false }) as const;
const says = (on: 'response' | 'news', more: Partial<ShopPayment> = {}): Draw => ({
  on,
  age: 0,
  payment: {
    reference: 'order-1',
    status: 'pending',
    amount: '92.50',
    currency: 'ZMW',
    isWaitingForCustomer: false,
    ...more,
  },
});

/** Plays events in a browser that keeps an order. */
const playKept = (kept: KeptOrder, events: readonly Draw[], seen: Partial<Seen> = {}) =>
  play(events, seen, undefined, { ...NOTHING_BEGUN, kept });

describe('the course of an order', () => {
  const holds = (check: (step: Step) => void, seen: Partial<Seen> = {}) =>
    fc.assert(
      fc.property(fc.array(draws, { maxLength: 30 }), (events) => void play(events, seen, check)),
      { numRuns: 2_000 },
    );

  it('the course of an order drops what comes too late: a response to an older question changes nothing', () => {
    holds(({ before, event, after }) => {
      if ('turn' in event && event.turn !== before.turn) expect(after).to.deep.equal(before);
    });
  });

  it('the course of an order says how a payment ended only if the shop has just said so, or said so before', () => {
    const ends: Record<string, (payment: ShopPayment) => boolean | undefined> = {
      paid: ({ status }) => status === 'successful',
      failed: ({ status, mustContactShop }) => status === 'failed' && !mustContactShop,
      refused: ({ status, mustContactShop }) => status === 'failed' && mustContactShop,
      review: ({ status, isInReview }) => status === 'pending' && isInReview,
    };
    const received: ShopPayment[] = [];
    holds(({ before, event, after }) => {
      if (before === NOTHING_BEGUN) received.length = 0;
      if ('payment' in event && event.payment) received.push(event.payment);
      const isEnd = ends[after.shown.screen];
      if (isEnd) expect(received.some((payment) => isEnd(payment))).to.equal(true);
    });
  });

  it('the course of an order keeps the key of an order before it is placed, and places it under no other', () => {
    holds(({ after }) => {
      if (after.call?.to === 'place') expect(after.kept?.key).to.equal(after.call.key);
    });
  });

  it('the course of an order places nothing beside what was sent, unless that failed or a second order was chosen (D64)', () => {
    holds(({ before, after }) => {
      const { task, call, kept } = after;
      const isBeside =
        call?.to === 'place' &&
        before.kept &&
        wasSent(before.kept) &&
        kept?.key !== before.kept.key;
      if (!isBeside || task?.is !== 'pay') return;
      expect(task.wantsSecond || task.failed !== undefined).to.equal(true);
    });
  });

  it('the course of an order forgets what was sent only for another payment, a close with nothing under way, or an end that is shown (D64)', () => {
    holds(({ before, event, after }) => {
      const lost = before.kept?.isSent && !after.kept?.isSent ? before.kept : undefined;
      if (!lost) return;
      const isEnd = /^(paid|refused|failed|review|unknown-order)$/.test(after.shown.screen);
      const isReplaced = after.kept !== undefined && after.kept.reference !== lost.reference;
      expect(isEnd || isReplaced || event.on === 'closed').to.equal(true);
    });
  });

  it('the course of an order never forgets in a hidden tab what was sent', () => {
    holds(
      ({ before, event, after }) => {
        if ((event.on === 'page' || event.on === 'news') && before.kept?.isSent)
          expect(after.kept).to.include({ reference: before.kept.reference, isSent: true });
      },
      { isVisible: false },
    );
  });

  it('the course of an order ends with stop: nothing is under way or on screen', () => {
    holds(({ event, after }) => {
      if (event.on !== 'stop') return;
      expect(after.task).to.equal(undefined);
      expect(after.call).to.equal(undefined);
      expect(after.shown).to.deep.equal({ screen: 'shop' });
    });
  });

  for (const [how, kept] of Object.entries({
    'was sent': playKept(HONEY, [{ on: 'sent', reference: 'order-1' }]).kept!,
    'waited for its customer when the shop was polled': playKept(HONEY, [
      start,
      says('response', { isWaitingForCustomer: true }),
    ]).kept!,
  }))
    it(`the course of an order forgets after 30 days what ${how}`, () => {
      const { call } = playKept(kept, [start], { now: 30 * DAY_MS });
      expect(call).to.deep.equal({ to: 'verify', reference: 'order-1' });

      const later = playKept(kept, [start], { now: 30 * DAY_MS + 1 });
      expect(later.kept).to.equal(undefined);
      expect(later.call).to.deep.equal({ to: 'open' });
    });

  it('the course of an order leaves what another tab has kept since a question as it is when the response comes too late', () => {
    const before = playKept(SENT, [start, press, turn]);
    const ofOtherTab = { ...HONEY, reference: 'order-2' };
    const seen = { kept: ofOtherTab, isVisible: true, isFramed: false, now: 0 };
    const late = { ...says('response'), turn: before.turn - 1 } as CourseEvent;
    expect(next(before, late, seen).kept).to.equal(ofOtherTab);
  });

  it('the course of an order polls neither in a hidden tab nor after the network has gone away', () => {
    const atShop = [start, names()];
    expect(play([...atShop, page('visible')]).call).to.deep.equal({ to: 'open' });
    expect(play([...atShop, page('storage')], { isVisible: false }).call).to.equal(undefined);
    expect(play([...atShop, page('offline')]).call).to.equal(undefined);
  });

  it('the course of an order asks about a second order for as long as the shop does not know what was sent', () => {
    const second = playKept(SENT, [start, press, turn, fails(404)]);
    expect(second.shown).to.include({ screen: 'unfinished', asks: 'second-order' });

    const later = play([{ on: 'news', age: 0, status: 404 }], {}, undefined, second);
    expect(later.shown).to.include({ screen: 'unfinished', asks: 'second-order' });
    expect(later.turn, 'it polls on').to.equal(second.turn);
  });

  it('the course of an order keeps the cart for sale beside a payment whose owner changed, also once the shop knows it again', () => {
    const unknown = [{ on: 'news', age: 0, status: 404 }, says('news')] as const;
    const { shown } = playKept(SENT, [{ on: 'show', reference: 'order-1' }, ...unknown]);
    expect(shown.screen).to.equal('unfinished');
  });

  it('the course of an order never takes for unknown what waits for its customer as the shop said before', () => {
    const { shown, kept } = playKept({ ...HONEY, isWaiting: true }, [start, fails(404)]);
    expect(shown).to.include({ screen: 'unfinished', isUnknown: true });
    expect(kept?.reference).to.equal('order-1');
  });

  it('the course of an order shows that a payment failed although the shop cannot be polled for what else is open', () => {
    const { shown } = playKept(SENT, [start, says('response', { status: 'failed' }), fails(0)]);
    expect(shown.screen).to.equal('failed');
  });

  it('the course of an order shows that a payment failed also where another one of its customer is open', () => {
    const failed = says('response', { status: 'failed' });
    const { shown } = playKept(SENT, [start, failed, names('order-2')]);
    expect(shown.screen).to.equal('failed');
    expect(shown.payment?.reference).to.equal('order-1');
  });

  it('the course of an order forgets an order that nobody sent and the shop does not know, and looks for another', () => {
    const { kept, call } = playKept(HONEY, [start, fails(404)]);
    expect(kept).to.equal(undefined);
    expect(call).to.deep.equal({ to: 'open' });
  });

  it('the course of an order finds an order whose response was lost by its key, whatever else is open', () => {
    const { call } = playKept({ key: 'key-1', cart: 'honey' }, [press, turn]);
    expect(call).to.deep.equal({ to: 'place', key: 'key-1' });
  });

  it('the course of an order uses the order that a tab beside it has placed for the same cart, and never one for another', () => {
    const placing = play([press, turn, names()]);
    expect(placing.call).to.deep.equal({ to: 'place', key: 'key-2' });
    const afterOther = (cart: string) =>
      play([names('order-2')], { kept: { ...HONEY, cart } }, undefined, placing);

    expect(afterOther('honey').call).to.deep.equal({ to: 'place', key: 'key-1' });
    const { call, shown } = afterOther('coffee');
    expect(call).to.equal(undefined);
    expect(shown).to.deep.equal({ screen: 'paying', payment: { reference: 'order-2' } });
  });

  it('the course of an order opens a popup in a frame although the shop does not say that it knows the order', () => {
    const placed = [press, turn, names(), names('order-1')];
    expect(play(placed, { isFramed: true }).call).to.include({ to: 'verify' });
    const { shown } = play([...placed, fails(0)], { isFramed: true });
    expect(shown.screen).to.equal('paying');
  });

  for (const [how, response] of Object.entries({ 'knows it': says('response'), fails: fails(0) }))
    it(`the course of an order opens nothing in a frame after the popup of <service-pay> was closed, if the shop ${how}`, () => {
      const placed = [{ ...press, isElement: true }, turn, names(), names('order-1')];
      const { shown, task } = play([...placed, { on: 'closed' }, response], { isFramed: true });
      expect(shown.screen).to.equal('shop');
      expect(task?.is).to.equal('check');
    });

  it('the course of an order says no more that the shop cannot be reached once it says again that an untried payment is open', () => {
    const failed = says('response', { status: 'failed' });
    const second = playKept(HONEY, [{ ...press, cart: 'coffee' }, turn, failed, names('order-1')]);
    const without = play([{ on: 'news', age: 0, status: 0 }], {}, undefined, second);
    expect(without.shown.trouble).to.equal('shop-unreachable');

    const { shown } = play([says('news', { status: 'failed' })], {}, undefined, without);
    expect(shown).to.include({ screen: 'unfinished', isPayable: true, trouble: undefined });
  });

  for (const [how, events] of Object.entries({
    'is found at the shop': [],
    'stays after a press that failed': [{ ...press, cart: 'coffee' }, turn, fails(0)],
  }))
    it(`the course of an order follows a payment in review that ${how}, until the shop has decided`, () => {
      const inReview = playKept(SENT, [start, says('response', { isInReview: true }), ...events]);
      expect(inReview.shown.screen).to.equal('review');

      const paid = says('news', { status: 'successful' });
      expect(play([paid], {}, undefined, inReview).shown.screen).to.equal('paid');
    });

  it('the course of an order sells a cart whose payment is in review not again, but another cart', () => {
    const inReview = playKept(SENT, [start, says('response', { isInReview: true })]);
    const again = says('response', { isInReview: true });
    const { shown, call } = play([press, turn, again], {}, undefined, inReview);
    expect([shown.screen, call]).to.deep.equal(['review', undefined]);

    const other = play([{ ...press, cart: 'coffee' }, turn, again], {}, undefined, inReview);
    expect(other.call).to.deep.equal({ to: 'place', key: 'key-2' });
  });

  it('the course of an order shows a payment in review once at the shop', () => {
    const review = says('response', { isInReview: true });
    const { kept } = playKept(SENT, [start, review]);
    expect(playKept(kept!, [start, review]).shown).to.deep.equal({ screen: 'shop' });
  });

  it('the course of an order keeps that another tab has sent a payment, when its own popup closes before the order is placed', () => {
    const placing = play([{ ...press, isElement: true }, turn, names()]);
    const sent = { kept: { ...SENT, key: 'key-2' } };
    const left = play([{ on: 'closed' }, names('order-1')], sent, undefined, placing);
    expect(left.kept).to.include({ reference: 'order-1', isSent: true });
    expect(play([says('response')], { kept: left.kept }, undefined, left).shown.screen).to.equal(
      'unfinished',
    );
  });

  it("the course of an order places an order under a new key where the kept one is no longer this browser's", () => {
    const failed = says('response', { status: 'failed' });
    const { call } = playKept(HONEY, [press, turn, failed, names(), fails(404)]);
    expect(call).to.deep.equal({ to: 'place', key: 'key-2' });
  });

  it('the course of an order shows how an unfinished payment ended before it makes another one', () => {
    const resume = { on: 'press', what: 'resume' } as const;
    const failed = says('response', { status: 'failed' });
    const { shown, call } = playKept(SENT, [start, says('response'), resume, failed]);
    expect(shown.screen).to.equal('failed');
    expect(call).to.equal(undefined);
  });

  it('the course of an order shows an open payment beside another cart as soon as its popup closes', () => {
    const closed = { on: 'closed', reference: 'order-1' } as const;
    const { shown } = playKept({ ...HONEY, cart: 'coffee' }, [start, closed]);
    expect(shown.screen).to.equal('unfinished');
  });

  for (const on of ['sent', 'closed'] as const)
    it(`the course of an order begins nothing after stop, whatever the popup reports: ${on}`, () => {
      const reports = { on, reference: 'order-1' } as const;
      const { task, call, kept } = playKept(SENT, [{ on: 'stop' }, reports]);
      expect([task, call]).to.deep.equal([undefined, undefined]);
      expect(kept?.isSent).to.equal(on === 'sent');
    });

  describe('after Try again', () => {
    const failed = says('news', { status: 'failed' });
    const again = { on: 'press', what: 'pay-again' } as const;
    const pressed = [{ on: 'show', reference: 'order-1' }, failed, again, turn, names()] as const;

    it('the course of an order follows, after Try again, what another tab has begun since, also if it is no longer open', () => {
      const { shown, call } = play(pressed, { kept: { ...SENT, reference: 'order-2' } });
      expect(shown).to.deep.include({ screen: 'checking', payment: { reference: 'order-2' } });
      expect(call).to.equal(undefined);
    });

    it('the course of an order keeps, after Try again, the new payment as one whose end nobody has seen', () => {
      const { kept } = playKept(SENT, [...pressed, names('order-1-again')]);
      expect(kept).to.include({ key: 'key-1', reference: 'order-1-again', isSeen: false });
    });
  });

  it('the course of an order shows the shop where Continue finds that a payment nobody sent is unknown', () => {
    const resume = { on: 'press', what: 'resume' } as const;
    const named = [start, names('order-1'), says('response')] as const;
    expect(play([...named, resume, fails(404)]).shown.screen).to.equal('shop');
  });

  it('the course of an order polls a payment that a person looks at until that has ended', () => {
    const shows = [
      { on: 'show', reference: 'order-1' },
      says('news', { isInReview: true }),
    ] as const;
    expect(play(shows).shown.screen).to.equal('review');
    expect(play([...shows, says('news', { status: 'successful' })]).shown.screen).to.equal('paid');
  });

  it('the course of an order forgets a payment whose end is shown, also if an older one of its order was looked for', () => {
    const newest = { ...SENT, reference: 'order-2' };
    const paid = says('news', { reference: 'order-2', status: 'successful' });
    const { kept } = playKept(newest, [{ on: 'show', reference: 'order-1' }, paid]);
    expect(kept).to.equal(undefined);
  });

  it('the course of an order looks at the payment on screen after another tab has shown and forgotten how it ended', () => {
    const onScreen = playKept(SENT, [start, says('response')]);
    const { call } = play([start], {}, undefined, { ...onScreen, kept: undefined });
    expect(call).to.deep.equal({ to: 'verify', reference: 'order-1' });
  });

  it('the course of an order takes no wish for a second order where there is no first, and forgets one at stop', () => {
    const another = { on: 'press', what: 'pay-another' } as const;
    expect(play([start, names(), another]).wantsSecond).to.equal(false);
    const wished = [start, says('response'), another] as const;
    expect(playKept(SENT, wished).wantsSecond).to.equal(true);
    expect(playKept(SENT, [...wished, { on: 'stop' }]).wantsSecond).to.equal(false);
  });
});
