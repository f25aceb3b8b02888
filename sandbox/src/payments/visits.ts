import { hash, randomBytes } from 'node:crypto';
import type { Session, Visit } from './session.ts';

const MOST_TOKENS = 64;

/** Finds the visit of a token by its digest. Stores no token itself. */
export class Visits {
  readonly #sessions = new Map<string, Session>();

  /** Adds a visit or continues `earlier`, with a new token. */
  add(session: Session, earlier?: Visit): { token: string; visit: Visit } {
    const token = randomBytes(32).toString('base64url');
    const key = digest(token);
    const visit: Visit = { id: earlier?.id ?? key, session, token: key };
    this.#sessions.set(key, session);
    session.tokens.push({ digest: key, visit: visit.id });
    if (session.tokens.length > MOST_TOKENS) this.#forgetOldestIdleToken(session);
    return { token, visit };
  }

  find(token: string): Visit | undefined {
    const key = digest(token);
    const session = this.#sessions.get(key);
    const known = session?.tokens.find(({ digest }) => digest === key);
    return session && known && { id: known.visit, session, token: key };
  }

  isNewest({ session, token }: Visit): boolean {
    return session.tokens.at(-1)?.digest === token;
  }

  restore(session: Session): void {
    for (const { digest } of session.tokens) this.#sessions.set(digest, session);
  }

  forget(session: Session): void {
    for (const { digest } of session.tokens) this.#sessions.delete(digest);
  }

  clear(): void {
    this.#sessions.clear();
  }

  /**
   * Keeps the last token of each visit that made an attempt, because only that visit may answer it.
   */
  #forgetOldestIdleToken({ attempts, tokens }: Session): void {
    const kept = new Set(
      attempts.map(({ visit }) => tokens.findLast((token) => token.visit === visit)),
    );
    const idleAt = tokens.findIndex((token) => !kept.has(token));
    for (const { digest } of tokens.splice(idleAt, 1)) this.#sessions.delete(digest);
  }
}

/** 128 bits are enough that no token can be found for a digest. */
function digest(token: string): string {
  return hash('sha256', token, 'buffer').subarray(0, 16).toString('base64url');
}
