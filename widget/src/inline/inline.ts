import './define.ts';
import { isServicePayError } from './errors.ts';
import { getPaid, preload } from './get-paid.ts';
import { configure } from './service.ts';

/** A module, a bundle or a copy elsewhere has no such address, and nothing is guessed (T9). */
const SCRIPT_ADDRESS = /^[^?#]+\/js\/[^/?#]+\/inline\.js(?:[?#]|$)/;

const page = window as { ServicePay?: unknown };
const earlier = Object.hasOwn(page, 'ServicePay')
  ? (page.ServicePay as { getPaid?: unknown } | undefined)
  : undefined;

if (typeof earlier?.getPaid === 'function') {
  console.warn('ServicePay: the script is on this page twice; the first is used.');
} else {
  const { src = '', type = '' } = runningScript() ?? {};
  if (SCRIPT_ADDRESS.test(src)) configure({ serviceUrl: src });
  // Without the word `this`, which Partytown replaces in every script.
  if (/partytown/.test(type))
    console.error(
      'ServicePay: Partytown moved the script into a worker. Load it in the page, without type="text/partytown".',
    );
  page.ServicePay = { getPaid, preload, isServicePayError };
}

/**
 * Returns the running script. Reads it through the prototype, since an element named `currentScript`
 * hides the document's own property (T8), and not through `Document`, which MooTools replaces (T126).
 */
function runningScript(): { src?: string; type?: string } | null {
  return Reflect.get(Object.getPrototypeOf(document), 'currentScript', document);
}
