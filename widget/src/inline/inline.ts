import './define.ts';
import { isServicePayError } from './errors.ts';
import { getPaid, preload } from './get-paid.ts';
import { configure } from './service.ts';

const SCRIPT_ADDRESS = /^[^?#]+\/js\/[^/?#]+\/inline\.js(?:[?#]|$)/;

const page = window as { ServicePay?: unknown };
const earlier = Object.hasOwn(page, 'ServicePay')
  ? (page.ServicePay as { getPaid?: unknown } | undefined)
  : undefined;

if (typeof earlier?.getPaid === 'function') {
  console.warn('ServicePay: the script is on this page twice; the first is used.');
} else {
  const script = runningScript();
  if (script) configure({ serviceUrl: script });
  page.ServicePay = { getPaid, preload, isServicePayError };
}

/**
 * Returns the address of the running script. Reads it through the prototype, since an element named
 * `currentScript` hides the document's own property (T8), and not through `Document`, which MooTools
 * replaces (T126). A module, a bundle or a copy elsewhere has no such address, and nothing is
 * guessed (T9).
 */
function runningScript(): string | undefined {
  const script: { src?: unknown } | null = Reflect.get(
    Object.getPrototypeOf(document),
    'currentScript',
    document,
  );
  const address = script?.src;
  return typeof address === 'string' && SCRIPT_ADDRESS.test(address) ? address : undefined;
}
