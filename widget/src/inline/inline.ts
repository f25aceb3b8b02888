import './define.ts';
import { isServicePayError } from './errors.ts';
import { getPaid, preload } from './get-paid.ts';
import { configure } from './service.ts';

/** Where the script lies on a service, whatever its version (specification 4.1). */
const SCRIPT_ADDRESS = /^[^?#]+\/js\/[^/?#]+\/inline\.js(?:[?#]|$)/;

const page = window as { ServicePay?: unknown };
const earlier = Object.hasOwn(page, 'ServicePay')
  ? (page.ServicePay as { getPaid?: unknown } | undefined)
  : undefined;

if (typeof earlier?.getPaid === 'function') {
  console.warn('ServicePay: the script is on this page twice; the first copy is used.');
} else {
  const script = runningScript();
  if (script) configure({ serviceUrl: script });
  page.ServicePay = { getPaid, preload, isServicePayError };
}

/**
 * The address of the script element that runs this. Asked of the prototype, since an element named
 * `currentScript` hides the document's own answer (T8). A module, a bundle or a copy elsewhere has
 * no such address: nothing is guessed (T9).
 */
function runningScript(): string | undefined {
  const find = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')?.get;
  const script: unknown = find?.call(document);
  return script instanceof HTMLScriptElement && SCRIPT_ADDRESS.test(script.src)
    ? script.src
    : undefined;
}
