import { toCanonicalJson } from '@service-pay/contract/canonical-json';
import { decimalsOf, isCurrency } from '@service-pay/contract/currency';
import { toDecimal } from '@service-pay/contract/money';

const KEY_PATTERN = /^[!-~]{1,255}$/;

/** PostgreSQL indexes at most 2,704 bytes of owner and key together. */
const LONGEST_OWNER_BYTES = 2_000;

/** An order is read with each verify of its payment, so it must be stored and read in milliseconds. */
const LONGEST_JSON_BYTES = 1_000_000;

type Problem = string | false;

/** Returns the problem with an amount of a currency, or false. */
export function findAmountProblem(amount: unknown, currency: unknown): Problem {
  const decimal = toDecimal(amount);
  if (decimal === undefined) return 'must be a decimal text above 0, such as "92.50".';
  const isWhole = decimal.endsWith('.00');
  const needsWhole = findCurrencyProblem(currency) === false && decimalsOf(`${currency}`) === 0;
  return needsWhole && !isWhole && `must be whole: ${currency} has no decimals.`;
}

export function findCurrencyProblem(currency: unknown): Problem {
  const isKnown = typeof currency === 'string' && isCurrency(currency);
  return !isKnown && 'must be an active code of ISO 4217, such as "ZMW".';
}

/** Returns the problem with an owner that a database could not store unchanged, or false. */
export function findOwnerProblem(owner: unknown): Problem {
  const isUsable =
    typeof owner === 'string' &&
    /^[^\0]+$/.test(owner) &&
    owner.isWellFormed() &&
    Buffer.byteLength(owner) <= LONGEST_OWNER_BYTES;
  return (
    !isUsable &&
    'must be a text of 1 to 2,000 bytes that names the customer, without NUL and lone surrogates.'
  );
}

export function findKeyProblem(key: unknown): Problem {
  if (typeof key === 'string' && KEY_PATTERN.test(key)) return false;
  const right = 'must be a text of 1 to 255 visible characters without spaces';
  if (typeof key === 'string') return `${right}.`;
  return `${right}, and not ${Array.isArray(key) ? 'an array' : `a ${typeof key}`}.`;
}

/** Returns the problem with a value that JSON would change, or that is too large, or false. */
export function findJsonProblem(value: unknown, name: string): Problem {
  try {
    const json = toCanonicalJson(value, name);
    if (json === undefined) return 'must be plain JSON.';
    const bytes = Buffer.byteLength(json);
    const [most, found] = [LONGEST_JSON_BYTES, bytes].map((count) => count.toLocaleString('en'));
    return bytes > LONGEST_JSON_BYTES && `takes ${most} bytes of JSON at most, and has ${found}.`;
  } catch (error) {
    const [firstLine] = (error as Error).message.split('\n');
    return `must be plain JSON. ${firstLine}`;
  }
}
