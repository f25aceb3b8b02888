import { LOOPBACK_HOST } from '@service-pay/contract/loopback';

import { ServicePayError } from './errors.ts';

let configured: string | undefined;

/**
 * Sets the service's address, for pages that do not load the script by its tag (D22). Throws
 * `not_configured` if the address cannot be one.
 */
export function configure({ serviceUrl }: { serviceUrl: string }): void {
  configured = originOf(serviceUrl);
}

/**
 * Returns the service's origin: of the given address, otherwise as configured. Throws
 * `not_configured`; no address is ever guessed (D22, T9).
 */
export function findService(serviceUrl?: string): string {
  if (serviceUrl) return originOf(serviceUrl);
  if (configured) return configured;
  throw new ServicePayError(
    'not_configured',
    'where is the service? Load its /js/v1/inline.js by a script tag, or call configure({ serviceUrl })',
  );
}

/**
 * Parses by a pattern, since a page may have its own variable called `URL`. Returns an origin as
 * browsers write it, so that messages can be compared with it.
 */
function originOf(address: string): string {
  const [, origin = '', host = ''] =
    /^\s*(https?:\/\/([-.\w]+|\[[:.a-f0-9]+])(?::\d+)?)(?:[/?#]|\s*$)/i.exec(address) ?? [];
  if (!/^https/i.test(origin) && !LOOPBACK_HOST.test(host)) {
    throw new ServicePayError(
      'not_configured',
      'the service address must be an https: URL without a user name (http: only on this machine)',
    );
  }
  return origin.toLowerCase().replace(/^(https:.*):443$|^(http:.*):80$/, '$1$2');
}

/** Returns the page's own origin, even if the page has its own variable called `origin`. */
export function pageOrigin(): string {
  return location.origin === 'null' ? self.origin : location.origin;
}
