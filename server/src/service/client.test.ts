import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { PATIENT } from '../../test/patience.ts';
import type { PaymentsError } from '../errors.ts';
import { collectionResponse, startUpstream, TOKEN } from '../testing/upstream.ts';
import { buildServiceClient, type ServiceClient } from './client.ts';

const REFERENCE = 'ref-1';
const closers: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function clientOf(
  respond: RequestListener,
): Promise<{ client: ServiceClient; calls: string[] }> {
  const upstream = await startUpstream(respond);
  const client = buildServiceClient({ apiUrl: upstream.url, apiToken: TOKEN });
  closers.push(upstream.close, () => client.close());
  return { client, calls: upstream.calls };
}

async function failureOf(client: ServiceClient, reference = REFERENCE): Promise<PaymentsError> {
  return client.verify(reference).then(
    () => expect.unreachable('it responded'),
    (error: PaymentsError) => error,
  );
}

describe('the verify call', () => {
  test('the verify call sends the token as specified and reads the sample response (specification 4.2)', async () => {
    const sample = readFileSync(
      new URL('../../../contract/src/test-data/verify-response.json', import.meta.url),
      'utf8',
    );
    let sent: string | undefined;
    const { client, calls } = await clientOf((req, res) => {
      sent = req.headers.authorization;
      res.end(sample);
    });

    const collection = await client.verify(REFERENCE);

    expect(collection).toEqual({
      reference: 'ref-1',
      status: 'successful',
      amount: '10.00',
      currency: 'ZMW',
      reasonForFailure: null,
      completedAt: '2026-03-12T07:06:15.412Z',
      cardDetails: null,
      mobileMoneyDetails: expect.objectContaining({ operator: 'airtel', phone: '0971111111' }),
    });
    expect(calls).toEqual(['/access/v2/collections/status/ref-1']);
    expect(sent).toBe(`Bearer ${TOKEN}`);
  });

  test.each([
    ['Not enough funds', 'Not enough funds'],
    [51, null],
    [undefined, null],
  ])('the verify call believes a failure whose reason is %j', async (reasonForFailure, reason) => {
    const { client } = await clientOf((req, res) =>
      res.end(collectionResponse(req.url ?? '', { status: 'failed', reasonForFailure })),
    );

    expect(await client.verify(REFERENCE)).toMatchObject({
      status: 'failed',
      reasonForFailure: reason,
    });
  });

  test('the verify call keeps a path of the base address', async () => {
    const upstream = await startUpstream((req, res) => res.end(collectionResponse(req.url ?? '')));
    const client = buildServiceClient({ apiUrl: `${upstream.url}/pay`, apiToken: TOKEN });
    closers.push(upstream.close, () => client.close());

    await client.verify(REFERENCE);

    expect(upstream.calls).toEqual(['/pay/access/v2/collections/status/ref-1']);
  });

  test.each(['.', '..', '../x', 'a?x', 'a#f', '//evil', '', 'a/b', 'a\r\nb', 'é', 'x'.repeat(129)])(
    'the verify call is not made for %j (T95)',
    async (reference) => {
      const { client, calls } = await clientOf((_req, res) => res.end());

      expect(await failureOf(client, reference)).toMatchObject({ reason: 'reference_unusable' });
      expect(calls).toEqual([]);
    },
  );

  test.each(['...', 'a.b', '__proto__', 'constructor', 'x'.repeat(128)])(
    'the verify call is made for %j as it stands (T6)',
    async (reference) => {
      const { client, calls } = await clientOf((req, res) =>
        res.end(collectionResponse(req.url ?? '')),
      );

      expect(await client.verify(reference)).toMatchObject({ reference });
      expect(calls).toEqual([`/access/v2/collections/status/${reference}`]);
    },
  );

  test.each([301, 302, 307])('the verify call follows no redirect: %i (T96)', async (status) => {
    const elsewhere = await startUpstream((_req, res) => res.end());
    closers.push(elsewhere.close);
    const { client } = await clientOf((_req, res) =>
      res.writeHead(status, { location: `${elsewhere.url}/x` }).end(),
    );

    expect(await failureOf(client)).toMatchObject({ reason: 'garbled' });
    expect(elsewhere.calls).toEqual([]);
  });

  test.each([
    ['HTML', '<!doctype html><title>canary</title>'],
    ['nothing', ''],
    ['half', '{"status":true,"data":{"refer'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a byte order mark', `\ufeff${collectionResponse(REFERENCE)}`],
    ['no data', '{"status":true,"message":""}'],
    ['status false', collectionResponse(REFERENCE).replace('true', 'false')],
    ['status as text', collectionResponse(REFERENCE).replace('true', '"true"')],
    ['another reference', collectionResponse('ref-2')],
    ['another case', collectionResponse('REF-1')],
    ...[
      '1e1',
      '10.',
      '-10.00',
      '+10',
      ' 10',
      '10,00',
      '１０.00',
      '10.001',
      '',
      '1'.repeat(400),
    ].map((amount) => [
      `amount ${JSON.stringify(amount.slice(0, 12))}`,
      collectionResponse(REFERENCE, { amount }),
    ]),
    ...[10, null, ['10'], true].map((amount) => [
      `amount ${JSON.stringify(amount)}`,
      collectionResponse(REFERENCE, { amount }),
    ]),
  ] as [string, string][])(
    'the verify call takes 200 with %s for not known yet, and keeps its text to itself (T97, T99)',
    async (_name, body) => {
      const { client } = await clientOf((_req, res) => res.end(body));

      const failure = await failureOf(client);

      expect(failure).toMatchObject({ code: 'not_known_yet', reason: 'garbled' });
      const { message, stack } = failure.cause as Error;
      expect(JSON.stringify([failure.message, message, stack])).not.toContain('canary');
    },
  );

  test('the verify call takes 404·11 for no collection yet, and any other 404 for not known (D35)', async () => {
    const { client } = await clientOf((_req, res) =>
      res.writeHead(404).end('{"status":false,"message":"","errorCode":"11"}'),
    );
    expect(await client.verify(REFERENCE)).toBeUndefined();
    for (const body of [
      '<h1>Not Found</h1>',
      '{"status":false,"message":"","errorCode":"10"}',
      '{"status":false,"message":"","errorCode":11}',
      '{"status":false,"message":""}',
      '{"status":true,"message":"","errorCode":"11"}',
    ]) {
      const { client: lost } = await clientOf((_req, res) => res.writeHead(404).end(body));
      expect(await failureOf(lost), body).toMatchObject({ reason: 'garbled' });
    }
  });

  test.each([400, 402, 403, 405, 410, 451])(
    'the verify call takes %i for not known, though it says what a 404 does: only a 404 means that there is no collection (D35)',
    async (status) => {
      for (const body of ['{"status":false,"message":"","errorCode":"11"}', '']) {
        const { client } = await clientOf((_req, res) => res.writeHead(status).end(body));

        expect(await failureOf(client)).toMatchObject({ reason: 'garbled' });
      }
    },
  );

  test('the verify call does not try a rejected token again (T101, D53)', async () => {
    const { client, calls } = await clientOf((_req, res) =>
      res.writeHead(401).end('{"status":false,"message":"","errorCode":"09"}'),
    );

    expect(await failureOf(client)).toMatchObject({ reason: 'token_refused' });
    expect(calls).toHaveLength(1);
  });

  test('the verify call tries twice more where the service stumbles, and no further', async () => {
    let responses = 0;
    const { client, calls } = await clientOf((req, res) => {
      responses += 1;
      if (responses < 3) res.writeHead(503).end('{}');
      else res.end(collectionResponse(req.url ?? ''));
    });
    const { client: down, calls: downCalls } = await clientOf((_req, res) =>
      res.writeHead(500).end('oops'),
    );

    expect(await client.verify(REFERENCE)).toMatchObject({ status: 'successful' });
    expect(calls).toHaveLength(3);
    expect(await failureOf(down)).toMatchObject({ reason: 'busy' });
    expect(downCalls).toHaveLength(3);
  });

  test('the verify call remembers how the last call that was made went, and none that was not made', async () => {
    let status = 200;
    const { client } = await clientOf((req, res) =>
      res.writeHead(status).end(collectionResponse(req.url ?? '')),
    );
    const standings: string[] = [];
    await failureOf(client, '..');
    standings.push(client.lastCall);
    for (status of [200, 503, 401]) {
      await client.verify(REFERENCE).catch(() => {});
      standings.push(client.lastCall);
    }

    expect(standings).toEqual(['unknown', 'reachable', 'unreachable', 'token-refused']);
  });

  test.concurrent.each([
    ['3600', 3600],
    ['99999999999', 86_400],
    ['Fri, 01 Jan 2100 00:00:00 GMT', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['soon', undefined],
    ['1e3', undefined],
    ['Thu, 01 Jan 2015 00:00:00 GMT', undefined],
  ])(
    'the verify call hands Retry-After %s on to be planned instead of sleeping on it (T103)',
    async (header, seconds) => {
      const upstream = await startUpstream((_req, res) =>
        res.writeHead(429, { 'retry-after': header }).end(),
      );
      const client = buildServiceClient({
        apiUrl: upstream.url,
        apiToken: TOKEN,
      });
      closers.push(upstream.close, () => client.close());

      expect(await failureOf(client)).toMatchObject(
        seconds ? { reason: 'told_to_wait', retryAfterSeconds: seconds } : { reason: 'busy' },
      );
      expect(upstream.calls.length).toBe(seconds ? 1 : 3);
    },
  );

  test('the verify call spends at most a fifth more calls than were requested, however the service fails (F6)', async () => {
    const { client, calls } = await clientOf((req) => req.socket.destroy());
    const requested = 400;

    await Promise.all(Array.from({ length: requested }, () => failureOf(client)));

    expect(calls.length).toBeLessThanOrEqual(requested * 1.2);
  });

  test('the verify call fails at once while the circuit is open, is tried again when it may close, and names the state of the circuit (F6)', async () => {
    let isDown = true;
    const upstream = await startUpstream((req, res) =>
      isDown ? res.writeHead(503).end() : res.end(collectionResponse(req.url ?? '')),
    );
    const client = buildServiceClient({ apiUrl: upstream.url, apiToken: TOKEN });
    closers.push(upstream.close, () => client.close());
    const states = [client.circuit];

    await Promise.all(Array.from({ length: 5 }, () => failureOf(client)));
    states.push(client.circuit);
    const callsUntilOpen = upstream.calls.length;
    expect(await failureOf(client)).toMatchObject({ reason: 'unreachable', retryAfterSeconds: 2 });
    expect(upstream.calls).toHaveLength(callsUntilOpen);

    await vi.waitFor(() => expect(client.circuit).toBe('half-open'), PATIENT);
    states.push(client.circuit);
    isDown = false;
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => client.verify(`ref-${at}`)),
    );
    states.push(client.circuit);

    expect(responses.map((response) => response?.reference)).toEqual(
      Array.from({ length: 20 }, (_, at) => `ref-${at}`),
    );
    expect(states).toEqual(['closed', 'open', 'half-open', 'closed']);
  });

  test.each([
    [401, '{"status":false,"message":"","errorCode":"09"}', 'token_refused'],
    [401, '{"status":false,"message":"","errorCode":"13"}', 'token_refused'],
    [200, '<!doctype html>', 'garbled'],
    [404, '{"status":false,"message":"","errorCode":"11"}', undefined],
  ])(
    'a response of %i %s opens no circuit: the service is there (D53)',
    async (status, body, code) => {
      const { client, calls } = await clientOf((_req, res) => res.writeHead(status).end(body));

      const ends = await Promise.all(
        Array.from({ length: 30 }, () =>
          client.verify(REFERENCE).catch((error: PaymentsError) => error.reason),
        ),
      );

      expect(new Set(ends)).toEqual(new Set([code]));
      expect([calls.length, client.circuit]).toEqual([30, 'closed']);
    },
  );
});
