import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer, globalAgent } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PaymentsError } from '../errors.ts';
import { collectionResponse, TOKEN } from '../testing/upstream.ts';
import { buildServiceClient } from './client.ts';

function readPem(name: string): string {
  return readFileSync(new URL(`../../test/data/tls/${name}.pem`, import.meta.url), 'utf8');
}

const usual = getCACertificates('default');
const withoutProxy = globalAgent.options.proxyEnv;

beforeAll(() => setDefaultCACertificates([...usual, readPem('authority')]));
afterAll(() => setDefaultCACertificates(usual));
afterEach(() => {
  globalAgent.options.proxyEnv = withoutProxy;
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

function startSecureService(certificate: string): Promise<number> {
  return listen(
    createSecureServer({ key: readPem('key'), cert: readPem(certificate) }, (req, res) =>
      res.end(collectionResponse(req.url!)),
    ),
  );
}

/** Starts a proxy that connects to this machine for every host. */
async function startProxy(rejectWith?: string): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const proxy = createServer((req, res) => {
    requests.push(`${req.method} ${req.url}`);
    res.end(collectionResponse(req.url!));
  });
  proxy.on('connect', (req, socket) => {
    requests.push(`CONNECT ${req.url}`);
    if (rejectWith) return void socket.end(`HTTP/1.1 ${rejectWith}\r\n\r\n`);
    const through = connect(Number(req.url!.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    for (const one of [through, socket]) one.on('error', () => {});
  });
  return { url: `http://127.0.0.1:${await listen(proxy)}`, requests };
}

async function verify(apiUrl: string): Promise<string> {
  const client = buildServiceClient({ apiUrl, apiToken: TOKEN });
  try {
    return (await client.verify('ref'))?.status ?? 'none';
  } catch (error) {
    return ((error as PaymentsError).cause as Error).message;
  } finally {
    await client.close();
  }
}

describe('a connection that fails says why and what to do (T133):', () => {
  test.each([
    ['expired', /CERT_HAS_EXPIRED: its certificate has expired/],
    ['other-host', /ERR_TLS_CERT_ALTNAME_INVALID: its certificate is for another host/],
    ['self-signed', /DEPTH_ZERO_SELF_SIGNED_CERT: .*not trusted.* NODE_EXTRA_CA_CERTS/],
  ])('a certificate that is %s', async (certificate, words) => {
    expect(await verify(`https://localhost:${await startSecureService(certificate)}`)).toMatch(
      words,
    );
  });

  test('a certificate of an authority that is not known here', async () => {
    setDefaultCACertificates(usual);
    const port = await startSecureService('sound');

    expect(await verify(`https://localhost:${port}`)).toMatch(
      /UNABLE_TO_VERIFY_LEAF_SIGNATURE: .*not trusted.* NODE_EXTRA_CA_CERTS/,
    );
    setDefaultCACertificates([...usual, readPem('authority')]);
  });

  test('an unknown host, a port where nothing listens, and one without TLS', async () => {
    const plain = await listen(createServer((_req, res) => res.end()));

    expect(await verify('https://pay.invalid')).toMatch(
      /(?:ENOTFOUND|EAI_AGAIN): the host is not known.* HTTPS_PROXY, and NODE_USE_ENV_PROXY=1/,
    );
    expect(await verify('http://127.0.0.1:9')).toMatch(/ECONNREFUSED: nothing listens there/);
    expect(await verify(`https://localhost:${plain}`)).toMatch(/: it does not speak TLS there/);
  });
});

describe('the proxy of the environment (T133)', () => {
  test('the proxy of the environment is used for the service, through a tunnel over TLS', async () => {
    const port = await startSecureService('sound');
    const { url, requests } = await startProxy();
    globalAgent.options.proxyEnv = { HTTPS_PROXY: url };

    expect(await verify(`https://localhost:${port}`)).toBe('successful');
    expect(requests).toEqual([`CONNECT localhost:${port}`]);
  });

  test('the proxy of the environment may be one for plain http', async () => {
    const { url, requests } = await startProxy();
    globalAgent.options.proxyEnv = { HTTP_PROXY: url };

    expect(await verify('http://service.test')).toBe('successful');
    expect(requests.join()).toContain('service.test');
  });

  test('the proxy of the environment is not used for a host of NO_PROXY', async () => {
    const port = await startSecureService('sound');
    const { url, requests } = await startProxy();
    globalAgent.options.proxyEnv = { https_proxy: url, no_proxy: 'localhost' };

    expect(await verify(`https://localhost:${port}`)).toBe('successful');
    expect(requests).toEqual([]);
  });

  test('the proxy of the environment is named if it rejects a request, and no certificate is believed because of it', async () => {
    const rejecting = await startProxy('407 Proxy Authentication Required');
    globalAgent.options.proxyEnv = { HTTPS_PROXY: rejecting.url };
    expect(await verify('https://service.test')).toMatch(/the proxy of HTTPS_PROXY.* with 407/);

    const port = await startSecureService('self-signed');
    globalAgent.options.proxyEnv = { HTTPS_PROXY: (await startProxy()).url };
    expect(await verify(`https://localhost:${port}`)).toMatch(/DEPTH_ZERO_SELF_SIGNED_CERT/);
  });
});
