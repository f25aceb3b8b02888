const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

// biome-ignore lint/suspicious/noExplicitAny: what is in it differs from part to part
export type Part = Record<string, any>;

/**
 * Makes a Postman collection (v2.1, which Bruno, Insomnia and Hoppscotch import too) of
 * descriptions: a folder for each, a request for each call with its example body. Its variables are
 * set for the sandbox at its usual address.
 */
export function toPostman(...descriptions: readonly Part[]): Part {
  return {
    info: {
      name: 'ServicePay',
      description:
        'The merchant API and the control API of the sandbox. Start it with npx --no -- service-pay-sandbox.',
      schema: SCHEMA,
    },
    variable: [
      { key: 'baseUrl', value: 'http://localhost:4010' },
      { key: 'apiToken', value: 'sec_sandbox_demo' },
      { key: 'sandboxToken', value: '' },
    ],
    item: descriptions.map(({ info, paths }) => ({
      name: info.title,
      item: Object.entries<Part>(paths).flatMap(([path, item]) =>
        Object.entries<Part>(item).map(([method, call]) => toRequest(method, path, call)),
      ),
    })),
  };
}

function toRequest(method: string, path: string, call: Part): Part {
  const parameters: Part[] = call['parameters'] ?? [];
  const of = (place: string) => parameters.filter((parameter) => parameter['in'] === place);
  const segments = path.slice(1).replace(/\{(\w+)\}/g, ':$1');
  const query = of('query').map(({ name, description, example }) => ({
    key: name,
    value: String(example ?? ''),
    description,
    disabled: true, // none is required
  }));
  const body = exampleOf(call['requestBody']);
  return {
    name: call['summary'],
    request: {
      method: method.toUpperCase(),
      description: call['description'],
      ...(usesToken(call, 'apiToken') && {
        auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{apiToken}}', type: 'string' }] },
      }),
      header: [
        ...(body ? [{ key: 'Content-Type', value: 'application/json' }] : []),
        ...(usesToken(call, 'sandboxToken')
          ? [{ key: 'X-Sandbox-Token', value: '{{sandboxToken}}', disabled: true }]
          : []),
      ],
      url: {
        raw: `{{baseUrl}}/${segments}`,
        host: ['{{baseUrl}}'],
        path: segments.split('/'),
        query,
        variable: of('path').map(({ name, description, example }) => ({
          key: name,
          value: String(example ?? ''),
          description,
        })),
      },
      ...(body !== undefined && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(body, null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
  };
}

function usesToken(call: Part, scheme: string): boolean {
  return call['security'].some((each: Part) => scheme in each);
}

function exampleOf(requestBody?: Part): object | undefined {
  const examples: Part = requestBody?.['content']['application/json'].examples ?? {};
  return Object.values<Part>(examples)[0]?.['value'] as object | undefined;
}
