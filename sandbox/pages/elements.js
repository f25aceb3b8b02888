// Elements from texts: everything a merchant, a customer or a receiver wrote arrives as a text node
// and stays one.

/**
 * The element of an id, which the page's markup promises.
 * @template {HTMLElement} [Element=HTMLElement]
 * @param {string} id
 */
export function find(id) {
  return /** @type {Element} */ (document.getElementById(id));
}

/**
 * Makes an element. Attributes that are false, null or undefined are left out; children are nodes
 * or texts.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...(Node | string | null | undefined | false)} children
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined)
      element.setAttribute(attribute, value === true ? '' : `${value}`);
  }
  element.append(
    ...children.filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/**
 * Changes a text only where it differs, so that nothing is drawn or read out twice.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes a list show `items`, in order, keeping what is the same: an item whose content did not
 * change keeps its element, with the focus and whatever was opened in it. A focused element that
 * goes hands the focus to its neighbour, the last one to the list.
 * @template Item
 * @param {HTMLElement} list
 * @param {readonly Item[]} items
 * @param {{ keyOf: (item: Item) => string, build: (item: Item) => HTMLElement }} how
 */
export function showItems(list, items, { keyOf, build }) {
  const known = new Map(
    Array.from(list.children, (child) => [
      /** @type {HTMLElement} */ (child).dataset['key'],
      /** @type {HTMLElement} */ (child),
    ]),
  );
  const focused = document.activeElement;
  const focusedAt = Array.from(list.children).findIndex((child) => child.contains(focused));
  const wanted = items.map((item) => {
    const key = keyOf(item);
    const content = JSON.stringify(item);
    const before = known.get(key);
    if (before && contents.get(before) === content) return before;
    const element = build(item);
    element.dataset['key'] = key;
    contents.set(element, content);
    if (before) takeOver(before, element);
    return element;
  });
  const kept = new Set(wanted);
  for (const child of [...list.children])
    if (!kept.has(/** @type {HTMLElement} */ (child))) child.remove();
  wanted.forEach((element, at) => {
    if (list.children[at] !== element) list.insertBefore(element, list.children[at] ?? null);
  });
  if (focusedAt >= 0 && !list.contains(document.activeElement)) focusNear(list, focused, focusedAt);
}

/** What each element of a list was built from. @type {WeakMap<Element, string>} */
const contents = new WeakMap();

/**
 * Puts an element in the place of an older one, as open as that was and with the focus where it had
 * it.
 * @param {HTMLElement} before
 * @param {HTMLElement} after
 */
function takeOver(before, after) {
  const wereOpen = before.querySelectorAll('details');
  after.querySelectorAll('details').forEach((details, at) => {
    details.open = wereOpen[at]?.open ?? details.open;
  });
  const focusedAt = focusableIn(before).indexOf(
    /** @type {HTMLElement} */ (document.activeElement),
  );
  before.replaceWith(after);
  if (focusedAt >= 0) focusableIn(after)[focusedAt]?.focus({ preventScroll: true });
}

/** @param {HTMLElement} list @param {Element | null} focused @param {number} at */
function focusNear(list, focused, at) {
  if (focused && list.contains(focused))
    return /** @type {HTMLElement} */ (focused).focus({ preventScroll: true });
  const neighbour = /** @type {HTMLElement | undefined} */ (
    list.children[Math.min(at, list.children.length - 1)]
  );
  const target = neighbour && focusableIn(neighbour)[0];
  (target ?? list).focus({ preventScroll: true });
}

/** @param {HTMLElement} element @returns {HTMLElement[]} */
function focusableIn(element) {
  return [
    ...element.querySelectorAll(/** @type {'a'} */ ('a[href], button, input, select, summary')),
  ];
}
