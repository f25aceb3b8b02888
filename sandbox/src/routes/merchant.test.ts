import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { collectionSchema } from '@service-pay/contract/collection';
import { envelopeSchema } from '@service-pay/contract/envelope';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';

import { pay, rejected, TestClient } from '../test/client.ts';
import { shareSandbox } from '../test/shared-sandbox.ts';

const sandbox = shareSandbox();
const client = new TestClient(() => sandbox);
const sample = JSON.parse(
  readFileSync(
    new URL('../../../contract/src/test-data/verify-response.json', import.meta.url),
    'utf8',
  ),
);

describe('verify', () => {
  test('a payment is returned with the specified fields and types (specification 2.3–2.5, 4.2)', async () => {
    await sandbox.control.setClock({ mode: 'virtual' });
    const visitor = await client.visit('shape');
    await client.attempt(visitor, pay.phone('0971111111', 'airtel'));
    await sandbox.control.advance(5);

    const response = await client.merchant('/collections/status/shape');

    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(shapeOf(response.json)).toEqual(shapeOf(sample));
    v.parse(envelopeSchema(collectionSchema), response.json);
    expect(response.json.data.serviceReference).toMatch(/^[0-9]{9}$/);
  });

  test('a payment is the same by reference and by id; 404·11 for another merchant, another case or an unknown one (T63)', async () => {
    const { id } = await sandbox.control.putCollection({ reference: 'ref' });

    expect((await client.merchant(`/collections/${id}`)).json).toEqual(
      (await client.merchant('/collections/status/ref')).json,
    );
    expect(await client.merchant('/collections/status/ref', 'sec_sandbox_other')).toMatchObject(
      rejected(404, '11'),
    );
    expect(await client.merchant(`/collections/${id}`, 'sec_sandbox_other')).toMatchObject(
      rejected(404, '11'),
    );
    for (const path of [
      '/collections/status/REF',
      '/collections/x',
      '/collections/status/%zz',
      '/collections/status',
      '/collections/status/ref/',
      '/nothing',
    ]) {
      expect(await client.merchant(path), path).toMatchObject(rejected(404, '11'));
    }
  });

  test.each([
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '%00',
    '%20',
    'a%2Fb',
    'a%0d%0ab',
    '%C3%A9',
    'x'.repeat(129),
    'x'.repeat(5_000),
    'x'.repeat(10_000),
  ])(
    'the merchant API rejects the reference %s, which has invalid characters, with 400·01 (T63)',
    async (encoded) => {
      expect(await client.merchant(`/collections/status/${encoded}`)).toMatchObject(
        rejected(400, '01'),
      );
    },
  );

  test('wrong methods, other paths and invalid HTTP are rejected in the envelope, never in HTML (T63, U42)', async () => {
    const headers = { authorization: 'Bearer sec_sandbox_demo' };
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect(
        await client.call('/access/v2/collections/status/ref', { method, headers }),
        method,
      ).toMatchObject(rejected(404, '11'));
    }
    for (const path of [
      '/access/V2/collections',
      '/access/v2//collections',
      '/access/v2/collections/',
      '/index.html',
      '/%zz',
    ]) {
      expect(await client.call(path, { headers }), path).toMatchObject(rejected(404, '11'));
    }
    expect((await client.call('/access/V2/collections', { headers })).json.message).toContain(
      '/access/V2/collections',
    );
    const envelopeOf = (raw: string) => JSON.parse(raw.split('\r\n\r\n')[1]!);
    const close = 'Connection: close\r\n\r\n';
    expect(
      envelopeOf(await sendRaw(`GET /access/v2/collections HTTP/1.1\r\n${close}`)),
    ).toMatchObject({ status: false, errorCode: '13' });
    expect(
      envelopeOf(
        await sendRaw(`GET /x HTTP/1.1\r\nHost: localhost\r\nExpect: wonders\r\n${close}`),
      ),
    ).toMatchObject({
      errorCode: '11',
    });
    const tooLong = `GET /x HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(100_000)}\r\n${close}`;
    expect(envelopeOf(await sendRaw(tooLong))).toMatchObject({ errorCode: '01' });
    for (const target of ['http://[/x', 'http://a:b:c/x', '*']) {
      const pathless = await sendRaw(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${close}`);
      expect(pathless, target).toMatch(/^content-type: application\/json/im);
      expect(envelopeOf(pathless), target).toMatchObject({ errorCode: '11' });
    }
    const raw = await sendRaw('NONSENSE\r\n\r\n');
    expect(raw).toMatch(/^HTTP\/1\.1 400 /);
    expect(envelopeOf(raw)).toMatchObject({ status: false, errorCode: '01' });
  });
});

const MISSING =
  'The API token is missing. Send it in one header: Authorization: Bearer <API token>.';
const UNKNOWN =
  "This service does not know this API token. Check that the token and the service's address belong to the same environment.";
const PUBLIC_KEY =
  'This is a public key, which belongs in your page. Send your secret API token instead: Authorization: Bearer <API token>.';

describe('authentication', () => {
  test.each([
    ['no header', MISSING, {}],
    ['another scheme', MISSING, { authorization: 'Basic c2VjX3NhbmRib3hfZGVtbzo=' }],
    ['a token without its scheme', MISSING, { authorization: 'sec_sandbox_demo' }],
    ['a token in another header', MISSING, { 'api-key': 'sec_sandbox_demo' }],
    ['two headers', MISSING, { authorization: Array(2).fill('Bearer sec_sandbox_demo') }],
    ['an empty token', MISSING, { authorization: 'Bearer ' }],
    ['an unknown token', UNKNOWN, { authorization: 'Bearer sec_nobody' }],
    ['a public key', PUBLIC_KEY, { authorization: 'Bearer pub_sandbox_demo' }],
    ['a public key of another service', PUBLIC_KEY, { authorization: 'Bearer pub_live_shop' }],
    ['a public key with a name of its own', PUBLIC_KEY, { authorization: 'Bearer shop-1' }],
  ])(
    'the merchant API rejects %s with 401·09 and a message on what to send (T62, D49)',
    async (_, message, headers) => {
      await sandbox.control.putMerchant('shop-1', { name: 'Shop', apiToken: 'sec_shop' });

      const response = await client.call('/access/v2/collections?token=sec_sandbox_demo', {
        headers: headers as Record<string, string | string[]>,
      });

      expect(response).toMatchObject(rejected(401, '09'));
      expect(response.json.message).toBe(message);
      expect(response.headers['www-authenticate']).toBe('Bearer');
      expect(response.text).not.toContain('sec_');
    },
  );

  test('the merchant API accepts the scheme in lower case; lets no page of another origin read a response (T62)', async () => {
    const headers = { authorization: 'bearer sec_sandbox_demo', origin: 'https://shop.example' };
    const response = await client.call('/access/v2/collections', { headers });

    expect(response.status).toBe(200);
    expect(
      Object.keys(response.headers).filter((name) => name.startsWith('access-control-')),
    ).toEqual([]);
  });

  test('the merchant API accepts a renewed token and rejects the old one', async () => {
    await sandbox.control.putMerchant('pub_sandbox_demo', { apiToken: 'sec_renewed_token' });

    expect((await client.merchant('/collections', 'sec_renewed_token')).status).toBe(200);
    expect(await client.merchant('/collections')).toMatchObject(rejected(401, '09'));
  });
});

describe('the list', () => {
  const place = async (count: number) => {
    for (let at = 0; at < count; at++)
      await sandbox.control.putCollection({ reference: `r-${at}` });
  };

  test.each([
    [0, 1, 0, 0],
    [1, 1, 1, 1],
    [100, 1, 1, 100],
    [101, 1, 2, 100],
    [101, 2, 2, 1],
    [250, 3, 3, 50],
    [250, 4, 3, 0],
    [1, 1_000_000_000, 1, 0],
    [1, 99_999_999_999, 1, 0],
  ])(
    'the list splits %i collections: page %i of %i has %i records (D39)',
    async (count, page, pageCount, here) => {
      await place(count);

      const { json } = await client.merchant(`/collections?page=${page}`);

      expect(json.meta).toEqual({ total: count, perPage: 100, currentPage: page, pageCount });
      expect(json.data).toHaveLength(here);
    },
  );

  test("the list has the newest first, each once over all pages, without another merchant's", async () => {
    await place(101);
    await sandbox.control.putCollection({ reference: 'theirs', merchant: 'pub_sandbox_other' });

    const pages = await Promise.all(
      [1, 2].map((page) => client.merchant(`/collections?page=${page}`)),
    );

    const references = pages.flatMap(({ json }) =>
      json.data.map(({ reference }: { reference: string }) => reference),
    );
    expect(references).toEqual(Array.from({ length: 101 }, (_, at) => `r-${100 - at}`));
  });

  test('the list filters by status, type and start time, from inclusive and to exclusive (D45)', async () => {
    const at = (minute: number) => `2026-03-12T07:0${minute}:00.000Z`;
    await sandbox.control.putCollection({ reference: 'two', initiatedAt: at(2), type: 'card' });
    await sandbox.control.putCollection({ reference: 'one', initiatedAt: at(1) });
    await sandbox.control.putCollection({
      reference: 'three',
      initiatedAt: at(3),
      status: 'failed',
      reasonForFailure: 'Card declined',
    });
    const list = async (query: string) =>
      (await client.merchant(`/collections?${query}`)).json.data.map(
        ({ reference }: { reference: string }) => reference,
      );

    expect(await list('')).toEqual(['three', 'two', 'one']);
    expect(await list('status=failed')).toEqual(['three']);
    expect(await list('type=card')).toEqual(['two']);
    expect(await list(`from=${at(1)}&to=${at(3)}`)).toEqual(['two', 'one']);
    expect(await list(`from=${at(2)}&status=successful`)).toEqual(['two']);
    expect(await list(`from=${at(2)}&to=${at(2)}`)).toEqual([]);
    expect(await list('from=2026-03-13')).toEqual([]);
  });

  test.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=1e1',
    'page=01',
    'page=x',
    'page=',
    'page=1&page=2',
    'status=paid',
    'type=bank',
    'from=yesterday',
    'from=2026-13-01',
    'from=2026-03-12&to=2026-03-11',
    'from=2026-03-12&to=1970-01-01',
    'from=2026-02-30',
  ])('the list rejects %s with 400·01 (T64)', async (query) => {
    expect(await client.merchant(`/collections?${query}`)).toMatchObject(rejected(400, '01'));
  });
});

function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, shapeOf(inner)]),
  );
}

function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = '';
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(sandbox.url).port) }, () =>
      socket.write(text),
    );
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('end', () => resolve(response));
    socket.on('error', reject);
  });
}
