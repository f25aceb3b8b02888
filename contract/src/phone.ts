import type { Network } from './checkout-api.ts';
import { withoutGaps } from './plain-digits.ts';

/**
 * A phone of one network: `national` with its leading 0, `international` as `+260…`, which names
 * the handset.
 */
export interface MobilePhone<Of extends Network = Network> {
  readonly national: string;
  readonly international: string;
  readonly network: Of;
}

const SUBSCRIBER_DIGITS = 9;

/**
 * Reads a number as people write it: national, with the country code after `+`, `00` or nothing,
 * with or without the leading 0, with spaces, dots, dashes or brackets, in the digits of any script.
 * Returns undefined unless it is a phone of one of `networks`.
 */
export function findPhone<Of extends Network>(
  text: string,
  networks: readonly Of[],
): MobilePhone<Of> | undefined {
  const compact = compactOf(text);
  for (const network of networks) {
    const { callingCode, prefixes } = network;
    const number = new RegExp(`^(?:(?:\\+|00)?${callingCode})?0?([0-9]{${SUBSCRIBER_DIGITS}})$`);
    const [, subscriber] = number.exec(compact) ?? [];
    const national = `0${subscriber}`;
    if (prefixes.some((prefix) => national.startsWith(prefix)))
      return { national, international: `+${callingCode}${subscriber}`, network };
  }
  return undefined;
}

/**
 * Returns the network a number belongs to by its prefix, as soon as enough of it is typed;
 * undefined if none or several fit.
 */
export function findNetwork<Of extends Network>(
  text: string,
  networks: readonly Of[],
): Of | undefined {
  const compact = compactOf(text);
  const fitting = networks.filter(({ callingCode, prefixes }) => {
    const national = compact.replace(new RegExp(`^(?:(?:\\+|00)?${callingCode})?0?`), '0');
    return prefixes.some((prefix) => national.startsWith(prefix));
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

function compactOf(text: string): string {
  return withoutGaps(text).replace(/[().]/g, '');
}
