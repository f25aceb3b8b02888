// Shared by the pages' elements. Input of merchants, customers and receivers stays text: Lit's
// templates insert values as text nodes.

import { LitElement } from './lit.js';

/** @import { ReactiveController } from 'lit' */

/**
 * Finds an element that the markup contains.
 * @template {HTMLElement} [Element=HTMLElement]
 * @param {string} id
 */
export function find(id) {
  return /** @type {Element} */ (document.getElementById(id));
}

/**
 * Changes a text only if it differs, so that screen readers do not repeat it.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Renders into the page itself, so that its styles apply. */
export class PageElement extends LitElement {
  /** @override */
  createRenderRoot() {
    return this;
  }
}

/**
 * Moves the focus of a removed item to its neighbour, or to the list.
 * @implements {ReactiveController}
 */
export class FocusKeeper {
  #host;
  #selector;
  #focusedAt = -1;

  /** @param {PageElement} host @param {string} selector */
  constructor(host, selector) {
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
    const target = items[Math.min(at, items.length - 1)]?.querySelector('a[href], button');
    /** @type {HTMLElement} */ (target ?? list).focus({ preventScroll: true });
  }

  #list() {
    return /** @type {HTMLElement | null} */ (this.#host.querySelector(this.#selector));
  }

  #items() {
    return [...(this.#list()?.children ?? [])];
  }
}
