import { Validator } from '@seriousme/openapi-schema-validator';
import { SHOP_ROUTES } from '@service-pay/contract/shop-routes';
import { describe, expect, test } from 'vitest';
import { buildOpenApiFiles } from './openapi-files.ts';
import type { Part } from './postman-collection.ts';

const files = buildOpenApiFiles();
const merchant: Part = JSON.parse(files['merchant.json'] as string);
const checkout: Part = JSON.parse(files['checkout.json'] as string);
const shop: Part = JSON.parse(files['shop.json'] as string);
const control: Part = JSON.parse(files['control.json'] as string);
const collection: Part = JSON.parse(files['service-pay.postman_collection.json'] as string);

describe('openapi/', () => {
  test.each([
    ['merchant.json', merchant],
    ['checkout.json', checkout],
    ['shop.json', shop],
    ['control.json', control],
  ])('openapi/%s is valid OpenAPI 3.1, and nothing in it is unused', async (_name, description) => {
    const { valid, errors } = await new Validator().validate(structuredClone(description));
    const text = JSON.stringify(description);
    const unused = Object.entries<Part>(description['components'])
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, parts]) => Object.keys(parts).map((name) => `${kind}/${name}`))
      .filter((name) => !text.includes(`"#/components/${name}"`));

    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(unused).toEqual([]);
  });

  test('openapi/ splits the calls: what a merchant, the popup and a test call', () => {
    expect(Object.keys(merchant['paths'])).toContain('/access/v2/collections/status/{reference}');
    expect(Object.keys(merchant['webhooks'])).toContain('collection.successful');
    expect(
      Object.keys(merchant['paths']).filter((path) => !path.startsWith('/access/v2/')),
    ).toEqual([]);
    expect(
      Object.keys(checkout['paths']).filter((path) => !path.startsWith('/checkout/v1/')),
    ).toEqual([]);
    expect(Object.keys(control['paths']).filter((path) => !path.startsWith('/_sandbox/'))).toEqual(
      [],
    );
    expect(Object.keys(shop['paths'])).toEqual(
      Object.values(SHOP_ROUTES).map(
        ({ path }) => `/api${path.replace(':reference', '{reference}')}`,
      ),
    );
    expect([checkout, shop, control].map(({ webhooks }) => webhooks)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('openapi/ gives no two kinds of value the same description', () => {
    const fields = [merchant, checkout, shop, control].flatMap(({ components }) =>
      Object.entries<Part>(components.schemas).flatMap(([schema, { properties = {} }]) =>
        Object.entries<Part>(properties).map(([name, field]) => ({
          name: `${schema}.${name}`,
          description: field['description'] as string,
          kind: kindOf(field),
        })),
      ),
    );
    const mixed = [...Map.groupBy(fields, ({ description }) => description)].filter(
      ([, same]) => new Set(same.map(({ kind }) => kind)).size > 1,
    );

    expect(fields.length).toBeGreaterThan(300);
    expect(
      mixed.map(([description, same]) => [description, ...same.map(({ name }) => name)]),
    ).toEqual([]);
  });

  test('openapi/ names no number of our own decisions', () => {
    expect(
      Object.values(files)
        .join('')
        .match(/\(D\d+\)/g),
    ).toBeNull();
  });

  test('openapi/ has every call in the Postman collection, with a value for each variable', () => {
    const requests: Part[] = collection['item'].flatMap(({ item }: Part) => item);
    const calls = [merchant, control].flatMap(({ paths }) =>
      Object.entries<Part>(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );

    expect(
      requests.map(
        ({ request }) =>
          `${request.method} ${request.url.raw.replace('{{baseUrl}}', '').replace(/:(\w+)/g, '{$1}')}`,
      ),
    ).toEqual(calls);
    expect(
      requests.flatMap(({ request }) => request.url.variable).filter(({ value }: Part) => !value),
    ).toEqual([]);
  });
});

/** The type of a value, or the schema that it is one of, whether it may be null or not. */
function kindOf({ $ref, anyOf, type, items }: Part): string {
  const [kind] = [type].flat();
  if (kind === 'array') return `list of ${kindOf(items)}`;
  return $ref ?? kind ?? (anyOf?.[0] ? kindOf(anyOf[0]) : '');
}
