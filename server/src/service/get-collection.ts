import { inTime } from '../payments/verify-deadline.ts';
import { realClock } from '../support/clock.ts';
import { buildServiceClient, type VerifiedCollection } from './client.ts';

const NO_ANSWER = 'The payment service gave no answer. Ask again shortly.';

/**
 * Asks the service how a payment stands, without a database (specification 4.2). Undefined if nobody
 * has tried to pay it. Compare amount and currency with your order, and deliver at `successful` alone.
 * Fails with `not_known_yet` if the service cannot be asked within 8 s.
 */
export async function getCollection(
  reference: string,
  service: { apiUrl: string; apiToken: string },
): Promise<VerifiedCollection | undefined> {
  const client = buildServiceClient(service);
  return inTime(realClock, client.verify(reference), NO_ANSWER).finally(client.close);
}
