import type { MoneyState } from '@service-pay/contract/frame-messages';

/** How an opened popup ended (specification 3, D1). */
export type Outcome = 'success' | 'closed' | 'confirmation-pending';

/** All the page knows of one opened popup. Once there is an outcome, nothing changes it. */
export interface Known {
  readonly frame: 'loading' | 'talking' | 'lost';
  readonly money: MoneyState;
  /**
   * The customer wants to leave and the frame has been asked whether something holds the popup
   * (D15).
   */
  readonly asking: boolean;
  readonly outcome: Outcome | undefined;
}

/**
 * What can happen, in any order: the frame can be talked to (`ready`), is loaded anew (`retry`) or
 * is gone (`lost`); it says what it knows of the money; Close, Escape or back is pressed (`leave`),
 * and answered by `stay`, `close` or not at all (`unanswered`). The page's own code and the end of
 * the success screen also `close`.
 */
export type Fact =
  | 'ready'
  | 'retry'
  | 'lost'
  | MoneyState
  | 'leave'
  | 'stay'
  | 'unanswered'
  | 'close';

/** What is known when a popup opens. */
export const NOTHING_KNOWN: Known = {
  frame: 'loading',
  money: 'none',
  asking: false,
  outcome: undefined,
};

const OUTCOMES: Record<MoneyState, Outcome> = {
  none: 'closed',
  unknown: 'confirmation-pending',
  paid: 'success',
};

/**
 * Turns what is known and what happens into what is known next: the only place where an outcome is
 * decided (D1). Paid stays paid, and a popup nobody can answer for closes with what is known of the
 * money: nothing moves is `closed`, nobody knows is `confirmation-pending` (D13–D16).
 */
export function learn(known: Known, fact: Fact): Known {
  if (known.outcome) return known;
  switch (fact) {
    case 'ready':
      return { ...known, frame: 'talking' };
    case 'retry':
      return { ...known, frame: 'loading' };
    case 'lost':
      return known.asking ? end(known) : { ...known, frame: 'lost' };
    case 'leave':
      return known.frame === 'talking' && known.money !== 'paid'
        ? { ...known, asking: true }
        : end(known);
    case 'stay':
      return { ...known, asking: false };
    case 'unanswered':
      return known.asking ? end(known) : known;
    case 'close':
      return end(known);
    default:
      return known.money === 'paid' ? known : { ...known, money: fact };
  }
}

function end(known: Known): Known {
  return { ...known, asking: false, outcome: OUTCOMES[known.money] };
}
