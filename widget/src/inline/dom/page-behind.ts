import { css } from '@lit/reactive-element';

import { buildNode } from './build-node.ts';

/** How long presses on the page are swallowed after the popup has gone. */
const SHIELD_MS = 300;

/** Stops the page from scrolling and from being pulled to reload. */
const locked = css`
  html {
    overflow: hidden !important;
    overscroll-behavior: none !important;
  }
`;

/** Keeps the room of a scroll bar that goes, unless the page keeps such room itself. */
const lockedWithScrollbar = css`
  ${locked}
  :where(html) {
    scrollbar-gutter: stable;
  }
`;

/** Stops the page behind the popup from scrolling. Returns what undoes it. */
export function lockScroll(): () => void {
  const hasScrollbar = innerWidth > document.documentElement.clientWidth;
  const sheet = (hasScrollbar ? lockedWithScrollbar : locked).styleSheet!;
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
  };
}

/** Covers the page for a moment: a late tap on the popup must not press what is behind it. */
export function shieldPage(): void {
  const shield = buildNode('div', {});
  shield.style.cssText =
    'all:initial!important;position:fixed!important;inset:0!important;z-index:2147483647!important';
  document.body.append(shield);
  setTimeout(() => shield.remove(), SHIELD_MS);
}

/** Returns the element that has the focus, inside shadow roots too. */
export function deepActiveElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/** Returns an element and its ancestors, innermost first, through shadow roots. */
export function withAncestors(element: Element | null | undefined): HTMLElement[] {
  if (!element) return [];
  return [
    element as HTMLElement,
    ...withAncestors(element.parentElement ?? (element.getRootNode() as ShadowRoot).host),
  ];
}

/** Focuses the first of these elements that takes the focus. Returns the one that has it then. */
export function focusFirst(elements: readonly HTMLElement[]): Element | null {
  for (const element of elements) {
    element.focus({ preventScroll: true });
    if (deepActiveElement() === element) break;
  }
  return deepActiveElement();
}
