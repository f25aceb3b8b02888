import fc from 'fast-check';
import { HOUR_MS, MINUTE_MS, type Network, SECOND_MS } from './world.ts';

export const MOST_TABS = 4;

export type InTab = { tab: number };
export type Step =
  | { do: 'open shop'; device: number }
  | { do: 'open link'; device: number; reference: number }
  | ({
      do:
        | 'reload'
        | 'go back'
        | 'switch to'
        | 'close tab'
        | 'submit'
        | 'get more time'
        | 'close popup';
    } & InTab)
  | ({ do: 'press'; what: number; isHasty: boolean } & InTab)
  | ({ do: 'change cart' } & InTab)
  | { do: 'sign in'; device: number; keeps: boolean }
  | ({ do: 'freeze' } & InTab)
  | { do: 'approve'; prompt: number; isReported: boolean }
  | { do: 'decline'; prompt: number }
  | { do: 'wait'; ms: number }
  | { do: 'service'; responds: boolean }
  | { do: 'network'; network: Network; latencyMs: number };

export interface ShoppingHistory {
  keepsNothing: boolean;
  isSideBySide: boolean;
  steps: Step[];
}

const tab = fc.nat(MOST_TABS - 1);
const device = fc.constantFrom(0, 0, 0, 1);
const index = fc.nat(5);
const of = <const Name extends string>(...names: Name[]) => fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: of('open shop'), device }) },
  { weight: 2, arbitrary: fc.record({ do: of('open link'), device, reference: index }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: of('reload', 'go back', 'switch to', 'close tab'), tab }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: of('press'),
      tab,
      what: fc.constantFrom(0, 0, 1, 2),
      isHasty: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: of('submit'), tab }) },
  { weight: 6, arbitrary: fc.record({ do: of('close popup'), tab }) },
  { weight: 2, arbitrary: fc.record({ do: of('get more time', 'change cart'), tab }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: of('approve'), prompt: index, isReported: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: of('decline'), prompt: index }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: of('wait'),
      ms: fc.constantFrom(
        3 * SECOND_MS,
        MINUTE_MS,
        4 * MINUTE_MS,
        28 * MINUTE_MS,
        31 * MINUTE_MS,
        25 * HOUR_MS,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: of('service'), responds: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: of('sign in'), device, keeps: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: of('freeze'), tab }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: of('network'),
      network: fc.constantFrom<Network>('works', 'works', 'loses responses', 'is down'),
      latencyMs: fc.constantFrom(0, 0, 80, 4 * SECOND_MS),
    }),
  },
);

export const open = { do: 'open shop', device: 0 } as const;
export const press = { do: 'press', tab: 0, what: 0, isHasty: false } as const;
export const submit = { do: 'submit', tab: 0 } as const;
export const close = { do: 'close popup', tab: 0 } as const;
const decline = { do: 'decline', prompt: 0 } as const;
export const wait = (ms: number) => ({ do: 'wait', ms }) as const;
export const inTab = (one: Step, tab: number): Step => ('tab' in one ? { ...one, tab } : one);

/** A prompt is on the phone, and the popup is closed. */
export const closedWhileWaiting: readonly Step[] = [open, press, submit, close];

/** The first prompt was declined, and a second payment waits on the phone. */
export const secondPaymentWaits: readonly Step[] = [
  ...closedWhileWaiting,
  decline,
  wait(31 * MINUTE_MS),
  press,
  submit,
  close,
];

const BEGINNINGS: readonly (readonly Step[])[] = [
  [open],
  closedWhileWaiting,
  [open, press, submit, decline, close],
  [open, press, close, open],
  secondPaymentWaits,
];

export const shoppings: fc.Arbitrary<ShoppingHistory> = fc
  .record({
    keepsNothing: fc.constantFrom(false, false, false, true),
    isSideBySide: fc.constantFrom(false, false, true),
    steps: fc
      .tuple(fc.constantFrom(...BEGINNINGS), fc.array(step, { minLength: 4, maxLength: 20 }))
      .map(([beginning, steps]) => [...beginning, ...steps]),
  })
  .map((shopping) => (shopping.keepsNothing ? inOneTab(shopping) : shopping));

/** Without storage, two tabs can each place an order for the same cart (docs/flow.md, Limits). */
function inOneTab(shopping: ShoppingHistory): ShoppingHistory {
  const [first, ...others] = shopping.steps;
  const steps = others.filter(({ do: what }) => !what.startsWith('open'));
  return { ...shopping, steps: [first!, ...steps] };
}
