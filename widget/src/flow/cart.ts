import { toCanonicalJson } from '@service-pay/contract/canonical-json';

/**
 * Returns a short text that tells one cart from another, and nothing about what is in it. The order
 * of fields does not matter. Throws a `TypeError` for what JSON would lose (T156).
 */
export function digestCart(cart: unknown): string {
  const text = toCanonicalJson(cart, 'cart') ?? '';
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    two = Math.imul(two ^ code, 1_597_334_677);
  }
  return `${(one >>> 0).toString(36)}${(two >>> 0).toString(36)}${text.length.toString(36)}`;
}
