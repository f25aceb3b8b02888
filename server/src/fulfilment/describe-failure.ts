import type { Log } from '../observe/log.ts';
import { toMaskedLine } from '../observe/one-line.ts';

const LONGEST_ERROR = 500;

/** Returns why a call failed, as it is stored and shown by the commands. */
export function describeFailure(err: unknown, log: Log): string {
  return toMaskedLine(wordsOf(err), log, LONGEST_ERROR);
}

function wordsOf(err: unknown): string {
  if (typeof err === 'string') return err;
  if (!(err instanceof Error)) return `Not an Error: ${typeof err}`;
  const words = `${err.name}: ${err.message}`;
  // fetch says only "fetch failed"; its cause names the server
  if (!(err.cause instanceof Error)) return words;
  const { message, code } = err.cause as NodeJS.ErrnoException;
  return `${words}: ${message || code}`;
}
