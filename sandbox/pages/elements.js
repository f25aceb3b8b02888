// What the pages' elements share. Everything a merchant, a customer or a receiver wrote arrives as
// text and stays text: Lit's templates put values in as text nodes.

import { LitElement } from './lit.js';

/** @import { ReactiveController } from 'lit' */

/**
 * The element of an id, which the page's markup promises.
 * @template {HTMLElement} [Element=HTMLElement]
 * @param {string} id
 */
export function find(id) {
  return /** @type {Element} */ (document.getElementById(id));
}

/**
 * Changes a text only if it differs, so that nothing is drawn or read out twice.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A component that renders into the page itself, where the page's styles reach it. */
export class PageElement extends LitElement {
  /** @override */
  createRenderRoot() {
    return this;
  }
}

/**
 * Hands the focus of an item that goes to its neighbour in the list, or to the list itself.
 * @implements {ReactiveController}
 */
export class FocusKeeper {
  #host;
  #selector;
  #focusedAt = -1;

  /** @param {PageElement} host @param {string} selector Finds the list in the host. */
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
