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
function play(events: readonly Draw[], seen: Partial<Seen>, check: (step: Step) => void): void {
  let course = NOTHING_BEGUN;
  for (const draw of events) {
    const event = ('age' in draw ? { ...draw, turn: course.turn - draw.age } : draw) as CourseEvent;
    // the shop responds only to what it was asked
    if (event.on === 'response' || event.on === 'lost') if (!course.call) continue;
    const around = { kept: course.kept, isVisible: true, isFramed: false, now: 0, ...seen };
    const after = next(course, event, around);
    check({ before: course, event, seen: around, after });
    course = after;
  }
}

describe('the course of an order', () => {
  const holds = (check: (step: Step) => void, seen: Partial<Seen> = {}) =>
    fc.assert(
      fc.property(fc.array(draws, { maxLength: 30 }), (events) => play(events, seen, check)),
      { numRuns: 2_000 },
    );

  it('drops what comes too late: a response to an older question changes nothing', () => {
    holds(({ before, event, after }) => {
      if ('turn' in event && event.turn !== before.turn) expect(after).to.deep.equal(before);
    });
  });

  it('says how a payment ended only if the shop has just said so, or said so before', () => {
    const ends: Record<string, (payment: ShopPayment) => boolean | undefined> = {
      paid: ({ status }) => status === 'successful',
      failed: ({ status, mustContactShop }) => status === 'failed' && !mustContactShop,
      refused: ({ status, mustContactShop }) => status === 'failed' && mustContactShop,
      review: ({ status, isInReview }) => status === 'pending' && isInReview,
    };
    const heard: ShopPayment[] = [];
    holds(({ before, event, after }) => {
      if (before === NOTHING_BEGUN) heard.length = 0;
      if ('payment' in event && event.payment) heard.push(event.payment);
      const isEnd = ends[after.shown.screen];
      if (isEnd) expect(heard.some((payment) => isEnd(payment))).to.equal(true);
    });
  });

  it('keeps the key of an order before it is placed, and places it under no other', () => {
    holds(({ after }) => {
      if (after.call?.to === 'place') expect(after.kept?.key).to.equal(after.call.key);
    });
  });

  it('places nothing beside what was sent, unless that failed or a second order was chosen (D64)', () => {
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

  it('forgets what was sent only for another payment, a close without anything under way, or an end that is shown (D64)', () => {
    holds(({ before, event, after }) => {
      const lost = before.kept?.isSent && !after.kept?.isSent ? before.kept : undefined;
      if (!lost) return;
      const isEnd = /^(paid|refused|failed|review|unknown-order)$/.test(after.shown.screen);
      const isReplaced = after.kept !== undefined && after.kept.reference !== lost.reference;
      expect(isEnd || isReplaced || event.on === 'closed').to.equal(true);
    });
  });

  it('never forgets in a hidden tab what was sent', () => {
    holds(
      ({ before, event, after }) => {
        if ((event.on === 'page' || event.on === 'news') && before.kept?.isSent)
          expect(after.kept).to.include({ reference: before.kept.reference, isSent: true });
      },
      { isVisible: false },
    );
  });

  it('ends with stop: nothing is under way or on screen', () => {
    holds(({ event, after }) => {
      if (event.on !== 'stop') return;
      expect(after.task).to.equal(undefined);
      expect(after.call).to.equal(undefined);
      expect(after.shown).to.deep.equal({ screen: 'shop' });
    });
  });

  it('forgets what was sent 30 days ago', () => {
    const kept: KeptOrder = { reference: 'order-1', isSent: true, sentAt: 0 };
    const around = { kept, isVisible: true, isFramed: false };
    const event = { on: 'start', cart: 'honey' } as const;
    const { call } = next(NOTHING_BEGUN, event, { ...around, now: 30 * DAY_MS });
    expect(call).to.deep.equal({ to: 'verify', reference: 'order-1' });

    const later = next(NOTHING_BEGUN, event, { ...around, now: 30 * DAY_MS + 1 });
    expect(later.kept).to.equal(undefined);
    expect(later.call).to.deep.equal({ to: 'open' });
  });
});
