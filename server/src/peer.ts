import { PaymentsError } from './errors.ts';

/**
 * The packages that an application installs beside this one, each with what `npm install` takes.
 * Without a version, the npm of Node 20 takes a `better-sqlite3` that runs on Node 20 alone.
 */
const PEERS = {
  'better-sqlite3': 'better-sqlite3@13',
  express: 'express',
  'express-rate-limit': 'express-rate-limit',
  pg: 'pg',
} as const;
type Peer = keyof typeof PEERS;

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
  const todo = `The package ${name} is not installed. Run: npm install ${PEERS[name]}`;
  return new PaymentsError('unavailable', todo, { cause: error });
}
