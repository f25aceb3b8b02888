import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { buildTestLog } from '../../test/parts.ts';
import { PATIENT } from '../../test/patience.ts';
import { TestBrowser } from '../../test/shop.ts';
import { Metrics } from '../observe/metrics.ts';
import { pause } from '../support/clock.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { errorHandler } from './errors.ts';
import { logRequests } from './request-lines.ts';

const ERROR = 50;

function logged(message: string, lines: readonly string[]): Record<string, any>[] {
  return lines
    .map((line) => JSON.parse(line) as Record<string, any>)
    .filter(({ msg }) => msg === message);
}

async function times(count: number, send: (at: number) => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => send(at)));
}

describe('requests to a route', () => {
  let lines: string[];
  let browser: TestBrowser;
  let waiting: number;
  let clock: ManualClock;

  beforeEach(() => start('info'));

  async function start(logLevel: 'info' | 'debug'): Promise<void> {
    lines = [];
    waiting = 0;
    clock = new ManualClock();
    const log = buildTestLog(lines, logLevel);
    const app = express().use(logRequests({ counters: new Metrics(), clock, log }));
    app.get('/slow', async (_req, res) => {
      waiting += 1;
      await pause(clock, 1_000);
      res.end();
    });
    app.get('/stream', async (_req, res) => {
      waiting += 1;
      await pause(clock, 1_000);
      res.type('text/event-stream').end();
    });
    app.get('/broken', () => {
      throw new Error('a mishap');
    });
    app.use(errorHandler);
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = new TestBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => void server.close());
  }

  test('requests to a route that is slow are logged once a second (T91)', async () => {
    const responses = times(100, () => browser.get('/slow'));
    await vi.waitFor(() => expect(waiting).toBe(100), PATIENT);
    await clock.advance(1_000);
    await responses;

    await vi.waitFor(() => expect(logged('slow request', lines)).toHaveLength(1), PATIENT);
    expect(lines).toHaveLength(1);
  });

  test('requests to a route that are event streams are not slow', async () => {
    const streamed = browser.get('/stream');
    await vi.waitFor(() => expect(waiting).toBe(1), PATIENT);
    await clock.advance(1_000);
    await streamed;
    await browser.get('/broken');

    await vi.waitFor(() => expect(logged('request failed', lines)).toHaveLength(1), PATIENT);
    expect(lines).toHaveLength(1);
  });

  test('requests to a route that breaks are errors, one a second (T77)', async () => {
    await times(100, () => browser.get('/broken'));
    await clock.advance(1_000);
    await browser.get('/broken');

    const failed = logged('request failed', lines);
    expect(failed).toHaveLength(2);
    expect(failed.at(-1)).toMatchObject({
      level: ERROR,
      code: 'internal',
      requestId: expect.any(String),
    });
  });

  test('requests to a route that breaks are all logged at level debug', async () => {
    await start('debug');

    await times(50, () => browser.get('/broken'));

    expect(lines).toHaveLength(50);
    expect(logged('request completed', lines)[0]).toMatchObject({ err: { message: 'a mishap' } });
  });
});
