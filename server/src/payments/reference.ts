import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';

import { refuseProblems } from '../errors.ts';

/** The form of the references that the shop makes. */
export const REFERENCE_PREFIX = 'shop-';
export const REFERENCE_LENGTH = REFERENCE_PREFIX.length + 8 + 16;

/** Reads a reference by its alphabet, before anything is looked up by it (T68). */
export function parseReference(text: unknown): string {
  refuseProblems({
    reference:
      !v.is(referenceSchema, text) &&
      'must be 1 to 128 of the characters A-Z a-z 0-9 - . _ and neither "." nor "..".',
  });
  return text as string;
}
