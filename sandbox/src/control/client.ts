import type { Collection } from '@service-pay/contract/collection';
import type { ErrorEnvelope, Meta } from '@service-pay/contract/envelope';
import { request } from 'undici';
import type * as v from 'valibot';
import type { FaultSettings } from '../faults/fault-settings.ts';
import { withoutUndefined } from '../http/object-members.ts';
import { CONTROL_PATH } from '../http/paths.ts';
import type { MerchantSettings } from '../payments/merchant-settings.ts';
import type { ClockMode } from '../time/clock.ts';
import { CALLS, type Call, type CollectionQuery, type Sent } from './calls.ts';
import type { Described } from './described.ts';
import { type News, readNews } from './event-reader.ts';
import type * as inputs from './inputs.ts';
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
} from './outputs.ts';

export type { CollectionQuery } from './calls.ts';

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
  putCollection(
    collection: v.InferInput<typeof inputs.placedCollection.schema>,
  ): Promise<Collection>;
  /**
   * Plays a customer who pays with a test card or phone, by default the successful card. Resolves
   * with the attempt's end, or with its current status if it waits for a person or for a virtual
   * clock. `approve` answers the challenge, code or prompt.
   */
  pay(payment: v.InferInput<typeof inputs.payment.schema>): Promise<PayResult>;
  /** Makes the clock `real` or `virtual`, and moves a virtual one forward to `now`. */
  setClock(clock: { mode: ClockMode; now?: string }): Promise<ClockState>;
  /** Moves the clock forward and waits until everything due has run. */
  advance(seconds: number): Promise<ClockState>;
  /**
   * Approves the newest prompt on a phone, or the newest of a reference or a merchant, and returns
   * its reference.
   */
  approve(number: string, prompt?: string | PromptWanted): Promise<string>;
  /** Declines a prompt; the arguments are those of `approve`. */
  decline(number: string, prompt?: string | PromptWanted): Promise<string>;
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

/** A prompt by its reference, by its merchant's public key, or by both. */
export interface PromptWanted {
  reference?: string;
  merchant?: string;
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

/** A control call that the sandbox rejected. */
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

type DataOf<Of> = Of extends { data: readonly [Described<infer Schema>] }
  ? v.InferOutput<Schema>[]
  : Of extends { data: Described<infer Schema> }
    ? v.InferOutput<Schema>
    : never;

type ResultOf<Of> = Of extends { read: (...args: never) => infer Result } ? Result : DataOf<Of>;

type MethodOf<Of> = Of extends { send: (...args: infer Args) => unknown }
  ? (...args: Args) => Promise<ResultOf<Of>>
  : () => Promise<ResultOf<Of>>;

/** What `CALLS` makes: it does not compile unless that is what `Control` says. */
type Methods = {
  readonly [Name in keyof typeof CALLS as Exclude<Name, 'events'>]: MethodOf<(typeof CALLS)[Name]>;
};

/** Names each call: it does not compile while `Control` lacks one. */
type Named = { readonly [Name in keyof typeof CALLS]: Control[Name] };

export function buildControl({ url, token }: { url: string; token: string | null }): Named {
  const methods = Object.entries<Call>(CALLS).map(([name, call]) => [
    name,
    async (...args: never[]) => {
      const { data, meta } = await send(call, call.send?.(...args) ?? {});
      return call.read ? call.read(data as never, meta) : data;
    },
  ]);
  return { ...(Object.fromEntries(methods) as Methods), events };

  async function* events({ after, last, signal }: EventsWanted = {}): AsyncGenerator<News, void> {
    try {
      const response = await request(
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
      if (response.statusCode !== 200)
        throw new ControlError(response.statusCode, (await response.body.json()) as ErrorEnvelope);
      yield* readNews(response.body);
    } catch (error) {
      if (!signal?.aborted) throw error;
    }
  }

  async function send({ route }: Call, { params = {}, query = {}, body }: Sent) {
    const [method = '', path = ''] = route.split(' ');
    const place = path.replaceAll(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(params[name]!),
    );
    const search = new URLSearchParams(
      Object.entries(withoutUndefined(query)).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    );
    const response = await request(
      `${url}${CONTROL_PATH}${place}${search.size ? `?${search}` : ''}`,
      {
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...tokenHeader() },
        body: body ? JSON.stringify(body) : null,
        headersTimeout: 0,
      },
    );
    const envelope = (await response.body.json()) as
      | { status: true; data: unknown; meta: Meta }
      | ErrorEnvelope;
    if (!envelope.status) throw new ControlError(response.statusCode, envelope);
    return envelope;
  }

  function tokenHeader(): Record<string, string> {
    return token === null ? {} : { 'x-sandbox-token': token };
  }
}
