export interface PaymentName {
  readonly merchant: string;
  readonly reference: string;
}

/** Joins merchant and reference with a space, which a public key never contains. */
export function keyOf({ merchant, reference }: PaymentName): string {
  return `${merchant} ${reference}`;
}

export function nameOf(key: string): PaymentName {
  const blank = key.indexOf(' ');
  return { merchant: key.slice(0, blank), reference: key.slice(blank + 1) };
}
