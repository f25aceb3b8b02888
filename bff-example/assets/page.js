// @ts-check
// The parts of the shop's pages: nodes, amounts, and calls of the shop's server.

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

/** @param {string} id */
export function find(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Writes an amount with its currency. A line that is too narrow may end between the two.
 * @param {string} amount A decimal, in whole units of `currency`.
 * @param {string} currency
 */
export function formatMoney(amount, currency) {
  return new Intl.NumberFormat(document.documentElement.lang, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
  })
    .format(/** @type {Intl.StringNumericLiteral} */ (amount))
    .replace(/(\p{L})\u00a0|\u00a0(?=\p{L})/u, '$1 ');
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
 * Says what is wrong in the form or section around a node. An empty message hides it.
 * @param {Element} near
 * @param {string} message
 */
export function showProblem(near, message) {
  const problem = near.closest('form, section')?.querySelector('[role=alert]');
  if (!(problem instanceof HTMLElement)) return;
  problem.textContent = message;
  problem.hidden = !message;
}

/** Says on a button that it is at work. @param {HTMLElement} button @param {string} label @param {boolean} isBusy */
export function showButton(button, label, isBusy) {
  button.ariaBusy = `${isBusy}`;
  button.textContent = isBusy ? 'Opening…' : label;
}

/**
 * Calls the shop's server and returns `data` of its response. Throws if the call failed.
 * @param {string} path
 * @param {{ body?: object, headers?: Record<string, string> }} [request] A body makes it a POST.
 * @returns {Promise<any>}
 */
export async function callShop(path, { body, headers } = {}) {
  const response = await fetch(path, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
  });
  const { data, message } = await response.json();
  if (!response.ok) throw Object.assign(new Error(message), { status: response.status });
  return data;
}
