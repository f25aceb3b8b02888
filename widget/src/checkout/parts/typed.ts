import { toPlainDigits } from '@service-pay/contract/plain-digits';

/** A text field at one moment: its text, and the number of characters before the caret. */
export interface Typed {
  text: string;
  caret: number;
}

/** Reads a field in plain digits, the caret after the same digit (T128). */
export function typedIn({ value, selectionStart }: HTMLInputElement): Typed {
  return toPlainTyped({ text: value, caret: selectionStart ?? value.length });
}

export function toPlainTyped({ text, caret }: Typed): Typed {
  return { text: toPlainDigits(text), caret: toPlainDigits(text.slice(0, caret)).length };
}

export function showTyped(input: HTMLInputElement, { text, caret }: Typed): void {
  if (text === input.value) return;
  input.value = text;
  if (input.matches(':focus')) input.setSelectionRange(caret, caret);
}
