import * as v from 'valibot';

/**
 * The thirteen error codes with their meaning (specification 7) and HTTP status (D38). `10` is also
 * sent with 429 and 503, if waiting helps, and then with `Retry-After`.
 */
export const ERROR_CODES = {
  '01': {
    httpStatus: 400,
    meaning: 'Validation error; one or more parameters could not be validated.',
  },
  '02': { httpStatus: 400, meaning: 'Insufficient funds in account.' },
  '03': { httpStatus: 400, meaning: 'Transfer limit on the account exceeded.' },
  '04': { httpStatus: 400, meaning: 'Invalid or duplicate reference.' },
  '05': { httpStatus: 400, meaning: 'Invalid recipient account.' },
  '06': { httpStatus: 400, meaning: 'Restriction on debit account.' },
  '07': { httpStatus: 400, meaning: 'Invalid or duplicate bulk transfer reference.' },
  '08': {
    httpStatus: 400,
    meaning: 'Invalid number of objects in the transfers parameter of a bulk transfer.',
  },
  '09': { httpStatus: 401, meaning: 'Invalid auth token or authorization denied.' },
  '10': { httpStatus: 500, meaning: 'General error.' },
  '11': { httpStatus: 404, meaning: 'Resource not found.' },
  '12': { httpStatus: 400, meaning: 'Invalid mobile number.' },
  '13': { httpStatus: 401, meaning: 'Access to resource denied.' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Returns a code with its HTTP status (D38). */
export function placeOf<const Code extends ErrorCode>(errorCode: Code) {
  return { errorCode, httpStatus: ERROR_CODES[errorCode].httpStatus };
}

export const metaSchema = v.object({
  total: v.number(),
  perPage: v.number(),
  currentPage: v.number(),
  pageCount: v.number(),
});
export type Meta = v.InferOutput<typeof metaSchema>;

/** One rejected field: its path, a code for programs, and a sentence. Never the value. */
export const fieldProblemSchema = v.object({
  path: v.string(),
  code: v.string(),
  message: v.string(),
});
export type FieldProblem = v.InferOutput<typeof fieldProblemSchema>;

/**
 * The response to a failed call (specification 2.2). `errorCode` is read as text, so that new codes
 * do not break a reader.
 */
export const errorEnvelopeSchema = v.object({
  status: v.literal(false),
  message: v.string(),
  errorCode: v.optional(v.string()),
  data: v.optional(v.nullable(v.object({ problems: v.optional(v.array(fieldProblemSchema)) }))),
});
export type ErrorEnvelope = v.InferOutput<typeof errorEnvelopeSchema>;

/** The response to a successful call, around `data` (specification 2.2). */
export function envelopeSchema<const Data extends v.GenericSchema>(data: Data) {
  return v.object({ status: v.literal(true), message: v.string(), data });
}

/** The response to a paged list, around its `data` and `meta` (specification 2.2). */
export function listEnvelopeSchema<const Item extends v.GenericSchema>(item: Item) {
  return v.object({
    status: v.literal(true),
    message: v.string(),
    data: v.array(item),
    meta: metaSchema,
  });
}

/** Wraps the data of a successful call (specification 2.2). */
export function envelope<Data>(
  data: Data,
  message = '',
  meta?: Meta,
): { status: true; message: string; data: Data; meta?: Meta } {
  return { status: true, message, data, ...(meta && { meta }) };
}

/** Wraps an error (specification 2.2). */
export function errorEnvelope(
  errorCode: ErrorCode,
  message: string,
  problems: readonly FieldProblem[] = [],
) {
  const data = problems.length ? { data: { problems } } : {};
  return { status: false as const, message, errorCode, ...data };
}
