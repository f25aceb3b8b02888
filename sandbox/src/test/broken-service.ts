import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { readJson } from '../check/responses.ts';

/** A call on its way to the service, or a response on its way back. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export interface ProxiedResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** JSON of any shape: faults change what no schema allows. */
type Json = any;

type Next = (call: Call) => Promise<ProxiedResponse>;

/** Makes one fault of a service from a service without. */
export type Fault = (call: Call, next: Next) => Promise<ProxiedResponse>;

/** Starts a service that behaves like the one at `url` but for the fault. */
export async function startBrokenService(url: string, fault: Fault) {
  const forward: Next = async ({ method, path, headers, body }) => {
    const response = await fetch(url + path, {
      method,
      headers: Object.entries(headers).filter(([, value]) => value !== ''),
      redirect: 'manual',
      ...(body.length && { body: new Uint8Array(body) }),
    });
    const kept = [...response.headers].filter(([name]) => !HOP_BY_HOP.has(name));
    return {
      status: response.status,
      headers: Object.fromEntries(kept),
      body: Buffer.from(await response.arrayBuffer()),
    };
  };
  const server = createServer(async (req, res) => {
    const call = {
      method: req.method!,
      path: req.url!,
      // the browser of a form names its own service
      headers: withOrigin(pick(req), `http://${req.headers.host}`, url),
      body: await buffer(req),
    };
    const { status, headers, body } = await fault(call, forward);
    res.writeHead(status, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'content-encoding',
]);
const PASSED_ON = ['authorization', 'content-type', 'origin', 'sec-fetch-site'];

function pick(req: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => (req.headers[name] ? [[name, `${req.headers[name]}`]] : [])),
  );
}

function withOrigin(headers: Record<string, string>, own: string, url: string) {
  return headers['origin'] === own ? { ...headers, origin: url } : headers;
}

/** Changes the responses of the calls that match. */
export function withResponse(
  pattern: RegExp,
  change: (response: ProxiedResponse, call: Call) => ProxiedResponse,
): Fault {
  return async (call, next) => {
    const response = await next(call);
    return isCall(call, pattern) ? change(response, call) : response;
  };
}

/** Changes what arrives of the calls that match. */
export function receiving(pattern: RegExp, change: (call: Call) => Call): Fault {
  return (call, next) => next(isCall(call, pattern) ? change(call) : call);
}

/** Changes a header of the responses of the calls that match; null removes it. */
export function withHeader(
  pattern: RegExp,
  name: string,
  change: string | null | ((value: string, call: Call) => string),
): Fault {
  return withResponse(pattern, (response, call) => {
    const { [name]: old = '', ...headers } = response.headers;
    const value = typeof change === 'function' ? change(old, call) : change;
    return { ...response, headers: value === null ? headers : { ...headers, [name]: value } };
  });
}

/** Changes the data of the responses that worked. */
export function withData(pattern: RegExp, change: (data: Json, call: Call) => Json): Fault {
  return withResponse(pattern, (response, call) => {
    if (response.status >= 400) return response;
    const { data, ...rest } = JSON.parse(`${response.body}`);
    return withBody(response, { ...rest, data: change(data, call) });
  });
}

/** Changes the session in the responses of the calls that match. */
export function withSession(pattern: RegExp, change: (session: Json, call: Call) => Json): Fault {
  return withData(pattern, (data, call) =>
    data.session ? { ...data, session: change(data.session, call) } : change(data, call),
  );
}

/** Changes the attempt in the responses of the calls that match. */
export function withAttempt(pattern: RegExp, change: (attempt: Json, call: Call) => Json): Fault {
  return withSession(pattern, (session, call) => ({
    ...session,
    attempt: session.attempt && change(session.attempt, call),
  }));
}

/** Rejects calls that match with another error, if `isMeant`. */
export function failing(
  pattern: RegExp,
  error: string,
  isMeant: (call: Call, response: ProxiedResponse) => boolean = () => true,
): Fault {
  return withResponse(pattern, (response, call) =>
    isMeant(call, response) ? errorOf(error) : response,
  );
}

/** Returns an error such as `400·04`. */
export function errorOf(error: string): ProxiedResponse {
  const [status, errorCode] = error.split('·');
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  const empty = { status: Number(status), headers, body: Buffer.alloc(0) };
  return withBody(empty, { status: false, message: 'No.', errorCode });
}

export function isCall({ method, path }: Call, pattern: RegExp): boolean {
  return pattern.test(`${method} ${path}`);
}

export function tokenOf({ headers }: Call): string | undefined {
  return headers['authorization']?.slice('Bearer '.length);
}

export function withToken(call: Call, token: string): Call {
  return { ...call, headers: { ...call.headers, authorization: `Bearer ${token}` } };
}

export function withBody<Message extends Call | ProxiedResponse>(
  message: Message,
  json: Json,
): Message {
  return { ...message, body: Buffer.from(JSON.stringify(json)) };
}

/** Returns the JSON of a body; that of any other is empty. */
export function jsonOf({ body }: Call | ProxiedResponse): Json {
  return readJson(`${body}`) ?? {};
}
