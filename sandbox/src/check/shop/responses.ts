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

function mustWork(answer: Answer): void {
  const isOk = answer.status === 200 || answer.status === 201;
  const reason = isOk || answer.status === 500 ? '' : reasonIn(answer);
  must(isOk, `${answer.what} should be 200 or 201.${reason && ` ${reason}`}`);
}

/** Returns the reason that a response gives: a sentence in its JSON, the title of a page, or its text. */
function reasonIn({ json, text }: Answer): string {
  const { message, error, detail } = (json ?? {}) as Record<string, unknown>;
  const sentence = [message, error, detail].find((one) => typeof one === 'string');
  return excerpt((sentence as string | undefined) ?? /<title>([^<]*)/i.exec(text)?.[1] ?? text);
}

const MOST_SHOWN = 200;

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}…` : line;
}
