import type { Answer, Ordered } from './mutated-answers.ts';

export type Verdict = 'paid' | 'needs-review' | 'failed' | 'awaiting-payment';

/**
 * Judges an answer without a line of the shop's code (D50–D52): numbers are read by hand, amounts
 * as whole cents. If it cannot be read, or says something unspecified, the payment is still
 * awaited.
 */
export function judgeAnswer(answer: Answer, { reference, amount, currency }: Ordered): Verdict {
  const { httpStatus, body, cutAt } = answer;
  if (httpStatus !== 200 || cutAt !== undefined || body.length > 65_536) return 'awaiting-payment';
  let said: any;
  try {
    said = JSON.parse(body.toString('utf8'));
  } catch {
    return 'awaiting-payment';
  }
  const own = (from: unknown, name: string) =>
    isRecord(from) && Object.hasOwn(from, name) ? from[name] : undefined;
  const data = own(said, 'data');
  if (own(said, 'status') !== true || own(data, 'reference') !== reference)
    return 'awaiting-payment';
  const cents = toCents(own(data, 'amount'));
  const saysCurrency = own(data, 'currency');
  if (cents === undefined || typeof saysCurrency !== 'string') return 'awaiting-payment';
  if (own(data, 'status') === 'failed') return 'failed';
  if (own(data, 'status') !== 'successful') return 'awaiting-payment';
  return cents === toCents(amount) && saysCurrency === currency ? 'paid' : 'needs-review';
}

function toCents(amount: unknown): bigint | undefined {
  if (typeof amount !== 'string' || amount.length > 21) return undefined;
  const [whole = '', places, ...more] = amount.split('.');
  const isDigits = (text: string) =>
    text !== '' && [...text].every((digit) => digit >= '0' && digit <= '9');
  if (
    more.length ||
    !isDigits(whole) ||
    (whole.length > 1 && whole.startsWith('0')) ||
    whole.length > 18
  )
    return undefined;
  if (places === undefined) return BigInt(whole) * 100n;
  return isDigits(places) && places.length <= 2
    ? BigInt(whole) * 100n + BigInt(places.padEnd(2, '0'))
    : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
