import { type ErrorCode, metaSchema } from '@service-pay/contract/envelope';
import {
  type Component,
  component,
  type Operation,
  responseOf,
} from '@service-pay/contract/openapi';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';
import { CALLS, type Call, type CallName } from '../../control/calls.ts';
import type { Described } from '../../control/described.ts';
import { collection, PARTS } from '../../control/outputs.ts';
import { SCENARIOS } from '../../faults/scenario-table.ts';
import { CONTROL_PATH } from '../../http/paths.ts';
import recorded from './control-examples.json' with { type: 'json' };

type Parameter = NonNullable<Operation['parameters']>[number];

/** A call as `responses.test.ts` made it, with its responses by status. */
interface Recorded {
  /** The values of its parameters. */
  readonly given?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly responses: Readonly<Record<string, unknown>>;
}
const EXAMPLES: Readonly<Record<CallName, Recorded>> = recorded;

const filter = (description: string) =>
  ({ in: 'query', description, schema: { type: 'string', maxLength: 128 } }) as const;
const text = { type: 'string' } as const;

const PARAMETERS: Readonly<Record<string, Omit<Parameter, 'name' | 'example'>>> = {
  number: {
    in: 'path',
    description: 'The phone number, in any form a customer may type.',
    schema: text,
  },
  publicKey: {
    in: 'path',
    description: 'The merchant.',
    schema: { type: 'string', pattern: REQUEST_RULES.key.pattern.source },
  },
  merchant: { in: 'path', description: 'Public key of the merchant.', schema: text },
  reference: { in: 'path', description: "The merchant's reference.", schema: referenceSchema },
  name: {
    in: 'path',
    description: 'The scenario.',
    schema: { type: 'string', enum: SCENARIOS.map(({ name }) => name) },
  },
  id: { in: 'path', description: 'The webhook.', schema: text },
  '?search': filter(
    'Part of a reference, an id, a phone number or the last four digits, in any case.',
  ),
  '?status': filter('Only this status.'),
  '?type': filter('Only this type.'),
  '?merchant': filter('Only this merchant.'),
  '?page': {
    in: 'query',
    description: 'The page, starting at 1.',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  '?last': {
    in: 'query',
    description:
      'Starts with this many of the newest events if `Last-Event-ID` does not give a position.',
    schema: { type: 'integer', minimum: 0, maximum: 1000, default: 0 },
  },
  'Last-Event-ID': {
    in: 'header',
    description:
      'The id of the newest event you know: the stream continues after it. A bare number counts events since this start.',
    schema: text,
  },
};

const EVENT_STREAM: Component = {
  schema: v.string(),
  description:
    'Server-sent events: `happening` with a `Happening` as data; `reset` when everything was deleted; `gap` when events that you requested ' +
    'are no longer kept or belong to another start. An id stays valid across starts. A comment every 15 s.',
  members: {},
};

const calls = Object.entries(CALLS) as [CallName, Call][];

export const CONTROL_COMPONENTS: Readonly<Record<string, Component>> = {
  ...Object.fromEntries(
    [...calls.flatMap(([, call]) => [call.body, dataOf(call)]), ...PARTS]
      .filter(isOurs)
      .map((part) => [part.name, part]),
  ),
  ...Object.fromEntries(
    calls
      .filter(([, call]) => isOurs(dataOf(call)))
      .toReversed() // the first call gives a shared response its words
      .map(([, call]) => [responseNameOf(call), envelopeOf(call)]),
  ),
  EventStream: EVENT_STREAM,
};

export const CONTROL_OPERATIONS: readonly Operation[] = calls.map(toOperation);

function toOperation([name, call]: [CallName, Call]): Operation {
  const [method, path = ''] = call.route.split(' ');
  const { given = {}, body = {}, responses } = EXAMPLES[name];
  return {
    operationId: call.operationId,
    method: method!.toLowerCase() as Operation['method'],
    path: CONTROL_PATH + path.replaceAll(/:(\w+)/g, '{$1}'),
    tag: 'sandbox',
    door: 'sandboxToken',
    summary: call.summary,
    description: call.effect,
    parameters: parametersOf(path, call, given),
    ...(call.body && {
      request: {
        component: call.body.name,
        isRequired: !call.isBodyOptional,
        examples: { one: { summary: 'For example', value: body } },
      },
    }),
    responses: (call.statuses ?? [200]).map((httpStatus) => {
      const description = !call.data
        ? 'The stream.'
        : httpStatus === 202
          ? 'Still running.'
          : 'Done.';
      return {
        httpStatus,
        description,
        component: responseNameOf(call),
        ...(!call.data && { mediaType: 'text/event-stream' }),
        examples: { done: { summary: description.slice(0, -1), value: responses[httpStatus] } },
      };
    }),
    rejections: rejectionsOf(call),
  };
}

function parametersOf(
  path: string,
  { query = [], headers = [] }: Call,
  given: Readonly<Record<string, string>>,
): Parameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  return [...inPath, ...headers, ...query.map((name) => `?${name}`)].map((key) => {
    const name = key.replace('?', '');
    const parameter = PARAMETERS[key]!;
    const isNumber = 'type' in parameter.schema && parameter.schema.type === 'integer';
    return { name, ...parameter, example: isNumber ? Number(given[name]) : given[name]! };
  });
}

/** The contract describes a collection. */
function isOurs(part: Described | undefined): part is Described {
  return part !== undefined && part !== collection;
}

function dataOf({ data }: Call): Described | undefined {
  return Array.isArray(data) ? data[0] : (data as Described | undefined);
}

function responseNameOf({ data }: Call): string {
  if (!data) return 'EventStream';
  return Array.isArray(data) ? `${data[0].name}ListAnswer` : `${(data as Described).name}Answer`;
}

function envelopeOf(call: Call): Component {
  const { schema, description } = dataOf(call)!;
  if (!Array.isArray(call.data)) return responseOf(schema, description.replace(/\.$/, ''));
  const { entries } = v.object({
    status: v.literal(true),
    message: v.string(),
    data: v.array(schema),
  });
  const members = {
    status: 'Always true.',
    message: 'For logs and people.',
    data: `${call.summary}.`,
  };
  return call.isPaged
    ? component(v.object({ ...entries, meta: metaSchema }), 'One page, in the envelope.', {
        ...members,
        meta: 'The position of the page.',
      })
    : component(v.object(entries), `${call.summary}, in the envelope.`, members);
}

function rejectionsOf({ body, query, rejections = {} }: Call): Operation['rejections'] {
  return [
    ...(body
      ? [
          {
            errorCode: '01' as const,
            when: 'The body or one of its fields is invalid or unknown: `data.problems` lists each.',
          },
        ]
      : []),
    ...(query ? [{ errorCode: '01' as const, when: 'A parameter is invalid or unknown.' }] : []),
    ...Object.entries(rejections).map(([code, when]) => ({
      errorCode: code as ErrorCode,
      when,
      ...(code === '10' && { httpStatus: 503 }),
    })),
  ];
}
