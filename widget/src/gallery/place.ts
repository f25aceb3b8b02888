import { STATES } from './states.ts';

/** What a page of the gallery shows, as its address says after `#` or `?`. */
export interface Place {
  state: string;
  language: string;
}

/** Reads a place from the parameters of an address. Throws on a state nobody has drawn. */
export function readPlace(parameters: string): Place {
  const read = new URLSearchParams(parameters.slice(1));
  const state = read.get('state') ?? '';
  if (!Object.hasOwn(STATES, state))
    throw new Error(`The gallery has no state ${state || 'without a name'}.`);
  return { state, language: read.get('language') ?? 'en' };
}

/** The parameters that `readPlace` reads, without `#` or `?`. */
export function writePlace({ state, language }: Place): string {
  return new URLSearchParams({ state, language }).toString();
}
