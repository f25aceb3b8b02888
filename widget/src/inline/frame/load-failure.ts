import { pageOrigin } from '../service.ts';

/** The reason why the payment form is missing, as far as a page can tell (D13). */
export type LoadFailure =
  | 'offline'
  | 'unreachable'
  | 'failing'
  | 'slow'
  | 'policy'
  | 'refused'
  | 'outdated'
  | 'stopped';

/** The probe's timeout. Added to the frame's own, it makes 15 s. */
const PROBE_MS = 3_000;

const ADVICE: Partial<Record<LoadFailure, (service: string) => string>> = {
  policy: (service) =>
    `this page's Content-Security-Policy blocks the payment form: its frame-src directive must name ${service}`,
  refused: (service) =>
    `the payment form did not open: register the origin ${pageOrigin()} for this public key, or see what ${service}/checkout/v1/ returns`,
  failing: (service) => `${service} returns errors`,
  outdated: (service) =>
    `${service} no longer speaks to this version of the script: load /js/v1/inline.js or update the package`,
};

export function adviceOn(failure: LoadFailure, service: string): string {
  return (
    ADVICE[failure]?.(service) ?? `the payment form of ${service} does not respond (${failure})`
  );
}

/**
 * Distinguishes failures that look alike from outside by requesting a small file that any page may
 * read (D13). Returns `ifWell` if the service responds. Its error responses may lack the header that
 * lets a page read them; that it responds is then enough.
 */
export async function diagnose(service: string, ifWell: LoadFailure): Promise<LoadFailure> {
  if (!navigator.onLine) return 'offline';
  const signal = AbortSignal.timeout(PROBE_MS);
  const probe = (mode: RequestMode) =>
    fetch(`${service}/js/v1/integrity.json`, { cache: 'no-store', mode, signal });
  try {
    const { ok } = await probe('cors').catch(() => probe('no-cors'));
    return ok ? ifWell : 'failing';
  } catch {
    return 'unreachable';
  }
}
