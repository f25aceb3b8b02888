import { toPlainDigits } from './plain-digits.ts';

/** A text field at one moment: its text, and the number of characters before the caret. */
export interface Typed {
  text: string;
  caret: number;
}

export function toPlainTyped({ text, caret }: Typed): Typed {
  return { text: toPlainDigits(text), caret: toPlainDigits(text.slice(0, caret)).length };
}
