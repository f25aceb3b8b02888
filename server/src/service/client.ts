import {
  cardDetailsSchema,
  collectionSchema,
  mobileMoneyDetailsSchema,
  VERIFY_LIMITS,
} from '@service-pay/contract/collection';
import { errorEnvelopeSchema } from '@service-pay/contract/envelope';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { isBrokenCircuitError } from 'cockatiel';
import * as v from 'valibot';
import { notKnownYet, PaymentsError } from '../errors.ts';
import { keepAlive, pause, realClock } from '../support/clock.ts';
import { traced } from '../support/tracing.ts';
import { buildCircuitBreaker, type CircuitState, OPEN_FOR_MS } from './circuit-breaker.ts';
import { describeConnectionFailure } from './connection-failure.ts';

/** The limit of one call, including retries and waiting for a connection. */
const DEADLINE_MS = VERIFY_LIMITS.withinMs;
const RETRIES = 2;
const RETRY_PAUSE_MS = 150;
const LARGEST_BODY = VERIFY_LIMITS.mostBytes;
const LONGEST_RETRY_AFTER_S = 86_400;

const CONNECTIONS = {
  connections: 50,
  connectTimeout: 4_000, // leaves time for a second try
  keepAliveMaxTimeout: 30_000, // shorter than the idle timeout of common proxies
  maxResponseSize: LARGEST_BODY,
  allowH2: false, // an HTTP/2 connection would outlive its calls without a response
};

/**
 * Each call earns 0.15 of a retry, and ten are saved: 1.15 calls per request in the long run, of the
 * 1.2 that F6 allows.
 */
const RETRIES_PER_CALL = 0.15;
const SAVED_RETRIES = 10;

/**
 * Only reference, status and amount decide. The other fields are for people, so any value is
 * accepted (D50).
 */
const verifiedSchema = v.object({
  status: v.literal(true),
  data: v.object({
    ...v.pick(collectionSchema, ['reference', 'status', 'amount']).entries,
    currency: v.string(),
    reasonForFailure: v.fallback(v.nullable(v.string()), null),
    completedAt: v.optional(v.fallback(v.nullable(v.string()), null)),
    cardDetails: v.optional(v.fallback(v.nullable(cardDetailsSchema), null)),
    mobileMoneyDetails: v.optional(v.fallback(v.nullable(mobileMoneyDetailsSchema), null)),
  }),
});
export type VerifiedCollection = v.InferOutput<typeof verifiedSchema>['data'];

/** Any other 404 may come from another server at this address (D35). */
const noCollectionSchema = v.object({ ...errorEnvelopeSchema.entries, errorCode: v.literal('11') });

export type ServiceClient = ReturnType<typeof buildServiceClient>;

const BUN =
  'Payments cannot be verified in Bun, whose undici sends nothing. Run this program with Node 22.19 or newer, or with Deno.';

/**
 * Builds the client. The token is sent only to the origin of `apiUrl`, because redirects are not
 * followed (T96). Fails with `internal` in Bun.
 */
export function buildServiceClient(settings: {
  apiUrl: string;
  apiToken: string;
  deadlineMs?: number;
}) {
  const { apiUrl, apiToken, deadlineMs = DEADLINE_MS } = settings;
  if ('bun' in process.versions) throw new PaymentsError('internal', BUN);
  const { origin, pathname } = new URL(apiUrl);
  const basePath = pathname.replace(/\/$/, '');
  let connections: ReturnType<typeof openConnections> | undefined;
  let isClosed = false;
  const headers = { authorization: `Bearer ${apiToken}`, accept: 'application/json' };
  const circuit = buildCircuitBreaker(isOutage);
  let retriesLeft = SAVED_RETRIES;
  let lastCall: 'unknown' | 'reachable' | 'unreachable' | 'token-refused' = 'unknown';

  return {
    get circuit(): CircuitState {
      return circuit.state;
    },
    /** The result of the last call that the circuit breaker let through. */
    get lastCall() {
      return lastCall;
    },
    verify,
    async close() {
      isClosed = true;
      const { kept, fresh } = (await connections) ?? {};
      await Promise.all([kept?.destroy(), fresh?.destroy()]);
    },
  };

  /**
   * Verifies a payment (specification 4.2). Returns undefined if the service has no such collection
   * yet (D35). Fails with `not_known_yet` within eight seconds.
   */
  async function verify(reference: string): Promise<VerifiedCollection | undefined> {
    const path = `${basePath}/access/v2/collections/status/${reference}`;
    if (!v.is(referenceSchema, reference) || new URL(path, origin).href !== origin + path) {
      const message = 'The stored reference cannot stand in a path.';
      throw notKnownYet('reference_unusable', message);
    }
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      return await traced('verify', { reference }, () =>
        circuit.run(() => requestWithRetries(reference, path, signal)),
      );
    } catch (error) {
      if (!isBrokenCircuitError(error)) throw error;
      const message = 'The service has not responded, so calls to it pause for a moment.';
      throw notKnownYet('unreachable', message, { retryAfterSeconds: OPEN_FOR_MS / 1000 });
    }
  }

  async function requestWithRetries(reference: string, path: string, signal: AbortSignal) {
    retriesLeft = Math.min(SAVED_RETRIES, retriesLeft + RETRIES_PER_CALL);
    for (let attempt = 0; ; attempt++) {
      try {
        const collection = await requestOnce(reference, path, signal, attempt > 0);
        lastCall = 'reachable';
        return collection;
      } catch (error) {
        const failure = toNotKnownYet(error, signal, deadlineMs);
        lastCall = failure.reason === 'token_refused' ? 'token-refused' : 'unreachable';
        if (attempt === RETRIES || !isWorthRetrying(failure) || retriesLeft < 1) throw failure;
        retriesLeft -= 1;
        await pause(realClock, RETRY_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()));
      }
    }
  }

  async function requestOnce(
    reference: string,
    path: string,
    signal: AbortSignal,
    isRetry: boolean,
  ): Promise<VerifiedCollection | undefined> {
    if (isClosed) throw new Error('The connections are closed.');
    connections ??= openConnections(origin);
    const { kept, fresh } = await connections;
    const pool = isRetry ? fresh : kept;
    const reset = isRetry;
    const response = await pool.request({ origin, method: 'GET', path, headers, signal, reset });
    const { statusCode, body } = response;
    if (statusCode === 200 || statusCode === 404) {
      // not `body.text()`, which strips a byte order mark
      const text = Buffer.from(await body.arrayBuffer()).toString('utf8');
      if (statusCode === 200) return readCollection(reference, text);
      if (v.is(noCollectionSchema, parseJson(text))) return undefined;
    } else {
      // This body is not needed, so nothing waits for it. Its connection is reused only after it
      // has ended.
      body.dump({ limit: LARGEST_BODY, signal }).catch(() => {});
    }
    if (statusCode === 401)
      throw notKnownYet(
        'token_refused',
        'The service rejects the API token. Check the option `apiToken`.',
      );
    const message = `The service responded with ${statusCode}`;
    if (statusCode !== 429 && statusCode < 500)
      throw notKnownYet('garbled', `${message}, which is not a response of its API.`);
    const retryAfterSeconds = readRetryAfter(response.headers['retry-after']);
    if (retryAfterSeconds) throw notKnownYet('told_to_wait', `${message}.`, { retryAfterSeconds });
    throw notKnownYet('busy', `${message}.`);
  }
}

/**
 * Verifies a payment without a database (specification 4.2). Returns undefined if there was no
 * attempt to pay it. Compare amount and currency with your order, and fulfil only if it is
 * `successful`. Fails with `not_known_yet` if the service does not respond within 8 s.
 */
export async function getCollection(
  reference: string,
  service: { apiUrl: string; apiToken: string },
): Promise<VerifiedCollection | undefined> {
  const client = buildServiceClient(service);
  return keepAlive(() => client.verify(reference).finally(client.close));
}

/** Loads `undici` with the first call: a function that only stores a webhook starts without it. */
async function openConnections(origin: string) {
  const { buildConnections } = await import('./outgoing.ts');
  return {
    kept: buildConnections(origin, CONNECTIONS),
    // All kept connections may have died together, so a retry opens a new one (T106).
    fresh: buildConnections(origin, CONNECTIONS),
  };
}

function readCollection(reference: string, text: string): VerifiedCollection {
  const { success, issues, output } = v.safeParse(verifiedSchema, parseJson(text));
  if (!success) {
    const fields = issues.map((issue) => v.getDotPath(issue) ?? 'body').join(', ');
    const message = `The service responded with 200, but without a valid collection. Check ${fields}.`;
    throw notKnownYet('garbled', message);
  }
  if (output.data.reference !== reference)
    throw notKnownYet('garbled', 'The service returned a collection with another reference.');
  return output.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a number of seconds. A date is treated like a missing header. */
function readRetryAfter(header: string | string[] | undefined): number | undefined {
  const seconds = /^[0-9]+$/.test(String(header)) ? Number(header) : 0;
  return seconds > 0 ? Math.min(seconds, LONGEST_RETRY_AFTER_S) : undefined;
}

function toNotKnownYet(
  cause: unknown,
  { aborted }: AbortSignal,
  deadlineMs: number,
): PaymentsError {
  if (cause instanceof PaymentsError) return cause;
  const { code } = cause as { code?: unknown };
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return notKnownYet('garbled', `The response has more than ${LARGEST_BODY} bytes.`);
  if (aborted) {
    const message = `The service did not respond within ${deadlineMs / 1000} s.`;
    return notKnownYet('timeout', message, { cause });
  }
  const message = `The service could not be reached, or its response broke off: ${describeConnectionFailure(cause)}`;
  return notKnownYet('unreachable', message, { cause });
}

function isWorthRetrying({ reason }: PaymentsError): boolean {
  return reason === 'unreachable' || reason === 'busy';
}

/** A rejected token or an invalid response does not count, because the service is up. */
function isOutage(error: unknown): boolean {
  const { reason } = error as PaymentsError;
  return reason !== 'token_refused' && reason !== 'garbled';
}
