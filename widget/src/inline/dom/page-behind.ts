import { append, buildNode, remove } from './build-node.ts';
import { css } from './css.ts';
import { Layer } from './layer.ts';

const SHIELD_MS = 300;

const locked = css`
  html {
    overflow: hidden !important;
    overscroll-behavior: none !important;
  }
  /* The popup is printed alone, on one sheet of paper. */
  @media print {
    body {
      contain: strict !important;
      visibility: hidden !important;
    }
  }
`;

/** Keeps the space of the scroll bar that disappears, unless the page reserves it. */
const lockedWithScrollbar = css`
  ${locked}
  :where(html) {
    scrollbar-gutter: stable;
  }
`;

/** Stops the page behind the popup from scrolling. Returns a function that undoes it. */
export function lockScroll(): () => void {
  const hasScrollbar = innerWidth > document.documentElement.clientWidth;
  // Lit builds no sheets where MooTools has replaced `Document` (T126).
  const sheet = new CSSStyleSheet();
  sheet.replaceSync((hasScrollbar ? lockedWithScrollbar : locked).cssText);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  };
}

/**
 * Covers the page until a moment after the popup has left, so that a late tap on it does not press
 * what is behind it.
 */
export function shieldPage(leavingMs: number): void {
  const cover = buildNode('div', {});
  cover.style.cssText = 'position:fixed;inset:0;z-index:2147483647';
  const shield = Layer.build(cover);
  append(document.body, shield);
  setTimeout(() => remove(shield), leavingMs + SHIELD_MS);
}

export function deepActiveElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** Returns the element and its ancestors, innermost first, across shadow roots. */
export function withAncestors(element: Element | null | undefined): HTMLElement[] {
  if (!element) return [];
  return [
    element as HTMLElement,
    ...withAncestors(element.parentElement ?? (element.getRootNode() as ShadowRoot).host),
  ];
}

/** Focuses the first of these elements that accepts focus. Returns the element that has it then. */
export function focusFirst(elements: readonly HTMLElement[]): Element | null {
  for (const element of elements) {
    element.focus({ preventScroll: true });
    if (deepActiveElement() === element) break;
  }
  return deepActiveElement();
}
