import type { ErrorCode, Meta } from '@service-pay/contract/envelope';
import type * as v from 'valibot';
import type { FaultSettings } from '../faults/fault-settings.ts';
import type { MerchantSettings } from '../payments/merchant-settings.ts';
import type { Described } from './described.ts';
import * as inputs from './inputs.ts';
import * as outputs from './outputs.ts';

type Input<Body extends Described> = v.InferInput<Body['schema']>;

/** What a client sends: the parameters of the path, a query, and a body. */
export interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object;
  readonly body?: object | undefined;
}

/** One call of the control API. Route, client, OpenAPI description and docs are made from it. */
export interface Call {
  readonly operationId: string;
  readonly route: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;
  readonly summary: string;
  readonly effect: string;
  readonly body?: Described;
  /** Without it, a body is required. */
  readonly isBodyOptional?: true;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** The data of a successful response; in brackets, a list of these. Without it, a stream. */
  readonly data?: Described | readonly [Described];
  readonly isPaged?: true;
  /** The statuses of success; by default 200. */
  readonly statuses?: readonly number[];
  /** When the call is rejected, apart from an invalid body or parameter. */
  readonly rejections?: Partial<Readonly<Record<ErrorCode, string>>>;
  /** Turns the arguments of the client's method into what it sends. Without it, they are none. */
  readonly send?: (...args: never[]) => Sent;
  /** Turns the data of the response into the method's result. Without it, they are the same. */
  readonly read?: (data: never, meta: Meta) => unknown;
}

const NO_PHONE = 'This is not a number of a known network.';
const NO_MERCHANT = 'No merchant has this public key.';
const noResult = (): void => undefined;
const PROMPT = {
  body: inputs.promptChoice,
  isBodyOptional: true,
  data: outputs.answered,
  rejections: { 12: NO_PHONE, 11: 'No prompt is waiting on this phone.' },
  send: (number: string, prompt: string | Input<typeof inputs.promptChoice> = {}) => ({
    params: { number },
    body: typeof prompt === 'string' ? { reference: prompt } : prompt,
  }),
  read: ({ reference }: { reference: string }) => reference,
} as const;

/** Every call of the control API, by the method of the client. */
export const CALLS = {
  reset: {
    operationId: 'resetSandbox',
    route: 'POST /reset',
    summary: 'Reset the sandbox',
    effect: 'Deletes all payments, restores clock and merchants as at start, and clears faults.',
    data: outputs.nothing,
    read: noResult,
  },
  putCollection: {
    operationId: 'placeCollection',
    route: 'POST /collections',
    summary: 'Add a collection',
    effect: 'Adds it as if a customer had paid. Only `reference` is required.',
    body: inputs.placedCollection,
    data: outputs.collection,
    statuses: [201],
    rejections: { '04': 'The reference or the id is in use.', 11: NO_MERCHANT },
    send: (collection: Input<typeof inputs.placedCollection>) => ({ body: collection }),
  },
  pay: {
    operationId: 'pay',
    route: 'POST /pay',
    summary: 'Pay as a customer',
    effect:
      'Opens a session and pays with a test number (by default card 4242 4242 4242 4242), as the checkout page does. `approve` answers a challenge, code or prompt. 202 means that the attempt waits for a person, for a virtual clock, or for longer than 30 s.',
    body: inputs.payment,
    data: outputs.payResult,
    statuses: [200, 202],
    rejections: {
      '04': 'The reference is used up, or another attempt is running.',
      11: NO_MERCHANT,
      12: NO_PHONE,
    },
    send: (payment: Input<typeof inputs.payment>) => ({ body: payment }),
  },
  collections: {
    operationId: 'searchCollections',
    route: 'GET /collections',
    summary: 'Collections of every merchant',
    effect: 'Newest first, 50 on a page.',
    query: ['search', 'status', 'type', 'merchant', 'page'],
    data: [outputs.row],
    isPaged: true,
    send: (wanted: CollectionQuery = {}) => ({ query: wanted }),
    read: (rows: outputs.CollectionRow[], meta: Meta) => ({ rows, meta }),
  },
  collection: {
    operationId: 'getCollectionStory',
    route: 'GET /collections/:merchant/:reference',
    summary: 'Read everything about a payment',
    effect: 'Its collection, session, attempts, story and webhooks.',
    data: outputs.story,
    rejections: { 11: 'This merchant has no payment with this reference.' },
    send: (merchant: string, reference: string) => ({ params: { merchant, reference } }),
  },
  events: {
    operationId: 'streamEvents',
    route: 'GET /events',
    summary: 'Stream events',
    effect:
      'Server-sent events as they happen, until the sandbox ends. `?last=50` sends the newest 50 past events first. At most 100 streams can be open.',
    query: ['last'],
    headers: ['Last-Event-ID'],
    rejections: { 10: '100 streams are already open. Close one, or try again later.' },
  },
  clock: {
    operationId: 'getClock',
    route: 'GET /clock',
    summary: 'Read the clock',
    effect: 'With the time of the next planned event.',
    data: outputs.clockView,
  },
  setClock: {
    operationId: 'setClock',
    route: 'PUT /clock',
    summary: 'Make the clock virtual or real',
    effect: 'A virtual clock is stopped until it is advanced. Only a reset moves time back.',
    body: inputs.clockSetting,
    data: outputs.clockState,
    send: (clock: Input<typeof inputs.clockSetting>) => ({ body: clock }),
  },
  advance: {
    operationId: 'advanceClock',
    route: 'POST /clock/advance',
    summary: 'Advance the clock',
    effect:
      'Runs everything due, in order, and responds once the receivers of its webhooks have responded. A call from such a receiver is rejected.',
    body: inputs.advance,
    data: outputs.clockState,
    send: (seconds: number) => ({ body: { seconds } }),
  },
  phone: {
    operationId: 'getPhone',
    route: 'GET /phones/:number',
    summary: 'Read a phone',
    effect: 'Prompts and one-time codes, oldest first.',
    data: outputs.handset,
    rejections: { 12: NO_PHONE },
    send: (number: string) => ({ params: { number } }),
  },
  approve: {
    operationId: 'approvePrompt',
    route: 'POST /phones/:number/approve',
    summary: 'Approve on the phone',
    effect: 'Approves the newest prompt, or the newest of a reference or a merchant.',
    ...PROMPT,
  },
  decline: {
    operationId: 'declinePrompt',
    route: 'POST /phones/:number/decline',
    summary: 'Decline on the phone',
    effect: 'Declines the newest prompt, or the newest of a reference or a merchant.',
    ...PROMPT,
  },
  merchants: {
    operationId: 'listMerchants',
    route: 'GET /merchants',
    summary: 'Every merchant',
    effect: 'Without their API tokens.',
    data: [outputs.merchantView],
  },
  putMerchant: {
    operationId: 'setMerchant',
    route: 'PUT /merchants/:publicKey',
    summary: 'Change or create a merchant',
    effect:
      "Settings left out keep their values. With `networkNotices: { mtn: 'slow' }` (or `'down'`), the form says so.",
    body: inputs.merchantSettings,
    isBodyOptional: true,
    data: outputs.merchantView,
    send: (publicKey: string, settings: Partial<MerchantSettings>) => ({
      params: { publicKey },
      body: settings,
    }),
  },
  faults: {
    operationId: 'getFaults',
    route: 'GET /faults',
    summary: 'Read the faults',
    effect: 'Only those that are switched on.',
    data: inputs.faultSettings,
  },
  setFaults: {
    operationId: 'setFaults',
    route: 'PUT /faults',
    summary: 'Switch faults on',
    effect: 'Faults have a rate and a part of the sandbox. Replaces earlier faults.',
    body: inputs.faultSettings,
    data: inputs.faultSettings,
    send: (faults: FaultSettings) => ({ body: faults }),
  },
  clearFaults: {
    operationId: 'clearFaults',
    route: 'DELETE /faults',
    summary: 'Switch faults off',
    effect: 'Every one.',
    data: inputs.faultSettings,
    read: noResult,
  },
  scenarios: {
    operationId: 'listScenarios',
    route: 'GET /scenarios',
    summary: 'List the scenarios',
    effect: 'With the one that is armed.',
    data: outputs.scenarioList,
  },
  armScenario: {
    operationId: 'armScenario',
    route: 'POST /scenarios/:name',
    summary: 'Arm a scenario for the next payment',
    effect: 'The next payment to begin its first attempt plays it.',
    body: inputs.armRequest,
    isBodyOptional: true,
    data: outputs.armed,
    rejections: { 11: 'No scenario has this name, or no merchant this public key.' },
    send: (name: string, options?: { merchant?: string }) => ({ params: { name }, body: options }),
  },
  disarmScenario: {
    operationId: 'disarmScenario',
    route: 'DELETE /scenarios',
    summary: 'Disarm the scenario',
    effect: 'The next payment plays no scenario.',
    data: outputs.armed,
    read: noResult,
  },
  webhooks: {
    operationId: 'listWebhooks',
    route: 'GET /webhooks',
    summary: 'List the webhooks',
    effect: "Every delivery kept, with each attempt's request and response.",
    data: [outputs.delivery],
  },
  replayWebhook: {
    operationId: 'replayWebhook',
    route: 'POST /webhooks/:id/replay',
    summary: 'Replay a webhook',
    effect: 'Signs it with the current token and waits for the responses.',
    body: inputs.replay,
    isBodyOptional: true,
    data: [outputs.delivery],
    rejections: { 11: 'No webhook has this id.' },
    send: (id: string, options?: Input<typeof inputs.replay>) => ({
      params: { id },
      body: options,
    }),
  },
  replayWebhooks: {
    operationId: 'replayWebhooks',
    route: 'POST /webhooks/replay',
    summary: 'Replay webhooks',
    effect: 'Sends them one after another, in order or shuffled. At most 1000.',
    body: inputs.replays,
    isBodyOptional: true,
    data: [outputs.delivery],
    rejections: { 11: 'There is no such webhook.' },
    send: (options?: Omit<Input<typeof inputs.replays>, 'ids'> & { ids?: readonly string[] }) => ({
      body: options,
    }),
  },
} as const satisfies Record<string, Call>;

export type CallName = keyof typeof CALLS;

/** A filter for `collections`. Pages count from 1. */
export interface CollectionQuery {
  search?: string;
  status?: string;
  type?: string;
  merchant?: string;
  page?: number;
}
