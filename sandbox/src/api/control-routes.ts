import type { ErrorCode } from '@service-pay/contract/envelope';
import type { Request, Response, Router } from 'express';
import type * as v from 'valibot';
import { faultSettingsSchema } from '../faults/fault-settings.ts';
import { parseInput } from '../http/answers.ts';
import { nothingSchema } from '../http/json-body.ts';
import { placedCollectionSchema } from '../payments/seed-collection.ts';
import {
  advanceSchema,
  armSchema,
  clockSchema,
  paySchema,
  promptSchema,
  replaySchema,
  replaysSchema,
  settingsSchema,
} from './control-inputs.ts';

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
  /** When the call is refused, apart from an invalid body or parameter. */
  readonly refuses?: Partial<Readonly<Record<ErrorCode, string>>>;
}

const NO_PHONE = 'This is no number of a network the service knows.';
const NO_MERCHANT = 'No merchant has this public key.';
const prompt = (answer: 'approve' | 'decline') =>
  ({
    call: `POST /phones/:number/${answer}`,
    summary: `${answer === 'approve' ? 'Approve' : 'Decline'} on the phone`,
    description: 'Answers the newest prompt out, or that of a reference.',
    body: promptSchema,
    answers: { 200: 'AnsweredAnswer' },
    refuses: { 12: NO_PHONE, 11: 'No prompt is out on this phone.' },
  }) as const;

/** Every call of the control API, by its OpenAPI `operationId`. */
export const CONTROL_ROUTES = {
  resetSandbox: {
    call: 'POST /reset',
    summary: 'Empty everything',
    description: 'Everything is as at start: clock, merchants, no faults.',
    answers: { 200: 'NothingAnswer' },
  },
  placeCollection: {
    call: 'POST /collections',
    summary: 'Put a collection there',
    description: 'As if it had been paid for. Only `reference` is required.',
    body: placedCollectionSchema,
    answers: { 201: 'CollectionAnswer' },
    refuses: { '04': 'The reference or the id is taken.', 11: NO_MERCHANT },
  },
  pay: {
    call: 'POST /pay',
    summary: 'Pay as a customer',
    description:
      'Opens a session and pays with a test number, as the checkout page does. 202: the attempt waits for a person, for a virtual clock, or for longer than 30 s.',
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
    summary: 'Everything known of a payment',
    description: 'Its collection, session, attempts, story and webhooks.',
    answers: { 200: 'CollectionStoryAnswer' },
    refuses: { 11: 'This merchant has no payment with this reference.' },
  },
  streamEvents: {
    call: 'GET /events',
    summary: 'What happens, as it happens',
    description: 'Ends with the sandbox. At most 100 streams are open at once.',
    query: ['last'],
    headers: ['Last-Event-ID'],
    answers: { 200: 'EventStream' },
    refuses: { 10: 'As many streams are open as may be. Close one, or try again later.' },
  },
  getClock: {
    call: 'GET /clock',
    summary: 'Where the clock stands',
    description: 'And when something happens next by itself.',
    answers: { 200: 'ClockViewAnswer' },
  },
  setClock: {
    call: 'PUT /clock',
    summary: 'Make the clock virtual or real',
    description:
      'A virtual clock stands still until it is advanced. Time goes back only by a reset.',
    body: clockSchema,
    answers: { 200: 'ClockStateAnswer' },
  },
  advanceClock: {
    call: 'POST /clock/advance',
    summary: 'Move time on',
    description: 'Everything due runs, in order, before the answer: webhooks too.',
    body: advanceSchema,
    answers: { 200: 'ClockStateAnswer' },
  },
  getPhone: {
    call: 'GET /phones/:number',
    summary: 'What is out on a phone',
    description: 'Prompts and one-time codes, oldest first.',
    answers: { 200: 'HandsetAnswer' },
    refuses: { 12: NO_PHONE },
  },
  approvePrompt: prompt('approve'),
  declinePrompt: prompt('decline'),
  listMerchants: {
    call: 'GET /merchants',
    summary: 'Every merchant',
    description: 'Never with an API token.',
    answers: { 200: 'MerchantListAnswer' },
  },
  setMerchant: {
    call: 'PUT /merchants/:publicKey',
    summary: 'Change a merchant, or make one',
    description: 'What is not named stays.',
    body: settingsSchema,
    answers: { 200: 'MerchantAnswer' },
  },
  getFaults: {
    call: 'GET /faults',
    summary: 'What goes wrong',
    description: 'What was switched on, as it was given.',
    answers: { 200: 'FaultSettingsAnswer' },
  },
  setFaults: {
    call: 'PUT /faults',
    summary: 'Let things go wrong',
    description: 'At a rate, by face. Replaces what was set before.',
    body: faultSettingsSchema,
    answers: { 200: 'FaultSettingsAnswer' },
  },
  clearFaults: {
    call: 'DELETE /faults',
    summary: 'Let nothing go wrong',
    description: 'Switches every fault off.',
    answers: { 200: 'FaultSettingsAnswer' },
  },
  listScenarios: {
    call: 'GET /scenarios',
    summary: 'The scenarios there are',
    description: 'And which one waits for the next payment.',
    answers: { 200: 'ScenarioListAnswer' },
  },
  armScenario: {
    call: 'POST /scenarios/:name',
    summary: 'Arm a scenario for the next payment',
    description: 'The next payment whose first attempt begins plays it.',
    body: armSchema,
    answers: { 200: 'ArmedAnswer' },
    refuses: { 11: 'No scenario has this name, or no merchant this public key.' },
  },
  disarmScenario: {
    call: 'DELETE /scenarios',
    summary: 'Arm nothing',
    description: 'No payment plays a scenario that has not begun.',
    answers: { 200: 'ArmedAnswer' },
  },
  listWebhooks: {
    call: 'GET /webhooks',
    summary: 'Webhooks',
    description: 'Every one that is kept, with what each attempt sent and was answered.',
    answers: { 200: 'DeliveryListAnswer' },
  },
  replayWebhook: {
    call: 'POST /webhooks/:id/replay',
    summary: 'Send a webhook again',
    description: 'Waits for the answers. Signed with the token of now.',
    body: replaySchema,
    answers: { 200: 'DeliveryListAnswer' },
    refuses: { 11: 'No webhook is kept under this id.' },
  },
  replayWebhooks: {
    call: 'POST /webhooks/replay',
    summary: 'Send webhooks again',
    description: 'One after another, in their order or shuffled. At most 1000.',
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

export interface Asked<Body> {
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
  readonly req: Request;
  readonly res: Response;
}

export function on<Name extends ControlCall>(
  router: Router,
  name: Name,
  run: (asked: Asked<BodyOf<Name>>) => void | Promise<void>,
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
