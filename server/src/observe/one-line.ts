import type { Log } from './log.ts';

/** Returns foreign text as one line of at most `longest` characters, masked like the log. */
export function toMaskedLine(text: string, log: Log, longest: number): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim(); // a line end may split a card number
  return log.maskText(line).slice(0, longest).toWellFormed();
}
