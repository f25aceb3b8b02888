import { withoutGaps } from './plain-digits.ts';

/** Returns a one-time code as digits alone. Returns undefined unless it has 4 to 8. */
export function findOneTimeCode(text: string): string | undefined {
  const digits = withoutGaps(text);
  return /^[0-9]{4,8}$/.test(digits) ? digits : undefined;
}
