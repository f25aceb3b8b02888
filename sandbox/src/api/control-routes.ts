import type { ErrorCode } from '@service-pay/contract/envelope';
import type { Request, Response, Router } from 'express';
import type * as v from 'valibot';
import {
  advanceSchema,
  armSchema,
  clockSchema,
  paySchema,
  promptSchema,
  replaySchema,
  replaysSchema,
  settingsSchema,
} from '../control/inputs.ts';
import { faultSettingsSchema } from '../faults/fault-settings.ts';
import { parseInput } from '../http/answers.ts';
import { nothingSchema } from '../http/json-body.ts';
import { placedCollectionSchema } from '../payments/seed-collection.ts';

/** One call of the control API. Its route and its OpenAPI description are both made from this. */
export interface ControlRoute {
  readonly call: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;
  readonly summary: string;
  readonly description: string;
  readonly body?: v.GenericSchema;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** The OpenAPI component for each successful status. */
  readonly answers: Readonly<Record<number, string>>;
  /** When the call is rejected, apart from an invalid body or parameter. */
  readonly refuses?: Partial<Readonly<Record<ErrorCode, string>>>;
}

const NO_PHONE = 'This is not a number of a known network.';
const NO_MERCHANT = 'No merchant has this public key.';
const prompt = (answer: 'approve' | 'decline') =>
  ({
    call: `POST /phones/:number/${answer}`,
    summary: `${answer === 'approve' ? 'Approve' : 'Decline'} on the phone`,
    description: 'Answers the newest prompt, or the one of a reference.',
    body: promptSchema,
    answers: { 200: 'AnsweredAnswer' },
    refuses: { 12: NO_PHONE, 11: 'No prompt is waiting on this phone.' },
  }) as const;

/** Every call of the control API, by its OpenAPI `operationId`. */
export const CONTROL_ROUTES = {
  resetSandbox: {
    call: 'POST /reset',
    summary: 'Reset the sandbox',
    description:
      'Deletes all payments, restores clock and merchants as at start, and clears faults.',
    answers: { 200: 'NothingAnswer' },
  },
  placeCollection: {
    call: 'POST /collections',
    summary: 'Add a collection',
    description: 'Adds it as if a customer had paid. Only `reference` is required.',
    body: placedCollectionSchema,
    answers: { 201: 'CollectionAnswer' },
    refuses: { '04': 'The reference or the id is in use.', 11: NO_MERCHANT },
  },
  pay: {
    call: 'POST /pay',
    summary: 'Pay as a customer',
    description:
      'Opens a session and pays with a test number (by default card 4242 4242 4242 4242), as the checkout page does. 202 means that the attempt waits for a person, for a virtual clock, or for longer than 30 s.',
    body: paySchema,
    answers: { 200: 'PayResultAnswer', 202: 'PayResultAnswer' },
    refuses: {
      '04': 'The reference is used up, or another attempt is running.',
      11: NO_MERCHANT,
      12: NO_PHONE,
    },
  },
  searchCollections: {
    call: 'GET /collections',
    summary: 'Collections of every merchant',
    description: 'Newest first, 50 on a page.',
    query: ['search', 'status', 'type', 'merchant', 'page'],
    answers: { 200: 'CollectionRowListAnswer' },
  },
  getCollectionStory: {
    call: 'GET /collections/:merchant/:reference',
    summary: 'Read everything about a payment',
    description: 'Its collection, session, attempts, story and webhooks.',
    answers: { 200: 'CollectionStoryAnswer' },
    refuses: { 11: 'This merchant has no payment with this reference.' },
  },
  streamEvents: {
    call: 'GET /events',
    summary: 'Stream events',
    description: 'Events as they happen, until the sandbox ends. At most 100 streams can be open.',
    query: ['last'],
    headers: ['Last-Event-ID'],
    answers: { 200: 'EventStream' },
    refuses: { 10: '100 streams are already open. Close one, or try again later.' },
  },
  getClock: {
    call: 'GET /clock',
    summary: 'Read the clock',
    description: 'With the time of the next planned event.',
    answers: { 200: 'ClockViewAnswer' },
  },
  setClock: {
    call: 'PUT /clock',
    summary: 'Make the clock virtual or real',
    description: 'A virtual clock is stopped until it is advanced. Only a reset moves time back.',
    body: clockSchema,
    answers: { 200: 'ClockStateAnswer' },
  },
  advanceClock: {
    call: 'POST /clock/advance',
    summary: 'Advance the clock',
    description: 'Runs everything due, webhooks included, in order, before it responds.',
    body: advanceSchema,
    answers: { 200: 'ClockStateAnswer' },
  },
  getPhone: {
    call: 'GET /phones/:number',
    summary: 'Read a phone',
    description: 'Prompts and one-time codes, oldest first.',
    answers: { 200: 'HandsetAnswer' },
    refuses: { 12: NO_PHONE },
  },
  approvePrompt: prompt('approve'),
  declinePrompt: prompt('decline'),
  listMerchants: {
    call: 'GET /merchants',
    summary: 'Every merchant',
    description: 'Without their API tokens.',
    answers: { 200: 'MerchantListAnswer' },
  },
  setMerchant: {
    call: 'PUT /merchants/:publicKey',
    summary: 'Change or create a merchant',
    description: 'Settings left out keep their values.',
    body: settingsSchema,
    answers: { 200: 'MerchantAnswer' },
  },
  getFaults: {
    call: 'GET /faults',
    summary: 'Read the faults',
    description: 'The faults that are switched on.',
    answers: { 200: 'FaultSettingsAnswer' },
  },
  setFaults: {
    call: 'PUT /faults',
    summary: 'Switch faults on',
    description: 'Faults have a rate and a part of the sandbox. Replaces earlier faults.',
    body: faultSettingsSchema,
    answers: { 200: 'FaultSettingsAnswer' },
  },
  clearFaults: {
    call: 'DELETE /faults',
    summary: 'Switch faults off',
    description: 'Switches every fault off.',
    answers: { 200: 'FaultSettingsAnswer' },
  },
  listScenarios: {
    call: 'GET /scenarios',
    summary: 'List the scenarios',
    description: 'With the one that is armed.',
    answers: { 200: 'ScenarioListAnswer' },
  },
  armScenario: {
    call: 'POST /scenarios/:name',
    summary: 'Arm a scenario for the next payment',
    description: 'The next payment to begin its first attempt plays it.',
    body: armSchema,
    answers: { 200: 'ArmedAnswer' },
    refuses: { 11: 'No scenario has this name, or no merchant this public key.' },
  },
  disarmScenario: {
    call: 'DELETE /scenarios',
    summary: 'Disarm the scenario',
    description: 'The next payment plays no scenario.',
    answers: { 200: 'ArmedAnswer' },
  },
  listWebhooks: {
    call: 'GET /webhooks',
    summary: 'Webhooks',
    description: "Every delivery kept, with each attempt's request and response.",
    answers: { 200: 'DeliveryListAnswer' },
  },
  replayWebhook: {
    call: 'POST /webhooks/:id/replay',
    summary: 'Replay a webhook',
    description: 'Signs it with the current token and waits for the responses.',
    body: replaySchema,
    answers: { 200: 'DeliveryListAnswer' },
    refuses: { 11: 'No webhook has this id.' },
  },
  replayWebhooks: {
    call: 'POST /webhooks/replay',
    summary: 'Replay webhooks',
    description: 'Sends them one after another, in order or shuffled. At most 1000.',
    body: replaysSchema,
    answers: { 200: 'DeliveryListAnswer' },
    refuses: { 11: 'There is no such webhook.' },
  },
} as const satisfies Record<string, ControlRoute>;

export type ControlCall = keyof typeof CONTROL_ROUTES;

type BodyOf<Name extends ControlCall> = (typeof CONTROL_ROUTES)[Name] extends {
  body: infer Schema extends v.GenericSchema;
}
  ? v.InferOutput<Schema>
  : undefined;

export interface ControlRequest<Body> {
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
  readonly req: Request;
  readonly res: Response;
}

export function on<Name extends ControlCall>(
  router: Router,
  name: Name,
  run: (request: ControlRequest<BodyOf<Name>>) => void | Promise<void>,
): void {
  const { call, body = nothingSchema }: ControlRoute = CONTROL_ROUTES[name];
  const [method, path] = call.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string];
  const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
  router[verb](path, (req, res) => {
    const input = method === 'GET' ? undefined : parseInput(body, req.body);
    return run({
      body: input as BodyOf<Name>,
      params: req.params as Record<string, string>,
      req: req as Request,
      res,
    });
  });
}
