/**
 * Stores the token of a visit for the tab that began it (D25); stores nothing if the browser blocks
 * storage (T33).
 */
export interface TokenStore {
  read(): string | undefined;
  write(token: string): void;
}

/**
 * Builds a store for one token. Calls `storage` late, since even naming it may throw if storage is
 * blocked.
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
        // Without storage a visit can pay, but not resume completely.
      }
    },
  };
}
