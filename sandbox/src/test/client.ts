import { randomUUID } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { CHECKOUT_PATHS, type Session } from '@service-pay/contract/checkout-api';

import { expect } from 'vitest';

import type { Sandbox } from '../app/start.ts';

export interface CallResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: any;
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string | string[]>;
}

export interface Visitor {
  token: string;
  session: Session;
}

export const pay = {
  card: (number: string, more: object = {}) => ({
    id: randomUUID(),
    channel: 'card',
    card: { number, expiry: '12/34', securityCode: '123', name: 'Ada Test' },
    ...more,
  }),
  phone: (phone: string, operator: string) => ({
    id: randomUUID(),
    channel: 'mobile-money',
    mobileMoney: { operator, phone },
  }),
};

export const PRINTED_ERROR = /^console\.error\("ServicePay: [^\n]+\."\);\n$/;

export const problemsOf = (response: CallResponse) =>
  response.json.data?.problems?.map(
    ({ path, code }: { path: string; code: string }) => `${path} ${code}`,
  );

/** Calls a sandbox over HTTP. Paths are sent as given, dots included. */
export class TestClient {
  readonly #sandbox: () => Pick<Sandbox, 'url'>;

  constructor(sandbox: () => Pick<Sandbox, 'url'>) {
    this.#sandbox = sandbox;
  }

  async call(
    path: string,
    { method = 'GET', body, headers = {} }: CallOptions = {},
  ): Promise<CallResponse> {
    const isText = typeof body === 'string';
    const content = body === undefined ? undefined : isText ? body : JSON.stringify(body);
    const { hostname, port } = new URL(this.#sandbox().url);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(
        {
          hostname,
          port,
          path,
          method,
          headers: {
            ...(content !== undefined && { 'content-length': Buffer.byteLength(content) }),
            ...(body !== undefined && !isText && { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        resolve,
      );
      sent.on('error', reject);
      sent.end(content);
    });
    const text = await readText(response);
    const isJson =
      text !== '' && `${response.headers['content-type']}`.startsWith('application/json');
    return {
      status: response.statusCode!,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  merchant(path: string, apiToken = 'sec_sandbox_demo'): Promise<CallResponse> {
    return this.call(`/access/v2${path}`, { headers: { authorization: `Bearer ${apiToken}` } });
  }

  control(method: string, path: string, body?: unknown): Promise<CallResponse> {
    return this.call(`/_sandbox${path}`, { method, ...(body !== undefined && { body }) });
  }

  async collection(reference: string): Promise<any> {
    return (await this.merchant(`/collections/status/${reference}`)).json.data;
  }

  openSession(reference: string, more: object = {}, token?: string): Promise<CallResponse> {
    return this.call('/checkout/v1/sessions', {
      method: 'POST',
      body: {
        key: 'pub_sandbox_demo',
        email: 'ada@shop.example',
        reference,
        amount: '10.00',
        ...more,
      },
      headers: token ? { authorization: `Bearer ${token}` } : {},
    });
  }

  async visit(reference: string, more: object = {}, token?: string): Promise<Visitor> {
    return (await this.openSession(reference, more, token)).json.data;
  }

  attempt({ token }: { token: string }, body: object): Promise<CallResponse> {
    return this.call('/checkout/v1/sessions/current/attempts', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}` },
    });
  }

  enterCode({ token }: { token: string }, attemptId: string, code: unknown): Promise<CallResponse> {
    return this.call(`/checkout/v1/sessions/current/attempts/${attemptId}/one-time-code`, {
      method: 'POST',
      body: { code },
      headers: { authorization: `Bearer ${token}` },
    });
  }

  withdraw({ token }: { token: string }, attemptId: string): Promise<CallResponse> {
    return this.call(`/checkout/v1/sessions/current/attempts/${attemptId}/withdrawal`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
  }

  extend({ token }: { token: string }): Promise<CallResponse> {
    return this.call(CHECKOUT_PATHS.extension, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
  }

  look({ token }: { token: string }): Promise<CallResponse> {
    return this.call('/checkout/v1/sessions/current', {
      headers: { authorization: `Bearer ${token}` },
    });
  }
}

export function rejected(status: number, errorCode: string): object {
  return { status, json: { status: false, errorCode, message: expect.stringMatching(/./) } };
}

/** The same for any path: where pages load scripts, an error is one that prints its message. */
export function rejectedAt(path: string, status: number, errorCode: string): object {
  return path.startsWith('/js/') && !path.endsWith('.json')
    ? { status, text: expect.stringMatching(PRINTED_ERROR) }
    : rejected(status, errorCode);
}
