import type { Operation } from '@service-pay/contract/openapi';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { SCENARIOS } from '../../faults/scenario-table.ts';
import { CONTROL_PATH } from '../paths.ts';
import { COLLECTION, DELIVERY, DELIVERY_ID, HAPPENING, MERCHANT, NOW } from './control-examples.ts';

const { publicKey, name } = MERCHANT;

const NUMBER = {
  name: 'number',
  in: 'path',
  description: 'The phone, in any form a customer may write it.',
  schema: { type: 'string' },
  example: '0960000000',
} as const;
const PUBLIC_KEY = {
  name: 'publicKey',
  in: 'path',
  description: 'The merchant.',
  schema: { type: 'string' },
  example: publicKey,
} as const;

const WRONG_FIELDS = {
  errorCode: '01',
  when: 'The body, or a member of it, could not be taken, or is not known: `data.problems` names each.',
} as const;
const NO_PHONE = {
  errorCode: '12',
  when: 'This is no number of a network the service knows.',
} as const;

/** Every call of the control API, for the description. */
export const CONTROL_OPERATIONS: readonly Operation[] = [
  call(
    'post',
    '/reset',
    'resetSandbox',
    'Empty everything',
    'Everything is as at start: clock, merchants, no faults.',
    'NothingAnswer',
    {},
  ),
  {
    ...call(
      'post',
      '/collections',
      'placeCollection',
      'Put a collection there',
      'As if it had been paid for. Only `reference` is required.',
      'CollectionAnswer',
      COLLECTION,
      201,
    ),
    request: requestOf('PlacedCollection', { reference: 'order-1001', status: 'pending' }),
    refusals: [
      WRONG_FIELDS,
      { errorCode: '04', when: 'The reference or the id is taken.' },
      { errorCode: '11', when: 'No merchant has this public key.' },
    ],
  },
  {
    ...call(
      'get',
      '/collections',
      'searchCollections',
      'Collections of every merchant',
      'Newest first, 50 on a page.',
      'CollectionRowListAnswer',
      [
        {
          merchant: publicKey,
          merchantName: name,
          ...pick(COLLECTION, [
            'reference',
            'id',
            'amount',
            'currency',
            'type',
            'status',
            'initiatedAt',
            'completedAt',
            'reasonForFailure',
          ]),
          instrument: '0971111111',
        },
      ],
    ),
    parameters: [
      ...(['search', 'status', 'type', 'merchant'] as const).map((filter) => ({
        name: filter,
        in: 'query' as const,
        description:
          filter === 'search'
            ? 'Part of a reference, an id, a phone number or the last four digits, in any case.'
            : `Only those of this ${filter}.`,
        schema: { type: 'string' as const, maxLength: 128 },
        example: { search: 'order', status: 'successful', type: 'card', merchant: publicKey }[
          filter
        ],
      })),
      {
        name: 'page',
        in: 'query',
        description: 'Which page, from 1 on.',
        schema: { type: 'integer', minimum: 1, default: 1 },
        example: 1,
      },
    ],
    refusals: [{ errorCode: '01', when: 'A parameter could not be taken, or is not known.' }],
  },
  {
    ...call(
      'get',
      '/collections/{merchant}/{reference}',
      'getCollectionStory',
      'Everything known of a payment',
      'Its collection, session, attempts, story and webhooks.',
      'CollectionStoryAnswer',
      {
        merchant: publicKey,
        merchantName: name,
        collection: COLLECTION,
        session: {
          status: 'open',
          amount: '10.00',
          currency: 'ZMW',
          expiresAt: NOW,
          attemptsLeft: 4,
        },
        attempts: [
          {
            id: DELIVERY_ID,
            channel: 'mobile-money',
            status: 'pay-offline',
            reasonForFailure: null,
            instrument: '0971111111',
            expiresAt: NOW,
          },
        ],
        story: [HAPPENING],
        deliveries: [DELIVERY],
      },
    ),
    parameters: [
      {
        name: 'merchant',
        in: 'path',
        description: 'Public key of the merchant.',
        schema: { type: 'string' },
        example: publicKey,
      },
      {
        name: 'reference',
        in: 'path',
        description: "The merchant's reference.",
        schema: referenceSchema,
        example: 'order-1001',
      },
    ],
    refusals: [{ errorCode: '11', when: 'This merchant has no payment with this reference.' }],
  },
  {
    ...call(
      'get',
      '/events',
      'streamEvents',
      'What happens, as it happens',
      'Ends with the sandbox. At most 100 streams are open at once.',
      'EventStream',
      null,
    ),
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        description:
          'The id of the newest happening already known: the stream goes on behind it. A bare number counts the happenings of this start.',
        schema: { type: 'string' },
        example: '3f9c2a1b7d05-7',
      },
      {
        name: 'last',
        in: 'query',
        description:
          'So many of the newest happenings come first, where `Last-Event-ID` names no place to go on from.',
        schema: { type: 'integer', minimum: 0, maximum: 1000, default: 0 },
        example: 50,
      },
    ],
    answers: [
      {
        httpStatus: 200,
        description: 'The stream.',
        mediaType: 'text/event-stream',
        component: 'EventStream',
        examples: {
          happening: {
            summary: 'One happening',
            value: `event: happening\nid: 3f9c2a1b7d05-7\ndata: ${JSON.stringify(HAPPENING)}\n\n`,
          },
        },
      },
    ],
    refusals: [
      { errorCode: '01', when: 'A parameter could not be taken, or is not known.' },
      {
        errorCode: '10',
        httpStatus: 503,
        when: 'As many streams are open as may be. Close one, or try again later.',
      },
    ],
  },
  call(
    'get',
    '/clock',
    'getClock',
    'Where the clock stands',
    'And when something happens next by itself.',
    'ClockViewAnswer',
    {
      mode: 'real',
      now: NOW,
      nextDueAt: null,
    },
  ),
  {
    ...call(
      'put',
      '/clock',
      'setClock',
      'Make the clock virtual or real',
      'A virtual clock stands still until it is advanced. Time goes back only by a reset.',
      'ClockStateAnswer',
      { mode: 'virtual', now: NOW },
    ),
    request: requestOf('ClockSetting', { mode: 'virtual' }),
    refusals: [WRONG_FIELDS],
  },
  {
    ...call(
      'post',
      '/clock/advance',
      'advanceClock',
      'Move time on',
      'Everything due runs, in order, before the answer: webhooks too.',
      'ClockStateAnswer',
      { mode: 'virtual', now: NOW },
    ),
    request: requestOf('Advance', { seconds: 30 }),
    refusals: [WRONG_FIELDS],
  },
  {
    ...call(
      'get',
      '/phones/{number}',
      'getPhone',
      'What is out on a phone',
      'Prompts and one-time codes, oldest first.',
      'HandsetAnswer',
      {
        number: NUMBER.example,
        networkName: 'MTN',
        country: 'zm',
        mode: 'real',
        now: NOW,
        out: [
          {
            kind: 'prompt',
            merchant: publicKey,
            reference: 'order-1001',
            merchantName: name,
            total: '10.00',
            currency: 'ZMW',
            expiresAt: NOW,
            code: null,
          },
        ],
      },
    ),
    parameters: [NUMBER],
    refusals: [NO_PHONE],
  },
  ...(['approve', 'decline'] as const).map((answer) => ({
    ...call(
      'post',
      `/phones/{number}/${answer}`,
      `${answer}Prompt`,
      `${answer === 'approve' ? 'Approve' : 'Decline'} on the phone`,
      'Answers the newest prompt out, or that of a reference.',
      'AnsweredAnswer',
      { reference: 'order-1001' },
    ),
    parameters: [NUMBER],
    request: requestOf('PromptChoice', { reference: 'order-1001' }, false),
    refusals: [
      WRONG_FIELDS,
      NO_PHONE,
      { errorCode: '11' as const, when: 'No prompt is out on this phone.' },
    ],
  })),
  call(
    'get',
    '/merchants',
    'listMerchants',
    'Every merchant',
    'Never with an API token.',
    'MerchantListAnswer',
    [MERCHANT],
  ),
  {
    ...call(
      'put',
      '/merchants/{publicKey}',
      'setMerchant',
      'Change a merchant, or make one',
      'What is not named stays.',
      'MerchantAnswer',
      MERCHANT,
    ),
    parameters: [
      { ...PUBLIC_KEY, schema: { type: 'string', pattern: REQUEST_RULES.key.pattern.source } },
    ],
    request: requestOf('MerchantSettings', { webhookUrl: MERCHANT.webhookUrl }, false),
    refusals: [WRONG_FIELDS],
  },
  call(
    'get',
    '/faults',
    'getFaults',
    'What goes wrong',
    'What was switched on, as it was given.',
    'FaultSettingsAnswer',
    {
      merchantApi: { rate: 0.5, kind: 'hang' },
    },
  ),
  {
    ...call(
      'put',
      '/faults',
      'setFaults',
      'Let things go wrong',
      'At a rate, by face. Replaces what was set before.',
      'FaultSettingsAnswer',
      { webhooks: { drop: 0.5 }, seed: 7 },
    ),
    request: requestOf('FaultSettings', { webhooks: { drop: 0.5 }, seed: 7 }),
    refusals: [WRONG_FIELDS],
  },
  call(
    'delete',
    '/faults',
    'clearFaults',
    'Let nothing go wrong',
    'Switches every fault off.',
    'FaultSettingsAnswer',
    {},
  ),
  call(
    'get',
    '/scenarios',
    'listScenarios',
    'The scenarios there are',
    'And which one waits for the next payment.',
    'ScenarioListAnswer',
    {
      scenarios: SCENARIOS.slice(0, 1).map(({ name, summary, steps, shop }) => ({
        name,
        summary,
        steps,
        shop,
      })),
      armed: null,
      armedFor: null,
    },
  ),
  {
    ...call(
      'post',
      '/scenarios/{name}',
      'armScenario',
      'Arm a scenario for the next payment',
      'The next payment whose first attempt begins plays it.',
      'ArmedAnswer',
      { armed: SCENARIOS[0]!.name, armedFor: null },
    ),
    parameters: [
      {
        name: 'name',
        in: 'path',
        description: 'The scenario.',
        schema: { type: 'string', enum: SCENARIOS.map(({ name }) => name) },
        example: SCENARIOS[0]!.name,
      },
    ],
    request: requestOf('ArmRequest', { merchant: publicKey }, false),
    refusals: [
      WRONG_FIELDS,
      { errorCode: '11', when: 'No scenario has this name, or no merchant this public key.' },
    ],
  },
  call(
    'delete',
    '/scenarios',
    'disarmScenario',
    'Arm nothing',
    'No payment plays a scenario that has not begun.',
    'ArmedAnswer',
    {
      armed: null,
      armedFor: null,
    },
  ),
  call(
    'get',
    '/webhooks',
    'listWebhooks',
    'Webhooks',
    'Every one that is kept, with what each attempt sent and was answered.',
    'DeliveryListAnswer',
    [DELIVERY],
  ),
  {
    ...call(
      'post',
      '/webhooks/{id}/replay',
      'replayWebhook',
      'Send a webhook again',
      'Waits for the answers. Signed with the token of now.',
      'DeliveryListAnswer',
      [DELIVERY],
    ),
    parameters: [
      {
        name: 'id',
        in: 'path',
        description: 'The webhook.',
        schema: { type: 'string' },
        example: DELIVERY_ID,
      },
    ],
    request: requestOf('Replay', { times: 2 }, false),
    refusals: [WRONG_FIELDS, { errorCode: '11', when: 'No webhook is kept under this id.' }],
  },
  {
    ...call(
      'post',
      '/webhooks/replay',
      'replayWebhooks',
      'Send webhooks again',
      'One after another, in their order or shuffled. At most 1000.',
      'DeliveryListAnswer',
      [DELIVERY],
    ),
    request: requestOf('Replays', { reference: 'order-1001', shuffle: true }, false),
    refusals: [WRONG_FIELDS, { errorCode: '11', when: 'There is no such webhook.' }],
  },
];

function call(
  method: Operation['method'],
  path: string,
  operationId: string,
  summary: string,
  description: string,
  component: string,
  data: unknown,
  httpStatus = 200,
): Operation {
  const isPaged = component === 'CollectionRowListAnswer';
  const value = {
    status: true,
    message: '',
    data,
    ...(isPaged && { meta: { total: 1, perPage: 50, currentPage: 1, pageCount: 1 } }),
  };
  return {
    operationId,
    method,
    path: CONTROL_PATH + path,
    tag: 'sandbox',
    door: 'sandboxToken',
    summary,
    description,
    answers: [
      {
        httpStatus,
        description: 'It was done.',
        component,
        examples: { done: { summary: 'It was done', value } },
      },
    ],
    refusals: [],
  };
}

function requestOf(
  component: string,
  value: object,
  isRequired = true,
): NonNullable<Operation['request']> {
  return { component, isRequired, examples: { one: { summary: 'For example', value } } };
}

function pick<T extends object, Name extends keyof T>(
  from: T,
  names: readonly Name[],
): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}
