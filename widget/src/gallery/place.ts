import { STATES } from './states.ts';

export interface Place {
  state: string;
  language: string;
}

/** Reads a place from an address's hash or query. Throws if the state does not exist. */
export function readPlace(parameters: string): Place {
  const read = new URLSearchParams(parameters.slice(1));
  const state = read.get('state') ?? '';
  if (!Object.hasOwn(STATES, state))
    throw new Error(`The gallery has no state ${state || 'without a name'}.`);
  return { state, language: read.get('language') ?? 'en' };
}

export function writePlace({ state, language }: Place): string {
  return new URLSearchParams({ state, language }).toString();
}
