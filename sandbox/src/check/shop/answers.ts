import { describeMismatch } from '@service-pay/contract/issue-text';
import { type Payable, payableSchema } from '@service-pay/contract/shop-api';
import { SHOP_ROUTES, type ShopRoute } from '@service-pay/contract/shop-routes';
import * as v from 'valibot';
import { must, NotTried } from '../must.ts';
import type { Answer } from './call-shop.ts';

/** Returns the path of a route for one payment. */
export function pathOf(route: Exclude<ShopRoute, 'place'>, reference = ''): string {
  return `/api${SHOP_ROUTES[route].path.replace(':reference', () => encodeURIComponent(reference))}`;
}

/**
 * Returns the data of a response that worked. A field that is not as specified breaks the rule about
 * the routes alone, so that any other is not tried.
 */
export function dataOf<const Schema extends v.GenericSchema>(
  answer: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  mustWork(answer);
  const { success, output, issues } = v.safeParse(v.object({ data: schema }), answer.json);
  if (!success) throw new NotTried(describeMismatch(answer.what, issues), true);
  return output.data as v.InferOutput<Schema>;
}

export function payableOf(answer: Answer): Payable {
  return dataOf(answer, payableSchema);
}

/** Returns the payment in a response of `open`. */
export function openPaymentOf(answer: Answer): Payable | null {
  return dataOf(answer, v.nullable(payableSchema));
}

/** Throws `RuleBroken` that names each field which is not as specified. */
export function mustFit(answer: Answer, schema: v.GenericSchema): void {
  mustWork(answer);
  const { success, issues } = v.safeParse(v.object({ data: schema }), answer.json);
  must(success, success ? '' : describeMismatch(answer.what, issues));
}

function mustWork({ what, status, text }: Answer): void {
  const isOk = status === 200 || status === 201;
  must(isOk, `${what} should be 200 or 201.${status === 500 || !text ? '' : ` ${excerpt(text)}`}`);
}

function excerpt(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
