import { ERROR_CODES } from '@service-pay/contract/envelope';
import { type Sandbox, startSandbox } from '@service-pay/sandbox';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Call, ERROR_ROWS } from './error-docs.ts';

const WAYS = ERROR_ROWS.flatMap(({ codes, triggers }) =>
  codes.flatMap((code) =>
    triggers(code).map((trigger) => ({
      code,
      ...trigger,
      title: `${code} · ${trigger.httpStatus}: ${trigger.words}`,
    })),
  ),
);

test('each of the thirteen codes has a way to it, and each status that a row names', () => {
  expect([...new Set(WAYS.map(({ code }) => code))].sort()).toEqual(
    Object.keys(ERROR_CODES).sort(),
  );
  for (const { codes, http, triggers } of ERROR_ROWS) {
    expect([...new Set(triggers(codes[0]!).map(({ httpStatus }) => httpStatus))].sort()).toEqual(
      http.split(', ').map(Number).sort(),
    );
  }
});

describe('the sandbox responds as the page says', () => {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());
  beforeEach(() => sandbox.control.reset());

  test.each(WAYS)(
    'the sandbox responds as docs/errors.md says: $title',
    async ({ code, httpStatus, calls }) => {
      let session = '';
      for (const [at, call] of calls.entries()) {
        const { status, json, retryAfter } = await send(call, session);
        session = json.data?.token ?? session;
        if (at < calls.length - 1) {
          expect(status).toBeLessThan(300);
          continue;
        }
        expect({ status, body: json }).toMatchObject({
          status: httpStatus,
          body: { status: false, errorCode: code },
        });
        expect(retryAfter !== undefined).toBe(status === 503 || status === 429);
      }
    },
  );

  async function send({ method, path, token, headers, body }: Call, session: string) {
    const response = await request(sandbox.url + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token === 'api' ? 'sec_sandbox_demo' : session}` }),
        ...headers,
      },
      body: body ? JSON.stringify(body) : null,
    });
    return {
      status: response.statusCode,
      json: (await response.body.json()) as any,
      retryAfter: response.headers['retry-after'],
    };
  }
});
