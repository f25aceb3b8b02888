import { expect } from '@open-wc/testing';
import fc from 'fast-check';

import { type Fact, type Known, learn, NOTHING_KNOWN, type Outcome } from './outcome.ts';

const FACTS: readonly Fact[] = [
  'ready',
  'retry',
  'lost',
  'none',
  'unknown',
  'paid',
  'leave',
  'stay',
  'silent',
  'close',
];

const after = (...facts: Fact[]): Known => facts.reduce(learn, NOTHING_KNOWN);

/**
 * Facts and the outcome they lead to: the written table of T14. Undefined: the popup is still open.
 */
const TABLE: readonly (readonly [string, Fact[], Outcome | undefined])[] = [
  ['closed before the frame came', ['leave'], 'closed'],
  ['closed after the frame failed to come', ['lost', 'leave'], 'closed'],
  ['closed by code at once', ['close'], 'closed'],
  ['Close is pressed, and the frame agrees', ['ready', 'leave', 'close'], 'closed'],
  ['Close is pressed, and the frame does not respond', ['ready', 'leave', 'silent'], 'closed'],
  ['Close is pressed, and the frame dies', ['ready', 'leave', 'lost'], 'closed'],
  ['Close is pressed, and the customer stays', ['ready', 'leave', 'stay'], undefined],
  [
    'the customer stays, and the wait for a response runs out',
    ['ready', 'leave', 'stay', 'silent'],
    undefined,
  ],
  [
    'submitted, then Close anyway',
    ['ready', 'unknown', 'leave', 'stay', 'close'],
    'confirmation-pending',
  ],
  [
    'submitted, then no response to Close',
    ['ready', 'unknown', 'leave', 'silent'],
    'confirmation-pending',
  ],
  [
    'submitted, connection lost, closed (D14)',
    ['ready', 'unknown', 'lost', 'leave'],
    'confirmation-pending',
  ],
  [
    'submitted, connection lost, tried again, closed by code',
    ['ready', 'unknown', 'lost', 'retry', 'close'],
    'confirmation-pending',
  ],
  ['submitted, closed by code (T13)', ['ready', 'unknown', 'close'], 'confirmation-pending'],
  ['declined, then closed (D16)', ['ready', 'unknown', 'none', 'leave', 'close'], 'closed'],
  [
    'declined, tried again, closed while unsure',
    ['ready', 'unknown', 'none', 'unknown', 'close'],
    'confirmation-pending',
  ],
  ['paid and shown', ['ready', 'unknown', 'paid', 'close'], 'success'],
  ['paid, then Close before it went by itself', ['ready', 'unknown', 'paid', 'leave'], 'success'],
  [
    'paid while the customer is being asked',
    ['ready', 'unknown', 'leave', 'stay', 'paid', 'close'],
    'success',
  ],
  ['paid, then the frame dies', ['ready', 'unknown', 'paid', 'lost', 'close'], 'success'],
  ['paid already when opened (D18)', ['ready', 'paid', 'close'], 'success'],
  ['paid, then something else is said', ['ready', 'paid', 'none', 'unknown', 'close'], 'success'],
];

describe('outcome', () => {
  for (const [what, facts, outcome] of TABLE) {
    it(`the outcome of "${what}" is ${outcome ?? 'still open'} (T14)`, () => {
      expect(after(...facts).outcome).to.equal(outcome);
    });
  }

  it('the outcome is exactly one, whatever happens in whatever order, and nothing later changes it (D1, T14)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...FACTS)),
        fc.array(fc.constantFrom(...FACTS)),
        (before, later) => {
          const ended = learn(after(...before), 'close');

          expect(later.reduce(learn, ended)).to.equal(ended);
          expect(ended.outcome).to.be.oneOf(['success', 'closed', 'confirmation-pending']);
        },
      ),
    );
  });

  it('the outcome is success exactly if paid was said before the end, and never closed while nobody knows (D1, D14)', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...FACTS)), (facts) => {
        let known = NOTHING_KNOWN;
        let money: Fact = 'none';
        for (const fact of [...facts, 'close' as const]) {
          if (!known.outcome && money !== 'paid' && ['none', 'unknown', 'paid'].includes(fact))
            money = fact;
          known = learn(known, fact);
        }

        expect(known.outcome).to.equal(
          { none: 'closed', unknown: 'confirmation-pending', paid: 'success' }[money as 'none'],
        );
      }),
    );
  });

  it('a popup does not end without a reason of the customer, the page or the frame', () => {
    const quiet = FACTS.filter((fact) => fact !== 'leave' && fact !== 'close');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...quiet)), (facts) => {
        expect(after(...facts).outcome).to.equal(undefined);
      }),
    );
  });
});
