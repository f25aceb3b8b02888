/** What a payment is named by: one reference of one merchant. */
export interface PaymentName {
  readonly merchant: string;
  readonly reference: string;
}

/** Names a payment in one text. No public key holds a blank. */
export function keyOf({ merchant, reference }: PaymentName): string {
  return `${merchant} ${reference}`;
}

/** The merchant and the reference that a key names. */
export function partsOf(key: string): [merchant: string, reference: string] {
  const blank = key.indexOf(' ');
  return [key.slice(0, blank), key.slice(blank + 1)];
}
