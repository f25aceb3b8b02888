import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Builds the response to a verify call. */
export type Respond = (reference: string) => { status?: number; body: unknown };

const PAID = { status: 'successful', amount: '92.50', currency: 'ZMW' };

export function paid(change: object = {}, envelope: object = {}): Respond {
  return (reference) => ({
    body: { status: true, message: '', data: { reference, ...PAID, ...change }, ...envelope },
  });
}

/** Responses that mean neither paid nor failed, beside those of `check-shop`. */
export const NOT_KNOWN: Record<string, Respond> = {
  'an envelope that says false': paid({}, { status: false }),
  'an envelope that says "true" as text': paid({}, { status: 'true' }),
  'an envelope without a status': paid({}, { status: undefined }),
  'a failure in an envelope that says false': paid({ status: 'failed' }, { status: false }),
  'no reference': paid({ reference: undefined }),
  'no currency': paid({ currency: undefined }),
  'an amount that is larger by less than a cent': paid({ amount: '92.504' }),
  'an amount that is no number': paid({ amount: 'a lot' }),
  'an amount that is a list': paid({ amount: ['92.50'] }),
  'an amount that is no comparable number': paid({ amount: 'sNaN' }),
  'no amount': paid({ amount: undefined }),
  'another status': paid({ status: 'SUCCESSFUL' }),
  'no data': paid({}, { data: null }),
  'data that is a list': paid({}, { data: [PAID] }),
  'no object': () => ({ body: ['paid'] }),
  null: () => ({ body: null }),
  'no JSON': () => ({ body: Buffer.from('<html>') }),
  nothing: () => ({ body: Buffer.alloc(0) }),
  'a success with status 500': (reference) => ({ ...paid()(reference), status: 500 }),
  'no such collection, before the first attempt': () => ({
    status: 404,
    body: { status: false, message: 'Resource not found.', errorCode: '11' },
  }),
  'that it rejects the token': () => ({
    status: 401,
    body: { status: false, message: 'Unauthorized.', errorCode: '09' },
  }),
};

/** Starts a payment service that says what `respond` returns. */
export async function startStandIn() {
  const server = createServer(({ url = '' }, response) => {
    const { status = 200, body } = service.respond(url.replace(/^.*\//, ''));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const service = {
    port: `${port}`,
    respond: paid(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}
