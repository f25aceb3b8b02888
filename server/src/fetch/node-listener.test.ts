import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { PATIENT } from '../../test/patience.ts';
import { PaymentsError } from '../errors.ts';
import { readJson, toNodeListener } from './index.ts';

type Handle = Parameters<typeof toNodeListener>[0];

/** Serves a function, and returns the server's address. */
async function serve(handle: Handle, mount = (listener: RequestListener) => listener) {
  const server = createServer(mount(toNodeListener(handle))).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true), PATIENT);
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(url: string, bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

/** Sends bytes, and returns all that comes back until the connection is closed. */
const exchange = async (url: string, bytes: string) => text(await open(url, bytes));

const CLOSE = 'connection: close\r\n';

describe('a request to a Node listener', () => {
  const describeRequest: Handle = async (request) => {
    const { method, url, headers } = request;
    return Response.json({ method, url, headers: [...headers], body: await request.text() });
  };

  test('a request to a Node listener arrives with its method, address, headers and the exact bytes of its body', async () => {
    const url = await serve(describeRequest);
    const headers = 'host: shop.example\r\ncookie: a=1\r\ncookie: b=2\r\nx-two: 1\r\nx-two: 2\r\n';
    const body = '{"caf\u00e9": 1}\n';

    const response = await exchange(
      url,
      `PUT /a//b?c=%20d HTTP/1.1\r\n${headers}${CLOSE}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );

    expect(
      JSON.parse(response.slice(response.indexOf('{'), response.lastIndexOf('}') + 1)),
    ).toEqual({
      method: 'PUT',
      url: 'http://shop.example/a//b?c=%20d',
      headers: expect.arrayContaining([
        ['cookie', 'a=1; b=2'],
        ['x-two', '1, 2'],
      ]),
      body,
    });
  });

  test.each([
    [
      'two slashes at its start',
      'GET //evil.example/x',
      'shop.example',
      'http://shop.example//evil.example/x',
    ],
    ['a whole address', 'GET http://proxied.example/x', 'shop.example', 'http://proxied.example/x'],
    ['a path among its headers', 'GET /x', 'shop.example/webhooks?', 'http://shop.example/x'],
    ['no host that can be read', 'GET /x', 'a b', 'http://localhost/x'],
  ])('a request to a Node listener with %s keeps its own path', async (_what, line, host, url) => {
    const shop = await serve(({ url }) => new Response(url));

    const response = await exchange(shop, `${line} HTTP/1.1\r\nhost: ${host}\r\n${CLOSE}\r\n`);

    expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(response).toContain(`\r\n${url}\r\n`);
  });

  test.each([
    ['method', 'TRACE /x'],
    ['address', 'OPTIONS *'],
  ])('a request to a Node listener whose %s no Request can have is 400', async (_what, line) => {
    const url = await serve(describeRequest);

    expect(await exchange(url, `${line} HTTP/1.1\r\nhost: x\r\n${CLOSE}\r\n`)).toMatch(
      /^HTTP\/1\.1 400 .*"errorCode":"01"/s,
    );
  });

  test('a request to a Node listener keeps its path below a path of Express', async () => {
    const url = await serve(
      ({ url }) => new Response(new URL(url).pathname),
      (listener) => express().use('/shop', listener),
    );

    expect(await (await fetch(`${url}/shop/api/orders`)).text()).toBe('/shop/api/orders');
  });

  test.each([
    ['text', (request: Request) => request.text()],
    ['readJson', (request: Request, host: object) => readJson(request, host)],
  ])(
    'a request to a Node listener may have a body of 64 kB, and is 413 with more, read with %s',
    async (_how, read) => {
      const url = await serve(async (request, host) => Response.json(await read(request, host)));
      const post = (length: number) => {
        const headers = { 'content-type': 'application/json' };
        return fetch(url, { method: 'POST', headers, body: `"${'x'.repeat(length - 2)}"` });
      };

      expect((await post(64 * 1024)).status).toBe(200);
      const large = await post(64 * 1024 + 1);
      expect([large.status, await large.json()]).toMatchObject([413, { errorCode: '01' }]);
    },
  );

  test('a request to a Node listener of another type is 415 for readJson, and of broken JSON 400', async () => {
    const url = await serve(async (request, host) => Response.json(await readJson(request, host)));
    const post = async (type: string, body: string) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      return response.status;
    };

    expect(await post('text/plain', '{}')).toBe(415);
    expect(await post('application/json', '{')).toBe(400);
    expect(await post('application/json', '{}')).toBe(200);
  });
});

describe('a response of a Node listener', () => {
  test('a response of a Node listener has its status, every cookie and its bytes', async () => {
    const headers = new Headers({ 'x-own': 'yes' });
    headers.append('set-cookie', 'a=1');
    headers.append('set-cookie', 'b=2');
    const url = await serve(() => new Response('made', { status: 201, headers }));

    const {
      status,
      headers: got,
      ...rest
    } = await fetch(url).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }));

    expect([status, got.get('x-own'), got.getSetCookie(), rest.text]).toEqual([
      201,
      'yes',
      ['a=1', 'b=2'],
      'made',
    ]);
  });

  test('a response of a Node listener is made only as fast as it is read, and ends when the client leaves', async () => {
    const isCancelled = Promise.withResolvers<void>();
    const isAborted = Promise.withResolvers<void>();
    let made = 0;
    const url = await serve(({ signal }) => {
      signal.addEventListener('abort', () => isAborted.resolve());
      const pull = (controller: ReadableStreamDefaultController) => {
        made += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      };
      return new Response(new ReadableStream({ pull, cancel: () => isCancelled.resolve() }));
    });
    const reader = await open(url, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    reader.pause();

    let before = -1;
    await vi.waitFor(
      () => {
        const now = made;
        const isStill = now > 0 && now === before;
        before = now;
        expect(isStill).toBe(true);
      },
      { ...PATIENT, interval: 300 },
    );
    expect(made * 64 * 1024).toBeLessThan(32 * 1024 * 1024); // what the system buffers
    reader.destroy();

    await Promise.all([isCancelled.promise, isAborted.promise]);
  });

  test('a response of a Node listener is not begun for a client that has left, and its stream ends', async () => {
    const isCancelled = Promise.withResolvers<void>();
    const isCalled = Promise.withResolvers<void>();
    const url = await serve(async ({ signal }) => {
      isCalled.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return new Response(new ReadableStream({ cancel: () => isCancelled.resolve() }));
    });
    const client = await open(url, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await isCalled.promise;

    client.destroy();

    await isCancelled.promise;
  });

  test.each([
    ['throws', () => Promise.reject(new Error('of the shop')), 500],
    ['returns nothing', () => undefined as unknown as Response, 500],
    [
      'fails with an error of the package',
      () => Promise.reject(new PaymentsError('order_not_found', 'None.')),
      404,
    ],
  ])(
    'a response of a Node listener is an error if the function %s, and the next request is served',
    async (_what, fail, status) => {
      const print = vi.spyOn(console, 'error').mockImplementation(() => {});
      onTestFinished(() => print.mockRestore());
      const url = await serve(({ url }) =>
        url.endsWith('/fails') ? fail() : new Response('well'),
      );

      const failed = await fetch(`${url}/fails`);

      expect([failed.status, await failed.json()]).toMatchObject([status, { status: false }]);
      expect(print).toHaveBeenCalledTimes(status === 500 ? 1 : 0);
      expect(await (await fetch(url)).text()).toBe('well');
    },
  );
});
