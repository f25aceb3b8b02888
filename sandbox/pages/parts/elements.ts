// Shared by the pages' elements. Input of merchants, customers and receivers stays text: Lit's
// templates insert values as text nodes.

import type { ReactiveController } from 'lit';
import { LitElement } from './lit.ts';

/** Finds an element that the markup contains. */
export function find<Element extends HTMLElement = HTMLElement>(id: string) {
  return document.getElementById(id) as Element;
}

/** Finds a field that the form contains. */
export function fieldOf<Field extends Element = HTMLInputElement>(
  form: HTMLFormElement,
  name: string,
) {
  return form.elements.namedItem(name) as unknown as Field;
}

/** Changes a text only if it differs, so that screen readers do not repeat it. */
export function setText(element: Element, text: string) {
  if (element.textContent !== text) element.textContent = text;
}

/** Renders into the page itself, so that its styles apply. */
export class PageElement extends LitElement {
  override createRenderRoot() {
    return this;
  }
}

/** Moves the focus of a removed item to its neighbour, or to the list. */
export class FocusKeeper implements ReactiveController {
  #host;
  #selector;
  #focusedAt = -1;

  constructor(host: PageElement, selector: string) {
    this.#host = host;
    this.#selector = selector;
    host.addController(this);
  }

  hostUpdate() {
    this.#focusedAt = this.#items().findIndex((item) => item.contains(document.activeElement));
  }

  hostUpdated() {
    const at = this.#focusedAt;
    const list = this.#list();
    if (at < 0 || !list || this.#host.contains(document.activeElement)) return;
    const items = this.#items();
    const target =
      items[Math.min(at, items.length - 1)]?.querySelector<HTMLElement>('a[href], button');
    (target ?? list).focus({ preventScroll: true });
  }

  #list() {
    return this.#host.querySelector<HTMLElement>(this.#selector);
  }

  #items() {
    return [...(this.#list()?.children ?? [])];
  }
}
