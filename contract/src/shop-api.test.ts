import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';

import { SHOP_OPERATIONS } from './openapi/shop.ts';
import { pathOf, SHOP_CONTRACT, SHOP_ROUTES } from './shop-api.ts';

describe('the contract between page and shop', () => {
  test('the contract between page and shop accepts the data of every example, and describes every failure of a route', () => {
    const routes = Object.entries(SHOP_ROUTES);
    for (const [at, [route, { path }]] of routes.entries()) {
      const { data } = SHOP_CONTRACT[route as keyof typeof SHOP_CONTRACT];
      const operation = SHOP_OPERATIONS[at]!;
      expect(operation.path).toBe(`/api${path.replace(':reference', '{reference}')}`);
      for (const { examples, mediaType } of operation.responses)
        for (const { value } of Object.values(examples))
          expect(mediaType || v.is(data, (value as { data: unknown }).data)).toBeTruthy();
    }
  });

  test('the contract between page and shop keeps any reference within its segment of the path', () => {
    fc.assert(
      fc.property(fc.string(), (reference) => {
        const [, name] = /^\/payments\/([^/]*)\/verify$/.exec(pathOf('verify', reference))!;
        expect(decodeURIComponent(name!)).toBe(reference);
      }),
    );
  });
});
