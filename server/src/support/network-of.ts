import { isIPv6 } from 'node:net';

const GROUPS = 8;
const DIGITS_OF_A_CUSTOMER = 14;

/** Returns an IPv4 address as it is, and of an IPv6 address the /56 that one customer has. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped || !isIPv6(address)) return mapped ?? address;
  // a URL writes it in hexadecimal groups, also one that ends in an IPv4 address
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`);
  const [head = [], tail = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(GROUPS - head.length - tail.length).fill('0');
  const digits = [...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join('');
  return `${digits.slice(0, DIGITS_OF_A_CUSTOMER)}/56`;
}
