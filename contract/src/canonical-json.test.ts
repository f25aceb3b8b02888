import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { toCanonicalJson } from './canonical-json.ts';

describe('canonical JSON (T156)', () => {
  test('canonical JSON is JSON of the same value, whatever the order of its fields', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = toCanonicalJson(value, 'cart');
        expect(JSON.parse(text!)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(toCanonicalJson(reversed(value), 'cart')).toBe(text);
      }),
    );
  });

  test('canonical JSON takes a field that is undefined for absent, and what toJSON returns for the value', () => {
    const day = new Date('2026-03-12T00:00:00Z');
    expect(toCanonicalJson({ b: undefined, a: [null, day] }, 'cart')).toBe(
      '{"a":[null,"2026-03-12T00:00:00.000Z"]}',
    );
    class Line {
      sku = 'honey';
    }
    expect(toCanonicalJson([new Line(), Object.create(null), -0], 'cart')).toBe(
      '[{"sku":"honey"},{},0]',
    );
  });

  class Hidden {
    #sku = 'honey';
    sku = () => this.#sku;
  }
  class Empty {
    get sku() {
      return 'honey';
    }
  }
  class PricedCart extends Map<string, number> {
    currency = 'ZMW';
  }
  const circle: unknown[] = [];
  circle.push(circle);
  const owner: { pet?: object } = {};
  owner.pet = { owner };

  test.each([
    [new Map([['honey', 1]]), 'cart: JSON cannot hold this Map.'],
    [{ items: new Set(['honey']) }, 'items: JSON cannot hold this Set.'],
    [{ cart: [{ form: new FormData() }] }, 'form: JSON cannot hold this FormData.'],
    [new URLSearchParams('a=1'), 'this URLSearchParams'],
    [Promise.resolve({}), 'this Promise'],
    [new Empty(), 'this Empty'],
    [new Hidden(), 'sku: JSON cannot hold this function'],
    [/honey/, 'this RegExp'],
    [{ price: Number.NaN }, 'price: JSON cannot hold this NaN'],
    [{ price: Number.POSITIVE_INFINITY }, 'this Infinity'],
    [{ price: 1n }, 'price: JSON cannot hold this bigint'],
    [() => 'honey', 'cart: JSON cannot hold this function'],
    [Symbol('honey'), 'this symbol'],
    [circle, 'circular'],
    [owner, 'cart: JSON cannot hold an object that contains itself'],
    [new PricedCart([['honey', 1]]), 'cart: JSON cannot hold this PricedCart.'],
    [Object.assign(new Set(['honey']), { currency: 'ZMW' }), 'this Set'],
  ])('canonical JSON rejects what JSON would lose by name: %o', (value, words) => {
    expect(() => toCanonicalJson(value, 'cart')).toThrow(words);
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, reversed(field)]),
  );
}
