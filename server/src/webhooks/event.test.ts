import { signWebhook } from '@service-pay/contract/webhook-signature';
import { expect, test } from 'vitest';
import { getCollection } from '../service/client.ts';
import { collectionResponse, startUpstream, TOKEN } from '../testing/upstream.ts';
import { verifyWebhook } from './event.ts';

const BODY = Buffer.from('{"event":"collection.successful","data":{"reference":"r-1"}}');
const NO_TEXT = Buffer.concat([Buffer.from('{"event":"'), Buffer.of(0xff), Buffer.from('"}')]);
const LONG = Buffer.from(JSON.stringify({ event: 'e'.repeat(201) }));
const signed = (token: string, body = BODY) => ({
  'x-servicepay-signature': signWebhook(body, token),
});

test('a webhook is verified without a database, by the token in use or the one before (D41)', () => {
  const event = { event: 'collection.successful', reference: 'r-1' };

  expect(verifyWebhook(BODY, signed(TOKEN), [TOKEN])).toEqual(event);
  expect(verifyWebhook(BODY, signed('sec_before'), [TOKEN, 'sec_before'])).toEqual(event);
});

test('a webhook is verified as text, and with headers in any form', () => {
  const { 'x-servicepay-signature': signature } = signed(TOKEN);
  const event = { event: 'collection.successful', reference: 'r-1' };

  const asEntries = new Map(Object.entries(signed(TOKEN)));
  const asObject = { 'X-ServicePay-Signature': signature };
  for (const headers of [new Headers(signed(TOKEN)), asEntries, asObject])
    expect(verifyWebhook(`${BODY}`, headers, [TOKEN])).toEqual(event);
  expect(() =>
    verifyWebhook(BODY, { ...signed(TOKEN), 'X-ServicePay-Signature': signature }, [TOKEN]),
  ).toThrow('must be the signature of the raw body');
});

test('a body that was parsed, or one token in place of a list, says what to pass', () => {
  expect(() => verifyWebhook({} as never, signed(TOKEN), [TOKEN])).toThrow('rawBody must be');
  expect(() => verifyWebhook(BODY, signed(TOKEN), TOKEN as never)).toThrow(
    'tokens must be an array',
  );
});

test.each([
  ['signed with another token', BODY, signed('sec_other'), 'signature_invalid'],
  ['changed on the way', Buffer.from(`${BODY} `), signed(TOKEN), 'signature_invalid'],
  ['without a signature', BODY, {}, 'signature_invalid'],
  ['that is not UTF-8', NO_TEXT, signed(TOKEN, NO_TEXT), 'invalid_request'],
  ['with an event of 201 characters', LONG, signed(TOKEN, LONG), 'invalid_request'],
  ['that is no event', Buffer.from('[]'), signed(TOKEN, Buffer.from('[]')), 'invalid_request'],
])('a webhook %s is rejected (T81)', (_what, body, headers, code) => {
  expect(() => verifyWebhook(body, headers, [TOKEN])).toThrow(expect.objectContaining({ code }));
});

test.each([7, '..', 'a b', '\0', 'x'.repeat(129), undefined])(
  'a webhook whose reference is %j refers to no payment (T88)',
  (reference) => {
    const body = Buffer.from(JSON.stringify({ event: 'e', data: { reference } }));

    expect(verifyWebhook(body, signed(TOKEN, body), [TOKEN])).toMatchObject({ reference: null });
  },
);

test('a collection is read without a database; no response is not known yet (D52)', async () => {
  const service = await startUpstream((req, res) => res.end(collectionResponse(req.url!)));
  const settings = { apiUrl: service.url, apiToken: TOKEN };

  const found = await getCollection('r-1', settings);
  await service.close();

  expect(found).toMatchObject({ reference: 'r-1', status: 'successful', amount: '92.50' });
  await expect(getCollection('r-1', settings)).rejects.toMatchObject({
    code: 'not_known_yet',
    httpStatus: 503,
  });
});
