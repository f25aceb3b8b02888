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

/** Rejects with an error that says what to install, or with `error` if it has another cause. */
export function rejectMissing(name: Peer): (error: unknown) => never {
  return (error) => {
    throw isMissing(name, error) ? explainMissing([name], error) : error;
  };
}

/** Calls functions that load the packages of their names. One error names all that are missing. */
export function loadPeers<Loaded extends { [Name in Peer]?: unknown }>(
  loads: {
    [Name in keyof Loaded]: () => Loaded[Name];
  },
): Loaded {
  const loaded: Record<string, unknown> = {};
  const missing: Peer[] = [];
  let cause: unknown;
  for (const [name, load] of Object.entries(loads) as [Peer, () => unknown][]) {
    try {
      loaded[name] = load();
    } catch (error) {
      if (!isMissing(name, error)) throw error;
      missing.push(name);
      cause ??= error;
    }
  }
  if (missing.length) throw explainMissing(missing, cause);
  return loaded as Loaded;
}

function isMissing(name: Peer, error: unknown): boolean {
  const { code, message = '' } = Object(error) as NodeJS.ErrnoException;
  const isIt = new RegExp(`(?:package|module) '${name}'|access ${name}(?![\\w-])`).test(message);
  return isIt && code?.endsWith('MODULE_NOT_FOUND') === true;
}

function explainMissing(names: readonly Peer[], cause: unknown): PaymentsError {
  const are = names.length > 1 ? `packages ${names.join(' and ')} are` : `package ${names[0]} is`;
  const command = ['npm install', ...names.map((name) => PEERS[name])].join(' ');
  return new PaymentsError('internal', `The ${are} not installed. Run: ${command}`, { cause });
}
