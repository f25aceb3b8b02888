import { PaymentsError } from '../errors.ts';
import { buildServiceClient, ServiceCallError, type VerifiedCollection } from './client.ts';

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
  try {
    return await client.verify(reference);
  } catch (cause) {
    if (!(cause instanceof ServiceCallError)) throw cause;
    throw new PaymentsError('not_known_yet', `The payment service gave no answer: ${cause.code}.`, {
      cause,
      retryAfterSeconds: cause.retryAfterSeconds,
    });
  } finally {
    await client.close();
  }
}
