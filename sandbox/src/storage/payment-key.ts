export interface PaymentName {
  readonly merchant: string;
  readonly reference: string;
}

/** Joins merchant and reference with a space, which a public key never contains. */
export function keyOf({ merchant, reference }: PaymentName): string {
  return `${merchant} ${reference}`;
}

export function partsOf(key: string): [merchant: string, reference: string] {
  const blank = key.indexOf(' ');
  return [key.slice(0, blank), key.slice(blank + 1)];
}
