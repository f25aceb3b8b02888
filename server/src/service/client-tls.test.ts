import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaymentsError } from '../errors.ts';
import { collectionResponse, TOKEN } from '../testing/upstream.ts';
import { buildServiceClient } from './client.ts';

/**
 * Made once, sound from 2020 to 2120, by an authority whose key is thrown away. `key.pem` is the
 * key of all of them.
 */
function readPem(name: string): string {
  return readFileSync(new URL(`../../test/data/tls/${name}.pem`, import.meta.url), 'utf8');
}

const usual = getCACertificates('default');

beforeAll(() => setDefaultCACertificates([...usual, readPem('authority')]));
afterAll(() => setDefaultCACertificates(usual));

async function verifyOver(certificate: string, { allowHTTP1 = true, hostname = 'localhost' } = {}) {
  const versions: string[] = [];
  const tokens: (string | undefined)[] = [];
  const server = createSecureServer(
    { key: readPem('key'), cert: readPem(certificate), allowHTTP1 },
    (req, res) => {
      versions.push(req.httpVersion);
      tokens.push(req.headers.authorization);
      res.end(collectionResponse(req.url));
    },
  );
  server.on('sessionError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = buildServiceClient({
    apiUrl: `https://${hostname}:${(server.address() as AddressInfo).port}`,
    apiToken: TOKEN,
  });
  try {
    const end = await client.verify('ref').then(
      (collection) => collection?.status,
      (error: PaymentsError) => error.reason,
    );
    return { end, versions, tokens };
  } finally {
    await client.close();
    await new Promise((resolve) => void server.close(resolve));
  }
}

describe('the verify call over TLS', () => {
  test('the verify call over TLS succeeds where the certificate is sound, over HTTP/1.1 also where the service offers HTTP/2 (T105)', async () => {
    expect(await verifyOver('sound')).toEqual({
      end: 'successful',
      versions: ['1.1'],
      tokens: [`Bearer ${TOKEN}`],
    });
  });

  test.each(['expired', 'other-host', 'self-signed'])(
    'the verify call over TLS is not made where the certificate is %s: no token leaves (T105)',
    async (certificate) => {
      expect(await verifyOver(certificate)).toEqual({
        end: 'unreachable',
        versions: [],
        tokens: [],
      });
    },
  );

  test('the verify call over TLS is not made to an address the certificate does not name (T105)', async () => {
    expect(await verifyOver('sound', { hostname: '127.0.0.1' })).toMatchObject({
      end: 'unreachable',
      tokens: [],
    });
  });

  test('the verify call over TLS is not known yet where the service speaks HTTP/2 alone (T105)', async () => {
    expect(await verifyOver('sound', { allowHTTP1: false })).toEqual({
      end: 'unreachable',
      versions: [],
      tokens: [],
    });
  });
});
