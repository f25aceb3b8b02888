import type { FaultSettings } from '@service-pay/sandbox';

export const TROUBLES = {
  well: {},
  lies: {},
  hang: { merchantApi: { rate: 1, kind: 'hang' } },
  drip: { merchantApi: { rate: 1, kind: 'drip', latencyMs: 300 } },
  reset: { merchantApi: { rate: 1, kind: 'reset' } },
  truncate: { merchantApi: { rate: 1, kind: 'truncate' } },
  error: { merchantApi: { rate: 1, kind: 'status', status: 500 } },
  busy: { merchantApi: { rate: 1, kind: 'status', status: 429 } },
  shaky: { merchantApi: { rate: 0.5, kind: 'reset' } },
} as const satisfies Record<string, FaultSettings>;
type Trouble = keyof typeof TROUBLES;

/**
 * Troubles of a service, each with its seconds. Every line has a service and a shop of its own, and
 * all run at once.
 */
export type Line = readonly (readonly [Trouble, number])[];

export const SHORT: readonly Line[] = [
  [
    ['lies', 1],
    ['hang', 1],
    ['well', 1],
  ],
  [
    ['shaky', 2],
    ['drip', 1],
    ['well', 1],
  ],
  [
    ['error', 1],
    ['well', 3],
    ['busy', 1],
    ['well', 3],
    ['reset', 1],
    ['truncate', 1],
  ],
];
export const FULL: readonly Line[] = [
  [
    ['well', 2],
    ['lies', 18],
    ['well', 5],
    ['hang', 15],
    ['well', 20],
  ],
  [
    ['shaky', 20],
    ['well', 5],
    ['drip', 15],
    ['well', 20],
  ],
  [
    ['error', 10],
    ['well', 5],
    ['busy', 10],
    ['well', 5],
    ['reset', 10],
    ['well', 5],
    ['truncate', 10],
    ['well', 5],
  ],
];
