import { PaymentsError } from '../errors.ts';

/** What an application installs beside this package, for what it uses of it. */
type Peer = 'better-sqlite3' | 'express' | 'express-rate-limit' | 'pg';

/** Rejects with `explainMissing`. */
export function rejectMissing(name: Peer): (error: unknown) => never {
  return (error) => {
    throw explainMissing(name, error);
  };
}

/** Returns an error that names the missing package, or `error` if it has another cause. */
export function explainMissing(name: Peer, error: unknown): unknown {
  const { code, message = '' } = Object(error) as NodeJS.ErrnoException;
  const isIt = new RegExp(`(?:package|module) '${name}'|access ${name}(?![\\w-])`).test(message);
  if (!code?.endsWith('MODULE_NOT_FOUND') || !isIt) return error;
  const todo = `The package ${name} is not installed. Run: npm install ${name}`;
  return new PaymentsError('unavailable', todo, { cause: error });
}
