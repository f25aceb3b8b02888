const ENTRY = 'service-pay unconfirmed';

const MOST = 20;

/** The payments of this page: the only list if storage is blocked or full. */
const memory = new Set<string>();

/**
 * Returns true if a popup of this tab, also before a reload, left money of this payment that may
 * move (D13).
 */
export function isUnconfirmed(payment: string): boolean {
  return memory.has(payment) || readEntry().includes(payment);
}

/**
 * Records for this tab whether money may move. Stores `payment` alone, its service and reference
 * (T118).
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
    // Memory keeps it until a reload.
  }
}

function readEntry(): string[] {
  try {
    return sessionStorage.getItem(ENTRY)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
