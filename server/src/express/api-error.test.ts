import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import SqliteFile from 'better-sqlite3';
import express from 'express';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { TestBrowser } from '../../test/shop.ts';
import { buildLog } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { realClock } from '../support/clock.ts';
import { errorHandler } from './errors.ts';
import { logRequests } from './request-lines.ts';

const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function responseTo(
  thrown: unknown,
): Promise<{ response: Awaited<ReturnType<TestBrowser['get']>>; lines: string[] }> {
  const lines: string[] = [];
  const log = buildLog(
    {
      logLevel: 'debug',
      apiToken: 'sec_canary_token',
      previousApiToken: undefined,
      sessionSecret: 'canary-session-secret-0123456789',
    },
    { write: (line) => void lines.push(line) },
  );
  const app = express();
  app.use(logRequests({ counters: new Metrics(), clock: realClock, log }), (_req, res) => {
    res.locals.requestId = 'the-request';
    throw thrown;
  });
  app.use(errorHandler);
  const server = createServer(app).listen(0, '127.0.0.1');
  closers.push(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const response = await new TestBrowser(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  ).get('/');
  return { response, lines };
}

test('what nobody foresaw is 500·10 with a request id, and neither response nor log holds a secret (T77)', async () => {
  const secret = 'sec_canary_token 4242424242424242 postgres://u:canary-password@db';

  const { response, lines } = await responseTo(new Error(secret, { cause: new Error(secret) }));

  expect(response).toMatchObject({
    status: 500,
    json: { status: false, errorCode: '10', message: expect.stringContaining('the-request') },
  });
  expect(response.text).not.toMatch(/canary|4242|\.ts/);
  expect(lines.filter((line) => line.includes('"msg":"request failed"'))).toHaveLength(1);
  expect(lines.join()).not.toMatch(/canary|4242424242424242/);
});

test.each([
  [400, '01', 'The path or the body of the request cannot be read.'],
  [401, '01', 'The request was rejected.'],
  [404, '11', 'There is nothing on this path.'],
  [409, '01', 'The request was rejected.'],
])(
  'an error with the status %i of the shop gets that status, and none of its words',
  async (status, errorCode, message) => {
    const thrown = Object.assign(new Error('canary: stat /srv/shop/secret.html'), { status });

    const { response } = await responseTo(thrown);

    expect(response).toMatchObject({ status, json: { status: false, errorCode, message } });
  },
);

test('a thrown value that is no error gets an error response all the same', async () => {
  for (const thrown of ['canary', null, undefined, 7])
    expect([500, 404]).toContain((await responseTo(thrown)).response.status);
});

test.each([
  ...['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_IOERR_WRITE'].map(
    (code) => new SqliteFile.SqliteError('canary', code),
  ),
  ...['57P01', '53300', '08006', '25006'].map((code) =>
    Object.assign(new pg.DatabaseError('canary', 6, 'error'), { code, severity: 'FATAL' }),
  ),
])(
  'a database that fails with $code is 503·10 with Retry-After, and nothing is promised of the request (T92, T113)',
  async (failure) => {
    const { response } = await responseTo(failure);

    expect(response).toMatchObject({ status: 503, json: { status: false, errorCode: '10' } });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.json.message).toContain('it is not known whether this was saved');
    expect(response.text).not.toContain('canary');
  },
);
