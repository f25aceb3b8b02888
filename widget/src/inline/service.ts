import { ServicePayError } from './errors.ts';

let configured: string | undefined;

/** Says where the service is, for pages that do not load the script by its tag (D22). Throws `not_configured` on an address that cannot be one. */
export function configure({ serviceUrl }: { serviceUrl: string }): void {
  configured = originOf(serviceUrl);
}

/** The service's origin: of the address given, or else as configured. Throws `not_configured`; no address is ever guessed (D22, T9). */
export function findService(serviceUrl?: string): string {
  if (serviceUrl) return originOf(serviceUrl);
  if (configured) return configured;
  throw new ServicePayError(
    'not_configured',
    'where is the service? Load its /js/v1/inline.js by a script tag, or call configure({ serviceUrl })',
  );
}

function originOf(address: string): string {
  let url: URL | undefined;
  try {
    url = new URL(address);
  } catch {
    // Refused below, with the other addresses that lead to no service.
  }
  const isLocal = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '');
  const isSafe = url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)) && !url.username && !url.password;
  if (!isSafe) {
    throw new ServicePayError(
      'not_configured',
      'the service address must be an https: URL without a user name (http: only on this machine)',
    );
  }
  return url!.origin;
}
