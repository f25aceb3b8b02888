import { realClock } from '../support/clock.ts';
import { readJsonBody } from '../transport/json-body.ts';
import { type FetchHost, findBody } from './host-body.ts';

/**
 * Reads a JSON body of at most 64 kB for a route of your own. Fails with a `PaymentsError` for other
 * types, larger bodies and broken JSON. Without a body, resolves with undefined. Pass `host` as to
 * the handler.
 */
export async function readJson(request: Request, host: FetchHost = {}): Promise<unknown> {
  const body = findBody(request, host, realClock);
  try {
    return await readJsonBody(Object.fromEntries(request.headers), body.read);
  } catch (error) {
    body.release();
    throw error;
  }
}
