import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';

import { buildOpenApi } from './openapi.ts';

const description = JSON.parse(JSON.stringify(buildOpenApi({ version: '1.2.3' })));
const operations: [string, any][] = Object.entries({ ...description.paths, ...description.webhooks }).flatMap(([path, item]) =>
  Object.entries(item as object).map(([method, operation]) => [`${method} ${path}`, operation] as [string, any]),
);

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats.default(ajv);
for (const keyword of ['components', 'discriminator']) ajv.addKeyword(keyword);
ajv.addSchema({ $id: 'openapi', components: description.components }, 'openapi');

/** Each example of an operation beside the schema it must fit. */
function examplesOf({ parameters = [], requestBody, responses }: any): { name: string; schema: object; example: unknown }[] {
  return [
    ...parameters.filter(({ example }: any) => example !== undefined),
    ...[requestBody, ...Object.values(responses)].flatMap((side: any) =>
      Object.entries<any>(side?.content?.['application/json'].examples ?? {}).map(([name, { value }]) => ({
        name,
        schema: side.content['application/json'].schema,
        example: value,
      })),
    ),
  ];
}

describe('the description of the APIs', () => {
  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(description));

    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(description.openapi).toMatch(/^3\.1\./);
  });

  test('has schemas that a strict reader of JSON Schema 2020-12 takes', () => {
    for (const name of Object.keys(description.components.schemas)) {
      expect(() => ajv.getSchema(`openapi#/components/schemas/${name}`), name).not.toThrow();
    }
  });

  test('has examples for every body', () => {
    const bodies = operations.flatMap(([name, { requestBody, responses }]) =>
      [requestBody, ...Object.values(responses)].filter((side: any) => side?.content).map((side: any) => [name, side.content]),
    );

    expect(bodies.filter(([, content]) => !Object.keys(content['application/json'].examples).length)).toEqual([]);
  });

  test.each(operations)('has examples that fit their schemas: %s', (_name, operation) => {
    for (const { name, schema, example } of examplesOf(operation)) {
      const fits = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')));

      expect(fits(example), `${name}: ${ajv.errorsText(fits.errors)}`).toBe(true);
    }
  });

  test('refers to every component, and to none it does not have', () => {
    const referred = new Set([...JSON.stringify(description).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name));

    expect([...referred].sort()).toEqual(Object.keys(description.components.schemas).sort());
  });

  test('explains every operation, parameter and member, in words that end', () => {
    const said = [
      ...operations.flatMap(([, { summary, description, parameters = [] }]) => [
        summary,
        description,
        ...parameters.map((one: any) => one.description),
      ]),
      ...Object.values<any>(description.components.schemas).flatMap(({ description, properties = {} }) => [
        description,
        ...Object.values<any>(properties).map((property) => property.description),
      ]),
    ];

    expect(said.filter((words) => !/\w/.test(words ?? ''))).toEqual([]);
  });

  test('names each operation once, as a programmer would', () => {
    const ids = operations.map(([, { operationId }]) => operationId);

    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toEqual(ids.filter((id) => /^[a-z][A-Za-z]+$/.test(id)));
    expect(ids).toMatchInlineSnapshot(`
      [
        "verifyCollection",
        "getCollection",
        "listCollections",
        "openSession",
        "getSession",
        "extendSession",
        "createAttempt",
        "enterOneTimeCode",
        "getChallenge",
        "answerChallenge",
        "onCollectionSuccessful",
        "onCollectionFailed",
        "onCollectionSettled",
      ]
    `);
  });

  test('writes money as texts with a pattern: nothing is a float', () => {
    const members = Object.values<any>(description.components.schemas).flatMap(({ properties = {} }) => Object.entries<any>(properties));
    const money = members.filter(([name]) => ['amount', 'fee', 'amountSettled'].includes(name));

    expect(money.length).toBeGreaterThan(5);
    expect(money.filter(([, { type, pattern }]) => ![type].flat().includes('string') || !pattern)).toEqual([]);
    expect(JSON.stringify(description).match(/"type":"number"/)).toBeNull();
  });

  test('writes null as a type of its own (D33)', () => {
    const { properties } = description.components.schemas.Collection;

    expect(properties.completedAt).toMatchObject({ type: ['string', 'null'], format: 'date-time' });
    expect(properties.settlement).toMatchObject({ anyOf: [{ $ref: '#/components/schemas/Settlement' }, { type: 'null' }] });
    expect(JSON.stringify(description).match(/nullable/)).toBeNull();
  });

  test('gives each refusal its HTTP status and codes (D38), and says how long to wait where that helps', () => {
    const { responses } = description.paths['/access/v2/collections/status/{reference}'].get;

    const codes = Object.fromEntries(Object.entries<any>(responses).map(([status, response]) => [status, response['x-error-codes']]));
    expect(codes).toEqual({
      200: undefined,
      400: ['01'],
      401: ['09', '13'],
      404: ['11'],
      429: ['10'],
      500: ['10'],
      503: ['10'],
    });
    expect(responses[503].headers).toHaveProperty('Retry-After');
    expect(responses[500].headers).toBeUndefined();
  });

  test('is the same every time', () => {
    expect(JSON.stringify(buildOpenApi({ version: '1.2.3' }))).toBe(JSON.stringify(description));
  });
});
