import { type ErrorCode, envelope } from '@service-pay/contract/envelope';
import type { Operation } from '@service-pay/contract/openapi';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import type * as v from 'valibot';
import { SCENARIOS } from '../../faults/scenario-table.ts';
import { CONTROL_PATH } from '../../paths.ts';
import { CONTROL_ROUTES, type ControlCall, type ControlRoute } from '../control-routes.ts';
import { CONTROL_COMPONENTS } from './control-components.ts';
import { DELIVERY_ID, EXAMPLES, type ExampleOf, MERCHANT } from './control-examples.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

const filter = (description: string, example: string) =>
  ({ in: 'query', description, schema: { type: 'string', maxLength: 128 }, example }) as const;
const text = { type: 'string' } as const;

const PARAMETERS: Readonly<Record<string, Omit<Parameter, 'name'>>> = {
  number: {
    in: 'path',
    description: 'The phone number, in any form a customer may type.',
    schema: text,
    example: '0960000000',
  },
  publicKey: {
    in: 'path',
    description: 'The merchant.',
    schema: { type: 'string', pattern: REQUEST_RULES.key.pattern.source },
    example: MERCHANT.publicKey,
  },
  merchant: {
    in: 'path',
    description: 'Public key of the merchant.',
    schema: text,
    example: MERCHANT.publicKey,
  },
  reference: {
    in: 'path',
    description: "The merchant's reference.",
    schema: referenceSchema,
    example: 'order-1001',
  },
  name: {
    in: 'path',
    description: 'The scenario.',
    schema: { type: 'string', enum: SCENARIOS.map(({ name }) => name) },
    example: SCENARIOS[0]!.name,
  },
  id: { in: 'path', description: 'The webhook.', schema: text, example: DELIVERY_ID },
  '?search': filter(
    'Part of a reference, an id, a phone number or the last four digits, in any case.',
    'order',
  ),
  '?status': filter('Only this status.', 'successful'),
  '?type': filter('Only this type.', 'card'),
  '?merchant': filter('Only this merchant.', MERCHANT.publicKey),
  '?page': {
    in: 'query',
    description: 'The page, starting at 1.',
    schema: { type: 'integer', minimum: 1, default: 1 },
    example: 1,
  },
  '?last': {
    in: 'query',
    description:
      'Starts with this many of the newest events if `Last-Event-ID` does not give a position.',
    schema: { type: 'integer', minimum: 0, maximum: 1000, default: 0 },
    example: 50,
  },
  'Last-Event-ID': {
    in: 'header',
    description:
      'The id of the newest event you know: the stream continues after it. A bare number counts events since this start.',
    schema: text,
    example: '3f9c2a1b7d05-7',
  },
};

export const CONTROL_OPERATIONS: readonly Operation[] = Object.entries(CONTROL_ROUTES).map(
  ([name, route]) => toOperation(name as ControlCall, route),
);

function toOperation(operationId: ControlCall, route: ControlRoute): Operation {
  const [method, path = ''] = route.call.split(' ');
  const example: ExampleOf = EXAMPLES[operationId];
  return {
    operationId,
    method: method!.toLowerCase() as Operation['method'],
    path: CONTROL_PATH + path.replaceAll(/:(\w+)/g, '{$1}'),
    tag: 'sandbox',
    door: 'sandboxToken',
    summary: route.summary,
    description: route.description,
    parameters: parametersOf(path, route),
    ...(route.body && { request: requestOf(route.body, example.body ?? {}) }),
    answers: Object.entries(route.answers).map(([status, component]) =>
      answerOf(Number(status), component, example),
    ),
    refusals: refusalsOf(route),
  };
}

function parametersOf(path: string, { query = [], headers = [] }: ControlRoute): Parameter[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  return [...inPath, ...headers, ...query.map((name) => `?${name}`)].map((name) => ({
    name: name.replace('?', ''),
    ...PARAMETERS[name]!,
  }));
}

function requestOf(body: v.GenericSchema, value: object): NonNullable<Operation['request']> {
  const isRequired = body.type !== 'optional';
  const schema = isRequired ? body : (body as v.OptionalSchema<v.GenericSchema, unknown>).wrapped;
  const known = Object.entries(CONTROL_COMPONENTS).find(([, one]) => one.schema === schema);
  if (!known) throw new Error('A body has no component.');
  return { component: known[0], isRequired, examples: { one: { summary: 'For example', value } } };
}

function answerOf(
  httpStatus: number,
  component: string,
  { data, stream, meta }: ExampleOf,
): Operation['answers'][number] {
  if (stream !== undefined) {
    const examples = { happening: { summary: 'One event', value: stream } };
    return {
      httpStatus,
      description: 'The stream.',
      mediaType: 'text/event-stream',
      component,
      examples,
    };
  }
  const value = envelope(data, '', meta);
  const description = httpStatus === 202 ? 'Still running.' : 'Done.';
  return {
    httpStatus,
    description,
    component,
    examples: { done: { summary: description.slice(0, -1), value } },
  };
}

function refusalsOf({ body, query, refuses = {} }: ControlRoute): Operation['refusals'] {
  return [
    ...(body
      ? [
          {
            errorCode: '01' as const,
            when: 'The body or one of its fields is invalid or unknown: `data.problems` lists each.',
          },
        ]
      : []),
    ...(query
      ? [
          {
            errorCode: '01' as const,
            when: 'A parameter is invalid or unknown.',
          },
        ]
      : []),
    ...Object.entries(refuses).map(([code, when]) => ({
      errorCode: code as ErrorCode,
      when,
      ...(code === '10' && { httpStatus: 503 }),
    })),
  ];
}
