import type { Network } from '@service-pay/contract/checkout-api';

/**
 * A number as its country writes it, leading 0 included: `+260 96 111-1111`, `0026096…`,
 * `260961111111` and `961111111` are `0961111111`. Undefined where it can be no phone number.
 */
export function findNationalNumber(text: string, networks: readonly Network[]): string | undefined {
  const compact = text.replace(/[\s\-().\u2010-\u2015]/g, '');
  if (!/^\+?[0-9]{7,15}$/.test(compact)) return undefined;
  const digits = compact.replace(/^\+|^00/, '');
  const callingCode = networks[0]?.callingCode.replace(/[^0-9]/g, '');
  const isForeign = /^(?:\+|00)/.test(compact) && !(callingCode && digits.startsWith(callingCode));
  if (isForeign) return undefined;
  const rest =
    callingCode && digits.startsWith(callingCode) ? digits.slice(callingCode.length) : digits;
  return `0${rest.replace(/^0/, '')}`;
}

/**
 * The network a number belongs to by its prefix, as soon as enough of it is typed; undefined where
 * none or several fit.
 */
export function findNetwork(text: string, networks: readonly Network[]): Network | undefined {
  const compact = text.replace(/[^0-9+]/g, '');
  const callingCode = networks[0]?.callingCode.replace(/[^0-9]/g, '') ?? '';
  const rest = compact.replace(/^(?:\+|00)/, '').replace(new RegExp(`^${callingCode}`), '');
  const national = `0${rest.replace(/^0/, '')}`;
  const fitting = networks.filter(({ prefixes }) =>
    prefixes.some((prefix) => national.startsWith(prefix)),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
