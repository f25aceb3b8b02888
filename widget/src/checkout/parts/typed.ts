import { type Typed, toPlainTyped } from '@service-pay/contract/typed';

/** Reads a field in plain digits, the caret after the same digit (T128). */
export function typedIn({ value, selectionStart }: HTMLInputElement): Typed {
  return toPlainTyped({ text: value, caret: selectionStart ?? value.length });
}

/**
 * Shows a text, the caret after the same digit. Undo does not lead back over it: browsers forget the
 * history of a field whose value a script sets, and `execCommand`, which keeps it, is deprecated.
 */
export function showTyped(input: HTMLInputElement, { text, caret }: Typed): void {
  if (text === input.value) return;
  input.value = text;
  if (input.matches(':focus')) input.setSelectionRange(caret, caret);
}
