import { STATES } from './states.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  Opening: ['loading', 'loading-long', 'loading-again', 'unreachable', 'unreachable-again'],
  'Paying by card': [
    'card-empty',
    'card-filling',
    'card-brand',
    'test-numbers',
    'card-errors',
    'card-offline',
    'card-sending',
    'card-not-taken',
    'billing-asked',
    'challenge',
    'challenge-cut',
    'confirming',
    'confirming-long',
    'card-declined',
    'form-refused',
    'not-arrived',
  ],
  'Paying by mobile money': [
    'mobile-money-empty',
    'network-found',
    'network-other',
    'mobile-money-errors',
    'mobile-money-sending',
    'code-asked',
    'code-wrong',
    'code-sending',
    'waiting-for-phone',
    'may-send-again',
    'taking-long',
    'waiting-cut',
    'withdrawing',
    'withdrawn',
    'not-withdrawn',
    'mobile-money-declined',
  ],
  'Coming back': [
    'waiting-for-another-phone',
    'elsewhere',
    'declined-elsewhere',
    'already-paid',
    'refused-again',
  ],
  'How it ends': [
    'confirmed',
    'leaving-typed',
    'leaving-challenge',
    'leaving-code',
    'leaving-prompt',
    'leaving-unsure',
    'unsure',
    'time-short',
    'time-short-at-last',
    'time-over',
    'attempts-over',
  ],
  'What a shop can set': [
    'fee-on-top',
    'single-channel',
    'single-network',
    'live',
    'large-amount',
    'long-label',
    'markup-in-names',
  ],
  'What a shop can get wrong': [
    'reference-used',
    'key-unknown',
    'page-unknown',
    'request-refused',
    'no-channel',
    'prepare-failed',
  ],
};

export function listJourneys(): readonly (readonly [title: string, names: readonly string[]])[] {
  const listed = Object.values(NAMES).flat();
  const others = Object.keys(STATES).filter((name) => !listed.includes(name));
  return [...Object.entries(NAMES), ['When the frame does not come up', others]];
}
