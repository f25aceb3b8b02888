/**
 * Keeps the token of a visit for the tab that began it (D25). Where the browser allows no storage
 * it keeps nothing (T33).
 */
export interface TokenStore {
  read(): string | undefined;
  write(token: string): void;
}

/**
 * A place for one token in `storage`, which is asked for late, since merely naming it may throw
 * where storage is blocked.
 */
export function buildTokenStore(
  storage: () => Storage,
  publicKey: string,
  reference: string,
): TokenStore {
  const name = `service-pay ${publicKey} ${reference}`;
  return {
    read() {
      try {
        return storage().getItem(name) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(token) {
      try {
        storage().setItem(name, token);
      } catch {
        // A visit without storage cannot be resumed with everything; it can still pay.
      }
    },
  };
}
