import type { MoneyState } from '@service-pay/contract/frame-messages';

/** The result of a popup (specification 3, D1). */
export type Outcome = 'success' | 'closed' | 'confirmation-pending';

export interface Known {
  readonly frame: 'loading' | 'talking' | 'lost';
  readonly money: MoneyState;
  /** The customer wants to leave, and the frame has not said yet whether the popup may close (D15). */
  readonly leaving: boolean;
  readonly outcome: Outcome | undefined;
}

/**
 * An event, in any order: the frame can be reached (`ready`), is reloading (`retry`) or is gone
 * (`lost`); it reports the state of the money; Close, Escape or back is pressed (`leave`), and the
 * frame responds with `stay`, `close` or nothing (`silent`). The page's own code and the end of the
 * success screen also `close`.
 */
export type Fact = 'ready' | 'retry' | 'lost' | MoneyState | 'leave' | 'stay' | 'silent' | 'close';

export const NOTHING_KNOWN: Known = {
  frame: 'loading',
  money: 'none',
  leaving: false,
  outcome: undefined,
};

const OUTCOMES: Record<MoneyState, Outcome> = {
  none: 'closed',
  unknown: 'confirmation-pending',
  paid: 'success',
};

/**
 * Returns what is known after `fact`. The only place that decides an outcome (D1): paid stays paid,
 * and a popup whose frame cannot respond closes by what is known of the money (D13–D16).
 */
export function learn(known: Known, fact: Fact): Known {
  if (known.outcome) return known;
  switch (fact) {
    case 'ready':
      return { ...known, frame: 'talking' };
    case 'retry':
      return { ...known, frame: 'loading' };
    case 'lost':
      return known.leaving ? end(known) : { ...known, frame: 'lost' };
    case 'leave':
      return known.frame === 'talking' && known.money !== 'paid'
        ? { ...known, leaving: true }
        : end(known);
    case 'stay':
      return { ...known, leaving: false };
    case 'silent':
      return known.leaving ? end(known) : known;
    case 'close':
      return end(known);
    default:
      return known.money === 'paid' ? known : { ...known, money: fact };
  }
}

function end(known: Known): Known {
  return { ...known, leaving: false, outcome: OUTCOMES[known.money] };
}
