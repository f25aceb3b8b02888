import { EVENTS } from '@service-pay/contract/webhook';
import * as v from 'valibot';

/** Ways a delivery may be changed after it was signed, so that its signature does not hold. */
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

/**
 * What becomes of one event on its way, decided once, when it is to be sent. Nothing of it:
 * delivered as it should be.
 */
const treatmentSchema = v.strictObject({
  /** Lost: nothing is sent. */
  drop: v.optional(v.boolean()),
  /** How many copies of it go out beside it. */
  copies: v.optional(countSchema),
  /** How late it sets out, in the sandbox's time. */
  delayMs: v.optional(countSchema),
  /**
   * Held back until the merchant's next delivery has been tried, or that of an event of the same
   * payment.
   */
  waitsFor: v.optional(v.picklist(['next', ...EVENTS])),
  /** How the first attempt is changed after it was signed. Later ones are as they should be. */
  tamper: v.optional(v.picklist(TAMPERINGS)),
  /** How many attempts are cut off in the middle of the request. */
  cutFirst: v.optional(countSchema),
});
export type Treatment = Readonly<v.InferOutput<typeof treatmentSchema>>;

/** One try as it is kept: only what cannot be told from its delivery. */
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
 * One event on its way to one address as it is kept, which is all that a sender needs to go on with
 * it.
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
  /** When it is tried next, in milliseconds; null while it is tried and once it never is again. */
  dueAt: v.nullable(v.number()),
  /** The number of what is planned for it. */
  plan: v.nullable(v.number()),
  /** Held back for another (`waitsFor`), which is `behind` once it is there. */
  isHeld: v.boolean(),
  behind: v.nullable(v.string()),
  attempts: v.array(keptAttemptSchema),
});
export type KeptDelivery = v.InferOutput<typeof keptDeliverySchema>;

/** What is done to a delivery on purpose, in words. */
export function tellTreatment({
  drop,
  copies,
  delayMs,
  waitsFor,
  tamper,
  cutFirst,
}: Treatment): string[] {
  return [
    ...(drop ? ['Lost on its way: nothing is sent.'] : []),
    ...(delayMs ? [`Sets out ${delayMs / 1000} s late.`] : []),
    ...(waitsFor === 'next' ? ["Changes places with the merchant's next delivery."] : []),
    ...(waitsFor && waitsFor !== 'next' ? [`Waits until ${waitsFor} has been delivered.`] : []),
    ...(copies ? [copies === 1 ? 'Delivered twice.' : `Delivered ${copies + 1} times.`] : []),
    ...(tamper ? [TAMPERING_WORDS[tamper]] : []),
    ...(cutFirst ? [tellCut(cutFirst)] : []),
  ];
}

/** What a tampering does, in words. */
const TAMPERING_WORDS: Readonly<Record<Tampering, string>> = {
  amount: 'The first attempt names another amount than was signed.',
  reserialised: 'The body of the first attempt is written out anew after it was signed.',
  'signature-cut': 'The signature of the first attempt is cut in half.',
  'signature-upper-case': 'The signature of the first attempt is in upper case.',
  'signature-missing': 'The first attempt has no signature.',
  'old-token': 'The first attempt is signed with a token that is not in force.',
};

function tellCut(count: number): string {
  return count === 1
    ? 'The first attempt is cut off halfway.'
    : `The first ${count} attempts are cut off halfway.`;
}
