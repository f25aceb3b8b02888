import { describeMismatch } from '@service-pay/contract/issue-text';
import { type Payable, payableSchema } from '@service-pay/contract/shop-api';
import { SHOP_ROUTES, type ShopRoute } from '@service-pay/contract/shop-routes';
import * as v from 'valibot';
import { must } from '../must.ts';
import type { Answer } from './call-shop.ts';

/** Returns the path of a route for one payment. */
export function pathOf(route: Exclude<ShopRoute, 'place'>, reference = ''): string {
  return `/api${SHOP_ROUTES[route].path.replace(':reference', () => encodeURIComponent(reference))}`;
}

/** Returns the data of a response that worked; names each field that is not as specified. */
export function dataOf<const Schema extends v.GenericSchema>(
  { what, status, json, text }: Answer,
  schema: Schema,
): v.InferOutput<Schema> {
  const isOk = status === 200 || status === 201;
  const said = status === 500 || !text ? '' : ` ${excerpt(text)}`;
  must(isOk, `${what} should be 200 or 201.${said}`);
  const { success, output, issues } = v.safeParse(v.object({ data: schema }), json);
  must(success, success ? '' : describeMismatch(what, issues));
  return output.data as v.InferOutput<Schema>;
}

export function payableOf(answer: Answer): Payable {
  return dataOf(answer, payableSchema);
}

function excerpt(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
