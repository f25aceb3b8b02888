import type { Collection } from '@service-pay/contract/collection';
import type { ErrorEnvelope, Meta } from '@service-pay/contract/envelope';
import { request } from 'undici';
import type * as v from 'valibot';
import type { paySchema } from '../api/control-inputs.ts';
import { CONTROL_PATH } from '../api/paths.ts';
import type { FaultSettings } from '../faults/fault-settings.ts';
import { withoutUndefined } from '../http/object-members.ts';
import type { MerchantSettings } from '../payments/merchants.ts';
import type { placedCollectionSchema } from '../payments/seed-collection.ts';
import type { ClockMode } from '../time/clock.ts';
import { type News, readNews } from './event-reader.ts';
import type {
  ClockState,
  ClockView,
  CollectionRow,
  CollectionStory,
  Delivery,
  Handset,
  MerchantView,
  PayResult,
  ScenarioList,
} from './types.ts';

/**
 * The control API of one sandbox, typed. Each call is one request; a refusal rejects with a
 * `ControlError`.
 */
export interface Control {
  /** Empties everything: clock and merchants as at start, faults and scenarios off. */
  reset(): Promise<void>;
  /** Puts a collection there; only `reference` is required. */
  putCollection(collection: v.InferInput<typeof placedCollectionSchema>): Promise<Collection>;
  /**
   * Plays a customer who pays with a test card or phone, by default the successful card. Resolves
   * with the end of the attempt, or with where it stands if it waits for a person or for a virtual
   * clock; `approve` answers challenge, code and prompt.
   */
  pay(payment: v.InferInput<typeof paySchema>): Promise<PayResult>;
  setClock(clock: { mode: ClockMode; now?: string }): Promise<ClockState>;
  /** Moves time on and waits until everything due has run. */
  advance(seconds: number): Promise<ClockState>;
  /**
   * Approves the newest prompt on a phone, or that of `reference`; gives the reference answered.
   */
  approve(number: string, reference?: string): Promise<string>;
  decline(number: string, reference?: string): Promise<string>;
  /** What is out on a phone: prompts and one-time codes. */
  phone(number: string): Promise<Handset>;
  /** Changes a merchant, or makes one, which then needs an `apiToken`. */
  putMerchant(publicKey: string, settings: Partial<MerchantSettings>): Promise<MerchantView>;
  setFaults(faults: FaultSettings): Promise<FaultSettings>;
  clearFaults(): Promise<void>;
  faults(): Promise<FaultSettings>;
  /** The scenarios there are, and which one waits for the next payment. */
  scenarios(): Promise<ScenarioList>;
  /**
   * Lets the next payment, of any merchant or of one, play a scenario: `docs/scenarios.md` has them
   * all.
   */
  armScenario(
    name: string,
    options?: { merchant?: string },
  ): Promise<Pick<ScenarioList, 'armed' | 'armedFor'>>;
  disarmScenario(): Promise<void>;
  /** Every webhook that is kept, with what each attempt sent and was answered. */
  webhooks(): Promise<Delivery[]>;
  /**
   * Sends one webhook again, so many times at once, and waits for the answers; `url` takes the
   * place of the address it went to.
   */
  replayWebhook(id: string, options?: { times?: number; url?: string }): Promise<Delivery[]>;
  /**
   * Sends webhooks again one after another, in their order or shuffled: those named, those of a
   * reference, or all.
   */
  replayWebhooks(options?: {
    ids?: readonly string[];
    reference?: string;
    times?: number;
    shuffle?: boolean;
    url?: string;
  }): Promise<Delivery[]>;
  /** One page of every merchant's collections, newest first. */
  collections(wanted?: CollectionQuery): Promise<{ rows: CollectionRow[]; meta: Meta }>;
  /** Everything known of one reference: its collection, session, attempts, story and deliveries. */
  collection(merchant: string, reference: string): Promise<CollectionStory>;
  /** What happens, as it happens, until `signal` aborts or the sandbox ends. */
  events(options?: EventsWanted): AsyncGenerator<News, void>;
  clock(): Promise<ClockView>;
  merchants(): Promise<MerchantView[]>;
}

/** Which collections `collections` gives. Pages count from 1. */
export interface CollectionQuery {
  search?: string;
  status?: string;
  type?: string;
  merchant?: string;
  page?: number;
}

/**
 * Where `events` begins: after the happening numbered `after`, else with the newest `last` (at most
 * 1000) of what happened before.
 */
export interface EventsWanted {
  after?: number;
  last?: number;
  signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A control call that was refused. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly httpStatus: number;
  readonly errorCode: string | undefined;

  constructor(httpStatus: number, { message, errorCode }: ErrorEnvelope) {
    super(message);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }
}

/** Builds the client of a sandbox's control API. */
export function buildControl({ url, token }: { url: string; token: string | null }): Control {
  const answerPrompt = async (number: string, answer: string, reference?: string) => {
    const { reference: answered } = await call<{ reference: string }>(
      'POST',
      `/phones/${encodeURIComponent(number)}/${answer}`,
      {
        reference,
      },
    );
    return answered;
  };
  return {
    reset: () => call('POST', '/reset'),
    putCollection: (collection) => call('POST', '/collections', collection),
    pay: (payment) => call('POST', '/pay', payment),
    setClock: (clock) => call('PUT', '/clock', clock),
    advance: (seconds) => call('POST', '/clock/advance', { seconds }),
    approve: (number, reference) => answerPrompt(number, 'approve', reference),
    decline: (number, reference) => answerPrompt(number, 'decline', reference),
    phone: (number) => call('GET', `/phones/${encodeURIComponent(number)}`),
    putMerchant: (publicKey, settings) =>
      call('PUT', `/merchants/${encodeURIComponent(publicKey)}`, settings),
    setFaults: (faults) => call('PUT', '/faults', faults),
    clearFaults: () => call('DELETE', '/faults'),
    faults: () => call('GET', '/faults'),
    scenarios: () => call('GET', '/scenarios'),
    armScenario: (name, options) => call('POST', `/scenarios/${encodeURIComponent(name)}`, options),
    disarmScenario: () => call('DELETE', '/scenarios'),
    webhooks: () => call('GET', '/webhooks'),
    replayWebhook: (id, options) =>
      call('POST', `/webhooks/${encodeURIComponent(id)}/replay`, options),
    replayWebhooks: (options) => call('POST', '/webhooks/replay', options),
    collections: async (wanted = {}) => {
      const query = Object.entries(withoutUndefined(wanted)).map(
        ([name, value]): [string, string] => [name, String(value)],
      );
      const { data, meta } = await ask<CollectionRow[]>(
        'GET',
        `/collections?${new URLSearchParams(query)}`,
      );
      return { rows: data, meta: meta! };
    },
    collection: (merchant, reference) =>
      call('GET', `/collections/${encodeURIComponent(merchant)}/${encodeURIComponent(reference)}`),
    events,
    clock: () => call('GET', '/clock'),
    merchants: () => call('GET', '/merchants'),
  };

  async function* events({ after, last, signal }: EventsWanted = {}): AsyncGenerator<News, void> {
    try {
      const answer = await request(
        `${url}${CONTROL_PATH}/events${last === undefined ? '' : `?last=${last}`}`,
        {
          headers: {
            ...tokenHeader(),
            ...(after !== undefined && { 'last-event-id': String(after) }),
          },
          bodyTimeout: 0,
          signal: signal ?? null,
        },
      );
      if (answer.statusCode !== 200)
        throw new ControlError(answer.statusCode, (await answer.body.json()) as ErrorEnvelope);
      yield* readNews(answer.body);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  async function call<Data>(method: Method, path: string, body?: object): Promise<Data> {
    return (await ask<Data>(method, path, body)).data;
  }

  async function ask<Data>(
    method: Method,
    path: string,
    body?: object,
  ): Promise<{ data: Data; meta?: Meta }> {
    const answer = await request(`${url}${CONTROL_PATH}${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...tokenHeader() },
      body: body ? JSON.stringify(body) : null,
      headersTimeout: 0,
    });
    const envelope = (await answer.body.json()) as
      | { status: true; data: Data; meta?: Meta }
      | ErrorEnvelope;
    if (!envelope.status) throw new ControlError(answer.statusCode, envelope);
    return envelope;
  }

  function tokenHeader(): Record<string, string> {
    return token === null ? {} : { 'x-sandbox-token': token };
  }
}
