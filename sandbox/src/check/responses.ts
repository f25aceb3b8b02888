import type { Attempt } from '@service-pay/contract/checkout-api';
import { envelopeSchema, errorEnvelopeSchema } from '@service-pay/contract/envelope';
import { describeMismatch } from '@service-pay/contract/issue-text';
import * as v from 'valibot';
import { must, mustMatch } from './must.ts';

export interface CheckedResponse {
  /** The call and its status, such as `The response to GET /x (HTTP 200)`. */
  readonly what: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** Returns the body of a response that worked; names each field that is not as specified. */
export function bodyOf<const Schema extends v.GenericSchema>(
  response: CheckedResponse,
  schema: Schema,
): v.InferOutput<Schema> {
  const isOk = response.status === 200 || response.status === 201;
  must(isOk, `${sayOf(response)}, expected 200 or 201.`);
  return read(response, schema);
}

/** Returns the data of a response that worked; names each field that is not as specified. */
export function dataOf<const Schema extends v.GenericSchema>(
  response: CheckedResponse,
  schema: Schema,
): v.InferOutput<Schema> {
  return bodyOf(response, envelopeSchema(schema)).data as v.InferOutput<Schema>;
}

/** Throws `RuleBroken` unless the response is this error, such as `401·09`, in the usual envelope. */
export function mustBeError(response: CheckedResponse, expected: string, where = '') {
  const [status, errorCode] = expected.split('·');
  must(response.status === Number(status), `${sayOf(response)}${where}, expected ${expected}.`);
  const error = read(response, errorEnvelopeSchema);
  must(error.errorCode === errorCode, `${sayOf(response)}${where}, expected ${expected}.`);
  return error.data?.problems ?? [];
}

/** Throws `RuleBroken` unless the response is `400·01` and names this field. */
export function mustRejectField(response: CheckedResponse, field: string, where: string): void {
  const isNamed = mustBeError(response, '400·01', where).some(({ path }) => path === field);
  must(isNamed, `data.problems has no problem with the path "${field}"${where}.`);
}

/** Throws `RuleBroken` unless the response has these headers; null means none. */
export function mustHaveHeaders(
  response: CheckedResponse,
  expected: Record<string, string | null>,
): void {
  const found = Object.keys(expected).map((name) => [name, response.headers.get(name)]);
  mustMatch(response.what, Object.fromEntries(found), expected);
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
  { what, json }: CheckedResponse,
  schema: Schema,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, json);
  must(success, success ? '' : describeMismatch(what, issues));
  return output;
}

export function sayOf({ what, json }: CheckedResponse): string {
  const { errorCode, message } = (json ?? {}) as { errorCode?: unknown; message?: unknown };
  return typeof errorCode === 'string' ? `${what} has errorCode "${errorCode}" (${message})` : what;
}
