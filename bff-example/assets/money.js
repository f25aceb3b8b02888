// @ts-check
// Decimals with two places, counted in hundredths: nothing here is a float.

/** @param {string} price @param {number} quantity */
export function multiply(price, quantity) {
  return fromHundredths(toHundredths(price) * BigInt(quantity));
}

/** @param {string[]} amounts */
export function sum(amounts) {
  return fromHundredths(amounts.reduce((total, amount) => total + toHundredths(amount), 0n));
}

/** @param {string} amount @param {string} currency */
export function formatMoney(amount, currency) {
  const format = new Intl.NumberFormat(document.documentElement.lang, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
  });
  return format.format(/** @type {Intl.StringNumericLiteral} */ (amount));
}

/** @param {string} amount */
function toHundredths(amount) {
  return BigInt(amount.replace('.', ''));
}

/** @param {bigint} hundredths */
function fromHundredths(hundredths) {
  const digits = `${hundredths}`.padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
