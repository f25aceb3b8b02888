import { type CSSResult, unsafeCSS } from '@lit/reactive-element';

/** Lit's `css` for our own literals, without the checks that make it five times as large. */
export function css(styles: TemplateStringsArray, ...others: CSSResult[]): CSSResult {
  return unsafeCSS(String.raw({ raw: styles }, ...others));
}
