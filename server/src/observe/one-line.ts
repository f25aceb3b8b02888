import type { Log } from './log.ts';

/** Writes a text of somebody else's in one line of at most `longest` characters, masked like the log. */
export function toMaskedLine(text: string, log: Log, longest: number): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim(); // first: a line end may part a card number
  return log.maskText(line).slice(0, longest).toWellFormed();
}
