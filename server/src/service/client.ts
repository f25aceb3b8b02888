import { collectionSchema } from '@service-pay/contract/collection';
import { errorEnvelopeSchema } from '@service-pay/contract/envelope';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { isBrokenCircuitError } from 'cockatiel';
import { type Dispatcher, Pool } from 'undici';
import * as v from 'valibot';
import { type Clock, pause, realClock } from '../support/clock.ts';
import { buildCircuitBreaker, type CircuitState, OPEN_FOR_MS } from './circuit-breaker.ts';

/**
 * One call, its retries and its waiting for a connection included, is over by then. Real time: it
 * bounds a real network.
 */
const DEADLINE_MS = 8_000;
const RETRIES = 2;
const RETRY_PAUSE_MS = 150;
const LARGEST_BODY = 64 * 1024;
const CONNECTIONS = 50;

/** Shorter than the deadline, so that a lost greeting leaves time for a second one. */
const CONNECT_WITHIN_MS = 4_000;

/**
 * Shorter than what stands between us and the service keeps a connection that nothing passes on.
 */
const KEPT_AT_MOST_MS = 30_000;

/** A service that names a time beyond this is asked again within a day all the same. */
const LONGEST_RETRY_AFTER_S = 86_400;

/**
 * Retries allowed for each call made, and how many may be saved up: a service in trouble gets at
 * most 1.2 calls for one (F6).
 */
const RETRIES_PER_CALL = 0.15;
const SAVED_RETRIES = 10;

/**
 * What the decision needs of a collection (D50). The currency is any text: a wrong one is a matter
 * for a person, not a garbled answer.
 */
const verifiedSchema = v.object({
  status: v.literal(true),
  data: v.object({
    ...v.pick(collectionSchema, ['reference', 'status', 'amount']).entries,
    currency: v.string(),
  }),
});
export type VerifiedCollection = v.InferOutput<typeof verifiedSchema>['data'];

/**
 * Only in the service's own words: any other 404 may come from something that stands in its place
 * (D35).
 */
const noCollectionSchema = v.object({ ...errorEnvelopeSchema.entries, errorCode: v.literal('11') });

export type ServiceCallErrorCode =
  | 'token_refused'
  | 'timeout'
  | 'unreachable'
  | 'busy'
  | 'garbled'
  | 'reference_unusable';

/**
 * What the service did to us instead of answering. Never failed, never paid: not known yet (D52).
 * Holds no body text.
 */
export class ServiceCallError extends Error {
  override readonly name = 'ServiceCallError';
  readonly code: ServiceCallErrorCode;
  readonly retryAfterSeconds: number | undefined;
  /** Whether the service was asked at all. */
  readonly wasAsked: boolean;

  constructor(code: ServiceCallErrorCode, message: string, details: ServiceCallErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.wasAsked = details.wasAsked ?? true;
  }
}

interface ServiceCallErrorDetails {
  retryAfterSeconds?: number | undefined;
  wasAsked?: boolean;
  cause?: unknown;
}

/** The service's merchant API, as far as it is specified. */
export interface ServiceClient {
  /**
   * Whether the service is asked at all. While `open` `verify` fails at once, and in `half-open`
   * behind the one call that finds out, as `unreachable`: not known yet.
   */
  readonly circuit: CircuitState;
  /**
   * Asks how a payment stands (specification 4.2). Undefined where the service knows no such
   * collection yet (D35). Fails with `ServiceCallError` where the answer is not known, within ten
   * seconds whatever the service does.
   */
  verify(reference: string): Promise<VerifiedCollection | undefined>;
  close(): Promise<void>;
}

interface Answer {
  httpStatus: number;
  retryAfterSeconds: number | undefined;
  /** Empty where the status says all there is to know. */
  text: string;
}

/**
 * What the client is made with. `clock` and `deadlineMs` are for those who test what surrounds it:
 * no setting reaches them.
 */
interface ServiceClientParts {
  apiUrl: string;
  apiToken: string;
  clock?: Clock;
  deadlineMs?: number;
}

/**
 * Makes the client. The token goes to the origin of `apiUrl` and nowhere else: redirects are not
 * followed (T96).
 */
export function buildServiceClient({
  apiUrl,
  apiToken,
  clock = realClock,
  deadlineMs = DEADLINE_MS,
}: ServiceClientParts): ServiceClient {
  const { origin, pathname } = new URL(apiUrl);
  const basePath = pathname.replace(/\/$/, '');
  // A connection of HTTP/2 would outlive the calls it left without an answer; one of HTTP/1.1 ends
  // with the first of them.
  const options = {
    connections: CONNECTIONS,
    connectTimeout: CONNECT_WITHIN_MS,
    keepAliveMaxTimeout: KEPT_AT_MOST_MS,
    allowH2: false,
  };
  const kept = new Pool(origin, options);
  // All kept connections may have died together: a second try takes a new one (T106).
  const fresh = new Pool(origin, options);
  const headers = { authorization: `Bearer ${apiToken}`, accept: 'application/json' };
  const circuit = buildCircuitBreaker((error) => !isAnswer(error));
  let retriesLeft = SAVED_RETRIES;

  return {
    get circuit() {
      return circuit.state;
    },
    verify,
    close: async () => void (await Promise.all([kept.destroy(), fresh.destroy()])),
  };

  async function verify(reference: string): Promise<VerifiedCollection | undefined> {
    const path = `${basePath}/access/v2/collections/status/${reference}`;
    if (!v.is(referenceSchema, reference) || new URL(path, origin).href !== origin + path) {
      throw new ServiceCallError(
        'reference_unusable',
        'The stored reference cannot stand in a path.',
        { wasAsked: false },
      );
    }
    const deadline = new AbortController();
    // called off, or thousands of them would be kept for their 8 s
    const cancel = realClock.after(deadlineMs, () => deadline.abort());
    try {
      return await askWithin(deadline.signal, reference, path);
    } finally {
      cancel();
    }
  }

  async function askWithin(
    signal: AbortSignal,
    reference: string,
    path: string,
  ): Promise<VerifiedCollection | undefined> {
    try {
      return await circuit.run((isProbe) => {
        retriesLeft = Math.min(SAVED_RETRIES, retriesLeft + RETRIES_PER_CALL);
        return askAgainWhereItHelps(reference, path, signal, isProbe ? 0 : RETRIES);
      });
    } catch (error) {
      if (!isBrokenCircuitError(error)) throw error;
      throw new ServiceCallError(
        'unreachable',
        'The service has not been answering, and is not asked for a moment.',
        { retryAfterSeconds: OPEN_FOR_MS / 1000, wasAsked: false, cause: error },
      );
    }
  }

  async function askAgainWhereItHelps(
    reference: string,
    path: string,
    signal: AbortSignal,
    retries: number,
  ) {
    const startedAt = realClock.now();
    for (let attempt = 0; ; attempt++) {
      try {
        return readAnswer(reference, await ask(path, signal, attempt > 0));
      } catch (error) {
        const failure = toServiceCallError(error, signal, deadlineMs);
        const pauseMs = RETRY_PAUSE_MS * 2 ** attempt * (0.5 + Math.random());
        const hasTime = realClock.now() - startedAt + pauseMs < deadlineMs;
        if (attempt === retries || !isWorthRetrying(failure) || !hasTime || retriesLeft < 1)
          throw failure;
        retriesLeft -= 1;
        await pause(realClock, pauseMs);
      }
    }
  }

  async function ask(path: string, signal: AbortSignal, reset: boolean): Promise<Answer> {
    const pool = reset ? fresh : kept;
    const {
      statusCode: httpStatus,
      headers: answered,
      body,
    } = await pool.request({ method: 'GET', path, headers, signal, reset });
    const retryAfterSeconds = readRetryAfter(answered['retry-after'], clock.now());
    if (httpStatus === 200 || httpStatus === 404)
      return { httpStatus, retryAfterSeconds, text: await readBody(body) };
    // Nobody waits for what no decision reads. Until it has run out, or is too long, its connection
    // takes no other call.
    body.dump({ limit: LARGEST_BODY, signal: AbortSignal.timeout(deadlineMs) }).catch(() => {});
    return { httpStatus, retryAfterSeconds, text: '' };
  }
}

/**
 * Reads all of a body, or closes its connection where it is larger than any envelope: nothing
 * unread stays in the pool.
 */
async function readBody(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) {
      body.destroy();
      throw new ServiceCallError(
        'garbled',
        `The service answered more than ${LARGEST_BODY} bytes.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(
  reference: string,
  { httpStatus, retryAfterSeconds, text }: Answer,
): VerifiedCollection | undefined {
  if (httpStatus === 200) {
    const result = v.safeParse(verifiedSchema, parseJson(text));
    if (!result.success) {
      const fields = result.issues.map((issue) => v.getDotPath(issue) ?? 'body').join(', ');
      throw new ServiceCallError(
        'garbled',
        `The service answered 200 with something that is no collection: see ${fields}.`,
      );
    }
    if (result.output.data.reference !== reference)
      throw new ServiceCallError('garbled', 'The service answered for another reference.');
    return result.output.data;
  }
  if (httpStatus === 401)
    throw new ServiceCallError(
      'token_refused',
      'The service refuses the API token: renew SERVICE_PAY_API_TOKEN.',
    );
  if (httpStatus === 404 && v.is(noCollectionSchema, parseJson(text))) return undefined;
  if (httpStatus === 429 || httpStatus >= 500) {
    throw new ServiceCallError('busy', `The service answered ${httpStatus}.`, {
      retryAfterSeconds,
    });
  }
  throw new ServiceCallError(
    'garbled',
    `The service answered ${httpStatus}, which means nothing here.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds to wait, where the header names a number of them or a date, and neither is over. */
function readRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const seconds = / GMT$/.test(header)
    ? Math.ceil((Date.parse(header) - now) / 1000)
    : /^[0-9]+$/.test(header)
      ? Number(header)
      : 0;
  return seconds > 0 ? Math.min(seconds, LONGEST_RETRY_AFTER_S) : undefined;
}

function toServiceCallError(
  error: unknown,
  signal: AbortSignal,
  deadlineMs: number,
): ServiceCallError {
  if (error instanceof ServiceCallError) return error;
  if (signal.aborted)
    return new ServiceCallError(
      'timeout',
      `The service did not answer within ${deadlineMs / 1000} s.`,
      { cause: error },
    );
  return new ServiceCallError(
    'unreachable',
    'The service could not be reached, or broke off its answer.',
    { cause: error },
  );
}

/**
 * Asking again at once helps against a lost connection or a hiccup, not where the service named a
 * time.
 */
function isWorthRetrying({ code, retryAfterSeconds }: ServiceCallError): boolean {
  return code === 'unreachable' || (code === 'busy' && retryAfterSeconds === undefined);
}

/**
 * A refused token and an answer nobody can read come from a service that is there: they open no
 * circuit, and others go on asking.
 */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof ServiceCallError &&
    (error.code === 'token_refused' || error.code === 'garbled')
  );
}
