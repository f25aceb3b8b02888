import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';

import { PaymentsError } from '../errors.ts';

/** Reads a reference by its alphabet, before anything is looked up by it (T68). */
export function parseReference(text: unknown): string {
  if (v.is(referenceSchema, text)) return text;
  const message =
    'reference must be 1 to 128 of the characters A-Z a-z 0-9 - . _ and neither "." nor "..".';
  throw new PaymentsError('invalid_request', message, {
    problems: [{ path: 'reference', code: 'regex', message }],
  });
}
