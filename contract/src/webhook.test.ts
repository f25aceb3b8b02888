import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';

import { collectionSchema } from './collection.ts';
import {
  ACKNOWLEDGING_STATUSES,
  EVENTS,
  SIGNATURE_HEADER,
  SIGNATURE_PATTERN,
  WEBHOOK_RETRY,
  webhookEventSchema,
} from './webhook.ts';

interface Vector {
  name: string;
  body: string;
  signature: string;
  valid: boolean;
}

const { header, vectors } = JSON.parse(
  readFileSync(new URL('test-data/webhook-vectors.json', import.meta.url), 'utf8'),
) as {
  header: string;
  vectors: Vector[];
};
const named = (name: string) => vectors.find((vector) => vector.name === name) as Vector;

describe('a webhook', () => {
  test('a webhook has its signature in the documented header (D41)', () => {
    expect(SIGNATURE_HEADER).toBe(header);
  });

  test.each(vectors.filter(({ valid }) => valid).map(({ name }) => name))(
    'a webhook with a valid signature matches the pattern: %s (D41)',
    (name) => {
      expect(named(name).signature).toMatch(SIGNATURE_PATTERN);
    },
  );

  test.each(['upper case', 'trailing junk', 'cut', 'prefix', 'missing', 'twice'])(
    'a webhook with an impossible signature does not match: %s (T81)',
    (name) => {
      expect(named(name).signature).not.toMatch(SIGNATURE_PATTERN);
    },
  );

  test('a webhook rejects a newline after the signature (T81)', () => {
    expect(`${named('as sent').signature}\n`).not.toMatch(SIGNATURE_PATTERN);
  });

  test('a webhook is read as its event and a complete collection (D40)', () => {
    const event = v.parse(webhookEventSchema, JSON.parse(named('as sent').body));

    expect(EVENTS).toContain(event.event);
    expect(v.parse(collectionSchema, event.data).reference).toBe('ref-1');
  });

  test.each([
    { event: 'collection.refunded', data: { reference: 'r' } },
    { event: 'collection.successful', data: { reference: 'r' }, id: 1 },
  ])('a webhook is read although we do not know all of it: %j (D43)', (body) => {
    expect(v.is(webhookEventSchema, body)).toBe(true);
  });

  test.each([
    null,
    [],
    {},
    { event: 'x' },
    { event: 'x', data: null },
    { event: 'x', data: [] },
    { event: 'x', data: { reference: 5 } },
    { event: 5, data: { reference: 'r' } },
  ])('a webhook is none where no reference can be read: %j (T88)', (body) => {
    expect(v.is(webhookEventSchema, body)).toBe(false);
  });

  test('a webhook is acknowledged by 200, 201 and 202 within 10 s, and retried for a day (D42)', () => {
    expect(
      [200, 201, 202, 204, 302, 400, 500].filter((status) =>
        ACKNOWLEDGING_STATUSES.includes(status),
      ),
    ).toEqual([200, 201, 202]);
    expect(WEBHOOK_RETRY).toMatchObject({
      respondWithinMs: 10_000,
      everyMs: 1_800_000,
      forMs: 86_400_000,
    });
  });
});
