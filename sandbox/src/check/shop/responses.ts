import { describeMismatch } from '@service-pay/contract/issue-text';
import { type Payable, payableSchema } from '@service-pay/contract/shop-api';
import { SHOP_ROUTES, type ShopRoute } from '@service-pay/contract/shop-routes';
import * as v from 'valibot';
import { must, NotTried } from '../must.ts';
import type { ShopResponse } from './call-shop.ts';

/** Returns the path of a route for one payment. */
export function pathOf(route: Exclude<ShopRoute, 'place'>, reference = ''): string {
  return `/api${SHOP_ROUTES[route].path.replace(':reference', () => encodeURIComponent(reference))}`;
}

/**
 * Returns the data of a response that worked. A field that is not as specified breaks the rule about
 * the routes alone, so that any other is not tried.
 */
export function preparedDataOf<const Schema extends v.GenericSchema>(
  response: ShopResponse,
  schema: Schema,
): v.InferOutput<Schema> {
  mustWork(response);
  const { success, output, issues } = v.safeParse(v.object({ data: schema }), response.json);
  if (!success) throw new NotTried(describeMismatch(response.what, issues), true);
  return output.data as v.InferOutput<Schema>;
}

export function payableOf(response: ShopResponse): Payable {
  return preparedDataOf(response, payableSchema);
}

/** Returns the payment in a response of `open`. */
export function openPaymentOf(response: ShopResponse): Payable | null {
  return preparedDataOf(response, v.nullable(payableSchema));
}

/** Throws `RuleBroken` that names each field which is not as specified. */
export function mustFit(response: ShopResponse, schema: v.GenericSchema): void {
  mustWork(response);
  const { success, issues } = v.safeParse(v.object({ data: schema }), response.json);
  must(success, success ? '' : describeMismatch(response.what, issues));
}

function mustWork(response: ShopResponse): void {
  const isOk = response.status === 200 || response.status === 201;
  const reason = isOk || response.status === 500 ? '' : reasonIn(response);
  must(isOk, `${response.what} should be 200 or 201.${reason && ` ${reason}`}`);
}

/** Returns the reason that a response gives: a sentence in its JSON, the title of a page, or its text. */
function reasonIn({ json, text }: ShopResponse): string {
  const { message, error, detail } = (json ?? {}) as Record<string, unknown>;
  const sentence = [message, error, detail].find((one) => typeof one === 'string');
  return excerpt((sentence as string | undefined) ?? /<title>([^<]*)/i.exec(text)?.[1] ?? text);
}

const MOST_SHOWN = 200;

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}
