import { TEST_CARDS as CARDS, TEST_PHONES as PHONES } from './outcomes.ts';
import { NETWORKS_BY_CURRENCY } from './phones.ts';

export interface PhoneToPayBy {
  readonly network: string;
  readonly phone: string;
}

/**
 * Test cards by outcome: `TEST_CARDS.declined`. Use any future expiry, any three digits and any
 * name.
 */
export const TEST_CARDS = Object.fromEntries(
  CARDS.map(({ name, number }) => [name, number]),
) as Readonly<Record<(typeof CARDS)[number]['name'], string>>;

/**
 * Test phones by outcome. `TEST_PHONES.waits` is answered only by the test. Those of Malawi need a
 * payment in MWK.
 */
export const TEST_PHONES = Object.fromEntries(
  PHONES.map((row) => [row.name, { network: networkOf(row), phone: row.number }]),
) as Readonly<Record<(typeof PHONES)[number]['name'], PhoneToPayBy>>;

function networkOf({ country, operator }: (typeof PHONES)[number]): string {
  const networks = [...NETWORKS_BY_CURRENCY.values()].flat();
  return networks.find((network) => network.country === country && network.operator === operator)!
    .name;
}
