import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';

import { rejectProblems } from '../errors.ts';

export const REFERENCE_PREFIX = 'shop-';
export const REFERENCE_LENGTH = REFERENCE_PREFIX.length + 8 + 16;

/** Validates the characters of a reference, before anything is looked up by it (T68). */
export function parseReference(text: unknown): string {
  rejectProblems({
    reference:
      !v.is(referenceSchema, text) &&
      'must be 1 to 128 of the characters A-Z a-z 0-9 - . _ and neither "." nor "..".',
  });
  return text as string;
}
