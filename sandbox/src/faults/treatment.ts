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

/** The faults of one event's delivery, decided once, when it is sent. */
export const treatmentSchema = v.strictObject({
  drop: v.optional(v.boolean()),
  copies: v.optional(countSchema),
  delayMs: v.optional(countSchema),
  /**
   * Holds the delivery back until an attempt at the merchant's next delivery, or at this payment's
   * delivery of an event.
   */
  waitsFor: v.optional(v.picklist(['next', ...EVENTS])),
  tamper: v.optional(v.picklist(TAMPERINGS)),
  cutFirst: v.optional(countSchema),
});
export type Treatment = Readonly<v.InferOutput<typeof treatmentSchema>>;

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
