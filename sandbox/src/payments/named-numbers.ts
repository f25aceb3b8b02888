import { TEST_CARDS as CARDS, TEST_PHONES as PHONES } from './outcomes.ts';
import { NETWORKS_BY_CURRENCY } from './phones.ts';

/** A phone as a customer names it: the network as the popup writes it, and the number. */
export interface PhoneToPayBy {
  readonly network: string;
  readonly phone: string;
}

/**
 * The test cards by what they do: `TEST_CARDS.declined`. Any future expiry, any three digits, any
 * name.
 */
export const TEST_CARDS = Object.fromEntries(
  CARDS.map(({ name, number }) => [name, number]),
) as Readonly<Record<(typeof CARDS)[number]['name'], string>>;

/**
 * The test phones by what they do: `TEST_PHONES.waits` is answered by the test alone. Those of
 * Malawi want a payment in MWK.
 */
export const TEST_PHONES = Object.fromEntries(
  PHONES.map((row) => [row.name, { network: networkOf(row), phone: row.number }]),
) as Readonly<Record<(typeof PHONES)[number]['name'], PhoneToPayBy>>;

function networkOf({ country, operator }: (typeof PHONES)[number]): string {
  const networks = [...NETWORKS_BY_CURRENCY.values()].flat();
  return networks.find((network) => network.country === country && network.operator === operator)!
    .name;
}
