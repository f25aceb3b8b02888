import { type JsonSchema, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type * as v from 'valibot';

import { COMPONENTS, type Component } from './components.ts';
import type { Operation, OperationResponse, Parameter } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { buildRejections, contentOf, SHARED_REJECTIONS } from './rejections.ts';
import { buildWebhooks } from './webhooks.ts';

export {
  type Component,
  component,
  responseOf,
  /** @deprecated Its name until the next version. */
  responseOf as answerOf,
} from './components.ts';
export type { Operation } from './operation.ts';
export { SHOP_COMPONENTS, SHOP_OPERATIONS } from './shop.ts';

export interface Additions {
  readonly version: string;
  readonly operations?: readonly Operation[];
  readonly components?: Readonly<Record<string, Component>>;
}

type Part = Record<string, unknown>;

const TAGS = [
  {
    name: 'merchant',
    description: "For the merchant's own server, never a browser.",
  },
  {
    name: 'checkout',
    description: "For the popup's frame only. Merchants do not call it.",
  },
  {
    name: 'shop',
    description: 'Between the page and the server of a shop.',
  },
  {
    name: 'sandbox',
    description: 'The control API, for tests. A real service does not have it.',
  },
];

const SECURITY_SCHEMES = {
  apiToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The secret API token. From a server only.',
  },
  sessionToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token returned when the session was opened.',
  },
  browser: {
    type: 'apiKey',
    in: 'cookie',
    name: 'shop',
    description:
      'Names the browser or the account that placed the order, however the shop does that. Another one gets 404.',
  },
  sandboxToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Sandbox-Token',
    description: 'Required only if the sandbox is open to other machines.',
  },
};

/** Rules of control calls that JSON Schema cannot express. */
const WITHOUT_JSON_FORM = ['check', 'finite', 'transform', 'trim'];

/**
 * Builds the OpenAPI 3.1 description of the APIs from the schemas that check their requests.
 * Returns plain JSON, the same on every call.
 */
export function buildOpenApi({ version, operations = [], components = {} }: Additions): Part {
  const all = [...OPERATIONS, ...operations];
  return {
    openapi: '3.1.1',
    info: {
      title: 'ServicePay',
      version,
      summary: 'Collect payments by card and mobile money.',
      description:
        'Amounts are decimal strings in major units, such as `"10.75"`, never floats. Every response is an envelope of `status`, `message` and `data`. ' +
        'Within a version, fields are only added: ignore fields you do not know, and treat a status you do not know as ' +
        'not final. Codes 02, 03 and 05 to 08 belong to transfers, which this API does not have.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: '/', description: 'The server of this document' },
      {
        url: '{baseUrl}',
        description: 'Another service, or the sandbox at its usual address',
        variables: {
          baseUrl: {
            default: 'http://localhost:4010',
            description: 'The origin of the service',
          },
        },
      },
    ],
    tags: TAGS.filter(({ name }) => all.some(({ tag }) => tag === name)),
    paths: buildPaths(all),
    webhooks: buildWebhooks(),
    components: {
      schemas: buildSchemas({ ...COMPONENTS, ...components }),
      responses: SHARED_REJECTIONS,
      headers: HEADERS,
      securitySchemes: securitySchemesOf(all),
    },
  };
}

const HEADERS = {
  RetryAfter: {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  WwwAuthenticate: {
    description: 'Comes with code 09.',
    schema: { type: 'string', const: 'Bearer' },
  },
};

function buildPaths(operations: readonly Operation[]): Part {
  const paths: Record<string, Part> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method] = buildOperation(operation);
  }
  return paths;
}

function buildOperation({
  operationId,
  tag,
  summary,
  description,
  door,
  parameters,
  request,
  responses,
  rejections,
}: Operation): Part {
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security:
      door === 'anybody' ? [] : door === 'sandboxToken' ? [{}, { [door]: [] }] : [{ [door]: [] }],
    ...(parameters && { parameters: parameters.map(buildParameter) }),
    ...(request && {
      requestBody: {
        required: request.isRequired,
        content: contentOf(request.component, request.examples),
      },
    }),
    responses: {
      ...Object.fromEntries(
        responses.map((response) => [response.httpStatus, buildResponse(response)]),
      ),
      ...buildRejections(rejections, {
        hasBody: request !== undefined,
        isService: door !== 'sandboxToken',
      }),
    },
  };
}

function buildParameter({ name, in: place, description, schema, example }: Parameter): Part {
  return {
    name,
    in: place,
    required: place === 'path',
    description,
    schema: toPart(schema),
    example,
  };
}

function buildResponse({ description, component, examples, mediaType }: OperationResponse): Part {
  return { description, content: contentOf(component, examples, mediaType) };
}

function securitySchemesOf(operations: readonly Operation[]): Part {
  return Object.fromEntries(
    Object.entries(SECURITY_SCHEMES).filter(([name]) =>
      operations.some(({ door }) => door === name),
    ),
  );
}

function buildSchemas(components: Readonly<Record<string, Component>>): Part {
  const definitions = Object.fromEntries(
    Object.entries(components).map(([name, { schema }]) => [name, schema]),
  );
  const schemas = toJsonSchemaDefs(definitions, {
    target: 'draft-2020-12',
    typeMode: 'input',
    ignoreActions: WITHOUT_JSON_FORM,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  });
  return Object.fromEntries(
    Object.entries(components).map(([name, words]) => [
      name,
      withWords(tidy(schemas[name]) as Part, words),
    ]),
  );
}

function withWords(schema: Part, { description, members, more }: Component): Part {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Part>).map(
    ([name, property]) => {
      const words = members[name];
      const { says, known, isCount, pattern } = typeof words === 'object' ? words : { says: words };
      const type = Array.isArray(property['type']) ? ['integer', 'null'] : 'integer';
      return [
        name,
        {
          ...property,
          ...(isCount && { type, minimum: 0 }),
          ...(pattern && { pattern: pattern.source }),
          ...(says && { description: says }),
          ...(known && { examples: known }),
        },
      ];
    },
  );
  return {
    description,
    ...schema,
    ...(properties.length && { properties: Object.fromEntries(properties) }),
    ...more,
  };
}

function toPart(schema: v.GenericSchema | JsonSchema): Part {
  if (!('~standard' in schema)) return schema as Part;
  const { $schema: _, ...part } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
  });
  return tidy(part) as Part;
}

/**
 * Rewrites a schema in the form that generators for other languages expect: null as one of its
 * types, a type beside every value, lengths as lengths.
 */
function tidy(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, pattern, ...part } = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, tidy(value)]),
  ) as Part;
  if (Array.isArray(anyOf)) {
    const [one, other] = anyOf as Part[];
    const isNullable = anyOf.length === 2 && other?.['type'] === 'null';
    if (!isNullable) return { ...part, oneOf: anyOf };
    if (!one?.['type']) return { ...part, anyOf };
    return {
      ...part,
      ...one,
      type: [one['type'], 'null'],
      ...(Array.isArray(one['enum']) && { enum: [...one['enum'], null] }),
    };
  }
  const length = /^\^\[\\s\\S\]\{0,(\d+)\}\$$/.exec(`${pattern ?? ''}`);
  if (length) return { ...part, maxLength: Number(length[1]) };
  const values = [part['const'], ...((part['enum'] ?? []) as unknown[])].filter(
    (value) => value !== undefined,
  );
  const type = part['type'] ?? (values.length ? typeof values[0] : undefined);
  if (Array.isArray(part['required']) && !part['required'].length) delete part['required'];
  return {
    ...(type !== undefined && { type }),
    ...part,
    ...(pattern !== undefined && { pattern }),
  };
}
