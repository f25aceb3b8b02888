import { EVENTS } from '@service-pay/contract/webhook';
import * as v from 'valibot';

/** Ways to change a delivery after signing, so that its signature does not match. */
export const TAMPERINGS = [
  'amount',
  'reserialised',
  'signature-cut',
  'signature-upper-case',
  'signature-missing',
  'old-token',
] as const;
export type Tampering = (typeof TAMPERINGS)[number];

const countSchema = v.pipe(v.number(), v.integer(), v.minValue(0));
const textsSchema = v.record(v.string(), v.string());

/** The faults of one event's delivery, decided once, when it is sent. */
const treatmentSchema = v.strictObject({
  drop: v.optional(v.boolean()),
  copies: v.optional(countSchema),
  delayMs: v.optional(countSchema),
  /**
   * Held back until the merchant's next delivery, or this payment's delivery of an event, was
   * attempted.
   */
  waitsFor: v.optional(v.picklist(['next', ...EVENTS])),
  tamper: v.optional(v.picklist(TAMPERINGS)),
  cutFirst: v.optional(countSchema),
});
export type Treatment = Readonly<v.InferOutput<typeof treatmentSchema>>;

const keptAttemptSchema = v.strictObject({
  at: v.string(),
  signature: v.nullable(v.string()),
  sentBody: v.optional(v.string()),
  faults: v.optional(v.array(v.string())),
  status: v.nullable(v.number()),
  headers: textsSchema,
  body: v.nullable(v.string()),
  error: v.nullable(v.string()),
  tookMs: v.number(),
});
export type KeptAttempt = v.InferOutput<typeof keptAttemptSchema>;

/**
 * One event on its way to one URL, with everything the sender needs to continue after a restart.
 */
export const keptDeliverySchema = v.strictObject({
  id: v.string(),
  event: v.picklist(EVENTS),
  merchant: v.string(),
  reference: v.string(),
  url: v.string(),
  createdAt: v.string(),
  body: v.string(),
  repeats: v.nullable(v.string()),
  isReplay: v.boolean(),
  treatment: treatmentSchema,
  status: v.picklist(['waiting', 'acknowledged', 'given-up', 'dropped']),
  /** The next attempt in milliseconds; null during an attempt and after the last. */
  dueAt: v.nullable(v.number()),
  plan: v.nullable(v.number()),
  /** Held back for another delivery (`waitsFor`); `behind` is its id once it exists. */
  isHeld: v.boolean(),
  behind: v.nullable(v.string()),
  attempts: v.array(keptAttemptSchema),
});
export type KeptDelivery = v.InferOutput<typeof keptDeliverySchema>;

export function describeTreatment({
  drop,
  copies,
  delayMs,
  waitsFor,
  tamper,
  cutFirst,
}: Treatment): string[] {
  return [
    ...(drop ? ['A fault drops it: nothing is sent.'] : []),
    ...(delayMs ? [`Sent ${delayMs / 1000} s late.`] : []),
    ...(waitsFor === 'next' ? ["Swapped with the merchant's next delivery."] : []),
    ...(waitsFor && waitsFor !== 'next' ? [`Sent after ${waitsFor}.`] : []),
    ...(copies ? [copies === 1 ? 'Delivered twice.' : `Delivered ${copies + 1} times.`] : []),
    ...(tamper ? [TAMPERING_WORDS[tamper]] : []),
    ...(cutFirst ? [describeCut(cutFirst)] : []),
  ];
}

const TAMPERING_WORDS: Readonly<Record<Tampering, string>> = {
  amount: 'The first attempt contains another amount than the signed one.',
  reserialised: 'The body of the first attempt is reformatted after signing.',
  'signature-cut': 'The signature of the first attempt is cut in half.',
  'signature-upper-case': 'The signature of the first attempt is in upper case.',
  'signature-missing': 'The first attempt has no signature.',
  'old-token': 'The first attempt is signed with an old token.',
};

function describeCut(count: number): string {
  return count === 1
    ? 'The first attempt is cut off halfway.'
    : `The first ${count} attempts are cut off halfway.`;
}
