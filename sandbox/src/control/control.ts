import type { Collection } from '@service-pay/contract/collection';
import type { ErrorEnvelope, Meta } from '@service-pay/contract/envelope';
import { request } from 'undici';
import type * as v from 'valibot';
import type { FaultSettings } from '../faults/fault-settings.ts';
import { withoutUndefined } from '../object-members.ts';
import { CONTROL_PATH } from '../paths.ts';
import type { MerchantSettings } from '../payments/merchants.ts';
import type { placedCollectionSchema } from '../payments/seed-collection.ts';
import type { ClockMode } from '../time/clock.ts';
import { type News, readNews } from './event-reader.ts';
import type { paySchema } from './inputs.ts';
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
 * The typed client of one sandbox's control API. Each call is one request and fails with a
 * `ControlError` if it is rejected.
 */
export interface Control {
  /**
   * Deletes every collection and delivery, restores clock and merchants as at start, and turns
   * faults and scenarios off.
   */
  reset(): Promise<void>;
  /** Adds a collection without a payment; only `reference` is required. */
  putCollection(collection: v.InferInput<typeof placedCollectionSchema>): Promise<Collection>;
  /**
   * Plays a customer who pays with a test card or phone, by default the successful card. Resolves
   * with the attempt's end, or with its current status if it waits for a person or for a virtual
   * clock. `approve` answers the challenge, code or prompt.
   */
  pay(payment: v.InferInput<typeof paySchema>): Promise<PayResult>;
  /** Makes the clock `real` or `virtual`, and moves a virtual one forward to `now`. */
  setClock(clock: { mode: ClockMode; now?: string }): Promise<ClockState>;
  /** Moves the clock forward and waits until everything due has run. */
  advance(seconds: number): Promise<ClockState>;
  /**
   * Approves the newest prompt on a phone, or the one of `reference`, and returns its reference.
   */
  approve(number: string, reference?: string): Promise<string>;
  /**
   * Declines the newest prompt on a phone, or the one of `reference`, and returns its reference.
   */
  decline(number: string, reference?: string): Promise<string>;
  /** Lists the prompts and one-time codes on a phone. */
  phone(number: string): Promise<Handset>;
  /** Changes a merchant or creates one; a new one needs an `apiToken`. */
  putMerchant(publicKey: string, settings: Partial<MerchantSettings>): Promise<MerchantView>;
  /** Replaces the faults that are switched on. */
  setFaults(faults: FaultSettings): Promise<FaultSettings>;
  /** Switches every fault off. */
  clearFaults(): Promise<void>;
  /** Returns the faults that are switched on. */
  faults(): Promise<FaultSettings>;
  /** Lists the scenarios, with the one that is armed. */
  scenarios(): Promise<ScenarioList>;
  /**
   * Arms a scenario for the next payment of one merchant or of any. `docs/scenarios.md` describes
   * each.
   */
  armScenario(
    name: string,
    options?: { merchant?: string },
  ): Promise<Pick<ScenarioList, 'armed' | 'armedFor'>>;
  /** Disarms the scenario, if one is armed. */
  disarmScenario(): Promise<void>;
  /** Lists every webhook delivery kept, with the request and the response of each attempt. */
  webhooks(): Promise<Delivery[]>;
  /**
   * Sends one webhook again, `times` times at once, and waits for the responses; `url` replaces its
   * address.
   */
  replayWebhook(id: string, options?: { times?: number; url?: string }): Promise<Delivery[]>;
  /**
   * Sends webhooks again one after another, in order or shuffled: those of `ids`, of a reference,
   * or all.
   */
  replayWebhooks(options?: {
    ids?: readonly string[];
    reference?: string;
    times?: number;
    shuffle?: boolean;
    url?: string;
  }): Promise<Delivery[]>;
  /** Reads one page of every merchant's collections, newest first. */
  collections(wanted?: CollectionQuery): Promise<{ rows: CollectionRow[]; meta: Meta }>;
  /**
   * Reads everything known about one reference: collection, session, attempts, history and
   * deliveries.
   */
  collection(merchant: string, reference: string): Promise<CollectionStory>;
  /** Streams events as they happen, until `signal` aborts or the sandbox closes. */
  events(options?: EventsWanted): AsyncGenerator<News, void>;
  /** Returns the time, the clock's mode and the time of the next planned event. */
  clock(): Promise<ClockView>;
  /** Lists every merchant, without API tokens. */
  merchants(): Promise<MerchantView[]>;
}

/** A filter for `collections`. Pages count from 1. */
export interface CollectionQuery {
  search?: string;
  status?: string;
  type?: string;
  merchant?: string;
  page?: number;
}

/**
 * Starts `events` after the event numbered `after`, or with the newest `last` (at most 1000)
 * events.
 */
export interface EventsWanted {
  after?: number;
  last?: number;
  signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A control call that the sandbox rejected or that never reached it. */
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
