import { describe, expect, test } from 'vitest';

import { REQUEST_RULES } from '../payment-request.ts';
import { buildOpenApi } from './openapi.ts';

const description = JSON.parse(JSON.stringify(buildOpenApi({ version: '1.2.3' })));

describe('the description of the APIs', () => {
  test('the description of the APIs describes money as strings with a pattern, never as floats', () => {
    const members = Object.values<any>(description.components.schemas).flatMap(
      ({ properties = {} }) => Object.entries<any>(properties),
    );
    const money = members.filter(([name]) => ['amount', 'fee', 'amountSettled'].includes(name));

    expect(money.length).toBeGreaterThan(5);
    expect(
      money.filter(([, { type, pattern }]) => ![type].flat().includes('string') || !pattern),
    ).toEqual([]);
    expect(JSON.stringify(description).match(/"type":"number"/)).toBeNull();
  });

  test('the description of the APIs gives the pattern of each text that a payment request must have', () => {
    const { properties } = description.components.schemas.PaymentRequest;

    for (const name of ['key', 'email', 'reference'] as const)
      expect(properties[name].pattern, name).toBe(REQUEST_RULES[name].pattern.source);
  });

  test('the description of the APIs describes null as a type of its own (D33)', () => {
    const { properties } = description.components.schemas.Collection;

    expect(properties.completedAt).toMatchObject({ type: ['string', 'null'], format: 'date-time' });
    expect(properties.settlement).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/Settlement' }, { type: 'null' }],
    });
    expect(JSON.stringify(description).match(/nullable/)).toBeNull();
  });

  test('the description of the APIs gives each rejection its HTTP status and codes (D38), with Retry-After if waiting helps', () => {
    const { responses } = description.paths['/access/v2/collections/status/{reference}'].get;

    const whole = Object.fromEntries(
      Object.entries<any>(responses).map(([status, { $ref, ...own }]) => [
        status,
        $ref ? description.components.responses[$ref.split('/').at(-1)] : own,
      ]),
    );
    const codes = Object.fromEntries(
      Object.entries<any>(whole).map(([status, response]) => [status, response['x-error-codes']]),
    );
    expect(codes).toEqual({
      200: undefined,
      400: ['01'],
      401: ['09', '13'],
      404: ['11'],
      429: ['10'],
      500: ['10'],
      503: ['10'],
    });
    expect(whole[503].headers).toHaveProperty('Retry-After');
    expect(whole[401].headers).toHaveProperty('WWW-Authenticate');
    expect(whole[500].headers).toBeUndefined();
  });

  test('the description of the APIs is the same every time', () => {
    expect(JSON.stringify(buildOpenApi({ version: '1.2.3' }))).toBe(JSON.stringify(description));
  });
});
