import { type Typed, toPlainTyped } from '@service-pay/contract/typed';

/** Reads a field in plain digits, the caret after the same digit (T128). */
export function typedIn({ value, selectionStart }: HTMLInputElement): Typed {
  return toPlainTyped({ text: value, caret: selectionStart ?? value.length });
}

export function showTyped(input: HTMLInputElement, { text, caret }: Typed): void {
  if (text === input.value) return;
  input.value = text;
  if (input.matches(':focus')) input.setSelectionRange(caret, caret);
}
