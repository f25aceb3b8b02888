import type { Attempt } from '@service-pay/contract/checkout-api';
import { envelopeSchema, errorEnvelopeSchema } from '@service-pay/contract/envelope';
import { describeMismatch } from '@service-pay/contract/issue-text';
import * as v from 'valibot';
import { must, mustMatch } from './must.ts';

export interface Answer {
  /** The call and its status, such as `The response to GET /x (HTTP 200)`. */
  readonly what: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** Returns the body of a response that worked; names each field that is not as specified. */
export function bodyOf<const Schema extends v.GenericSchema>(
  answer: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  const isOk = answer.status === 200 || answer.status === 201;
  must(isOk, `${sayOf(answer)}, expected 200 or 201.`);
  return read(answer, schema);
}

/** Returns the data of a response that worked; names each field that is not as specified. */
export function dataOf<const Schema extends v.GenericSchema>(
  answer: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  return bodyOf(answer, envelopeSchema(schema)).data as v.InferOutput<Schema>;
}

/** Throws `RuleBroken` unless the response is this error, such as `401·09`, in the usual envelope. */
export function mustBeError(answer: Answer, expected: string, where = '') {
  const [status, errorCode] = expected.split('·');
  must(answer.status === Number(status), `${sayOf(answer)}${where}, expected ${expected}.`);
  const error = read(answer, errorEnvelopeSchema);
  must(error.errorCode === errorCode, `${sayOf(answer)}${where}, expected ${expected}.`);
  return error.data?.problems ?? [];
}

/** Throws `RuleBroken` unless the response is `400·01` and names this field. */
export function mustRejectField(answer: Answer, field: string, where: string): void {
  const isNamed = mustBeError(answer, '400·01', where).some(({ path }) => path === field);
  must(isNamed, `data.problems has no problem with the path "${field}"${where}.`);
}

/** Throws `RuleBroken` unless the response has these headers; null means none. */
export function mustHaveHeaders(answer: Answer, expected: Record<string, string | null>): void {
  const found = Object.keys(expected).map((name) => [name, answer.headers.get(name)]);
  mustMatch(answer.what, Object.fromEntries(found), expected);
}

export function isOver(attempt: Attempt | null): boolean {
  return attempt?.status === 'successful' || attempt?.status === 'declined';
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read<const Schema extends v.GenericSchema>(
  { what, json }: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, json);
  must(success, success ? '' : describeMismatch(what, issues));
  return output;
}

export function sayOf({ what, json }: Answer): string {
  const { errorCode, message } = (json ?? {}) as { errorCode?: unknown; message?: unknown };
  return typeof errorCode === 'string' ? `${what} has errorCode "${errorCode}" (${message})` : what;
}
