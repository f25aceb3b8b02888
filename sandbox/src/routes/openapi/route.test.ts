import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../../app/start.ts';
import { TestClient } from '../../test/client.ts';
import { type DescribedCall, TestDescription } from '../../test/openapi-check.ts';
import { type TestRoute, withRoutes } from '../../test/routes.ts';

let sandbox: Sandbox;
let routes: TestRoute[];
let description: TestDescription;
let calls: DescribedCall[];
const client = new TestClient(() => sandbox);

beforeAll(async () => {
  ({ started: sandbox, routes } = await withRoutes(() => startSandbox()));
  description = new TestDescription((await client.call('/openapi.json')).json);
  calls = [...description.calls(), ...description.calls('webhooks')];
});
afterAll(() => sandbox.close());

describe('/openapi.json', () => {
  test('/openapi.json serves JSON that clients revalidate', async () => {
    const { status, headers, json } = await client.call('/openapi.json');

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-cache',
    });
    expect(json.info.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(
      await client.call('/openapi.json', { headers: { 'if-none-match': `${headers['etag']}` } }),
    ).toMatchObject({
      status: 304,
      text: '',
    });
  });

  test('/openapi.json is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(description.document));

    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(description.document.openapi).toMatch(/^3\.1\./);
  });

  test('/openapi.json describes every route of the APIs and no other', () => {
    const isPage = ({ method, path }: TestRoute) =>
      /^\/(?:(?:js|assets|favicon\.ico|phone|dashboard|openapi\.json)(?:[/.]|$)|$)|^\/checkout\/v1\/(?:assets\/.*)?$/.test(
        path,
      ) ||
      (method === 'GET' && path === '/checkout/v1/challenges/:secret');
    const served = routes
      .filter((route) => !isPage(route))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = description
      .calls()
      .map(({ method, path }) => `${method.toUpperCase()} ${path}`);

    expect(served.length).toBeGreaterThan(9);
    expect([...new Set(served)].sort()).toEqual(described.sort());
  });

  test('/openapi.json has schemas and examples that pass a strict JSON Schema 2020-12 validator', () => {
    const problems = calls.flatMap(({ method, path, operation }) =>
      examplesOf(operation).map(({ name, schema, example }) => [
        `${method} ${path} ${name}`,
        description.problemsOf(schema, example),
      ]),
    );

    expect(problems.length).toBeGreaterThan(100);
    expect(problems.filter(([, problem]) => problem)).toEqual([]);
  });

  test('/openapi.json has an example of every body', () => {
    const bodies = calls.flatMap(({ path, operation: { requestBody, responses } }) =>
      [requestBody, ...Object.values<any>(responses)]
        .flatMap((side) => Object.values<any>(side?.content ?? {}))
        .map((content) => [path, content]),
    );

    expect(bodies.filter(([, { examples }]) => !Object.keys(examples).length)).toEqual([]);
  });

  test('/openapi.json refers to every component, and only to existing ones', () => {
    const referred = [
      ...JSON.stringify(description.document).matchAll(/#\/components\/schemas\/(\w+)/g),
    ].map(([, name]) => name);

    expect([...new Set(referred)].sort()).toEqual(
      Object.keys(description.document.components.schemas).sort(),
    );
  });

  test('/openapi.json explains every operation, parameter and member', () => {
    const said = [
      ...calls.flatMap(({ operation: { operationId, summary, description, parameters = [] } }) => [
        [operationId, summary],
        [operationId, description],
        ...parameters.map((parameter: any) => [
          `${operationId} ${parameter.name}`,
          parameter.description,
        ]),
      ]),
      ...Object.entries<any>(description.document.components.schemas).flatMap(
        ([name, { description, properties = {} }]) => [
          [name, description],
          ...Object.entries<any>(properties).map(([member, property]) => [
            `${name}.${member}`,
            property.description,
          ]),
        ],
      ),
    ];

    expect(said.filter(([, words]) => !/\w/.test(words ?? '')).map(([what]) => what)).toEqual([]);
  });

  test('/openapi.json keeps the names used by generated clients (D46)', () => {
    const ids = calls.map(({ operation }) => operation.operationId);

    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.join(' ')).toMatchInlineSnapshot(
      `"verifyCollection getCollection listCollections openSession getSession extendSession createAttempt enterOneTimeCode withdrawAttempt getChallenge answerChallenge resetSandbox placeCollection searchCollections pay getCollectionStory streamEvents getClock setClock advanceClock getPhone approvePrompt declinePrompt listMerchants setMerchant getFaults setFaults clearFaults listScenarios disarmScenario armScenario listWebhooks replayWebhook replayWebhooks onCollectionSuccessful onCollectionFailed onCollectionSettled"`,
    );
  });
});

function examplesOf({
  parameters = [],
  requestBody,
  responses,
}: any): { name: string; schema: object; example: unknown }[] {
  return [
    ...parameters.filter(({ example }: any) => example !== undefined),
    ...[requestBody, ...Object.values(responses)].flatMap((side: any) =>
      Object.values<any>(side?.content ?? {}).flatMap(({ schema, examples }) =>
        Object.entries<any>(examples).map(([name, { value }]) => ({
          name,
          schema,
          example: value,
        })),
      ),
    ),
  ];
}
