/** The entry in the page's session storage: payments with spaces between, the newest last. */
const ENTRY = 'service-pay unconfirmed';

/** How many payments the entry lists at most. */
const MOST = 20;

/** The payments of this page, and all there are where storage is blocked or full. */
const memory = new Set<string>();

/**
 * Tells whether a popup of this tab left the payment with money that may move, before a reload too
 * (D13).
 */
export function isUnconfirmed(payment: string): boolean {
  return memory.has(payment) || readEntry().includes(payment);
}

/**
 * Keeps for this tab whether money may move. `payment`, its service and reference, is all that is
 * stored (T118).
 */
export function keepUnconfirmed(payment: string, isUnconfirmed: boolean): void {
  const payments = readEntry().filter((other) => other !== payment);
  memory.delete(payment);
  if (isUnconfirmed) {
    memory.add(payment);
    payments.push(payment);
  }
  try {
    if (payments[0]) sessionStorage.setItem(ENTRY, payments.slice(-MOST).join(' '));
    else sessionStorage.removeItem(ENTRY);
  } catch {
    // Memory alone, until a reload.
  }
}

/** Reads the entry; empty where storage is blocked. */
function readEntry(): string[] {
  try {
    return sessionStorage.getItem(ENTRY)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
