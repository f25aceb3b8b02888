// @ts-check
// The parts of the shop's pages: nodes, amounts, and buttons that say when they are busy.

/** Says what a customer can do if the service's script did not arrive, or refuses to start. */
export const WINDOW_NOT_LOADED =
  'The payment window could not be loaded. Check your connection, or a blocker, and reload this page.';

export class Problem extends Error {}

/**
 * Makes an element with properties and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function build(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

/** @param {string} amount A decimal, in whole units of `currency`. @param {string} currency */
export function formatMoney(amount, currency) {
  return new Intl.NumberFormat(document.documentElement.lang, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
  }).format(/** @type {Intl.StringNumericLiteral} */ (amount));
}

/**
 * Adds up prices with two decimals in hundredths, where nothing is rounded.
 * @param {{ price: string, quantity: number }[]} lines
 * @param {string} currency
 */
export function formatTotal(lines, currency) {
  const hundredths = lines.reduce(
    (sum, { price, quantity }) => sum + BigInt(price.replace('.', '')) * BigInt(quantity),
    0n,
  );
  return formatMoney(`${hundredths}e-2`, currency);
}

/**
 * Acts on a press of a button that opens the payment window. The button says so, and takes no
 * second press meanwhile. A failure is shown beside it.
 * @param {HTMLButtonElement} button
 * @param {() => unknown} act
 */
export async function press(button, act) {
  if (button.ariaBusy === 'true') return;
  const label = button.textContent;
  button.ariaBusy = 'true';
  button.textContent = 'Opening…';
  showProblem(button, '');
  try {
    await act();
  } catch (error) {
    const isForCustomer = error instanceof Problem;
    if (!isForCustomer) console.error(error);
    showProblem(button, isForCustomer ? error.message : WINDOW_NOT_LOADED);
  } finally {
    button.ariaBusy = 'false';
    button.textContent = label;
  }
}

/**
 * Says what is wrong in the form or section around a node. An empty message hides it.
 * @param {Element} near
 * @param {string} message
 */
export function showProblem(near, message) {
  const around = near.closest('form, section');
  const problem = /** @type {HTMLElement | null | undefined} */ (
    around?.querySelector('[role=alert]')
  );
  if (!problem) return;
  problem.textContent = message;
  problem.hidden = !message;
}
