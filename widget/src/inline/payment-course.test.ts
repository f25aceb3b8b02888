import { expect } from '@open-wc/testing';
import { PaymentCourse } from './payment-course.ts';

describe('the course of a payment', () => {
  let timers: { ms: number; act: () => void }[];
  let events: string[];
  let course: PaymentCourse;

  beforeEach(() => {
    timers = [];
    events = [];
    course = new PaymentCourse({
      send: ({ type }) => events.push(type),
      after: (ms, act) => {
        const timer = { ms, act };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
      stay: () => events.push('stay'),
      end: (outcome) => events.push(outcome),
    });
    course.learn('ready');
  });

  it('the course of a payment checks before it closes again if a frame that was lost speaks', () => {
    course.learn('lost');
    course.read({ type: 'money', state: 'unknown' });
    course.leave('escape', 0);

    expect(events).to.deep.equal(['leave']);
  });

  it('the course of a payment waits for the response to each question again, and once for the presses of one', () => {
    course.leave('escape', 0);
    course.leave('escape', 1);
    expect(timers).to.have.length(1);
    course.read({ type: 'stay' });
    expect(timers).to.have.length(0);

    expect(events).to.deep.equal(['leave', 'leave', 'stay']);
  });

  it('the course of a payment shows success for 30 s, also to a customer who was asked to stay', () => {
    course.leave('escape', 0);
    course.read({ type: 'money', state: 'paid' });
    course.read({ type: 'stay' });
    expect(events).to.deep.equal(['leave', 'stay']);

    expect(timers.map(({ ms }) => ms)).to.deep.equal([30_000]);
    timers[0]?.act();
    expect(events.at(-1)).to.equal('success');
  });

  it('the course of a payment shows success for as long as the customer likes who has kept it (D2)', () => {
    course.read({ type: 'money', state: 'paid' });
    course.read({ type: 'stay' });
    expect(timers).to.deep.equal([]);

    course.leave('close', 0);
    expect(events.at(-1)).to.equal('success');
  });
});
