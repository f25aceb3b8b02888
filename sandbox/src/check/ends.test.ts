import { once } from 'node:events';
import { type ClientRequest, createServer, type RequestListener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../app/start.ts';
import { checkOptions } from '../test/breaks/breaks.ts';
import { OTHER, TOKEN } from '../test/breaks/past.ts';
import { failing, jsonOf, startBrokenService, withBody } from '../test/broken-service.ts';
import { ERRORS } from './chapters/errors.ts';
import { LISTS } from './chapters/lists.ts';
import { SESSIONS } from './chapters/sessions.ts';
import type { Chapter } from './rule.ts';
import { CHAPTERS, runCheck, START } from './run-check.ts';
import type { RuleResult } from './run-rules.ts';
import type { ServiceOptions } from './service.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const RULES = CHAPTERS.flatMap(({ rules }) => rules);

const PATIENT = () => AbortSignal.timeout(20_000);
const STARTING_CALLS = 5; // two of them for the other merchant
const FIRST_RULES = [START, ...CHAPTERS.slice(0, 1)];

/** Is patient with the first rules only. */
function impatient(): (ms: number) => AbortSignal {
  let calls = 0;
  return () => AbortSignal.timeout(calls++ < STARTING_CALLS ? 20_000 : 40);
}

let receiver: WebhookReceiver;
let sandbox: Sandbox;
beforeAll(async () => {
  receiver = await startWebhookReceiver(0);
  sandbox = await startSandbox({ clock: 'virtual' });
});
afterAll(async () => {
  await sandbox.close();
  await receiver.close();
});

/** Checks a service and returns the results. */
async function check(
  options: Partial<ServiceOptions>,
  chapters?: readonly Chapter[],
): Promise<RuleResult[]> {
  const results: RuleResult[] = [];
  for await (const result of runCheck(
    { ...checkOptions('', sandbox, receiver), ...options },
    chapters,
  ))
    results.push(result);
  return results;
}

/** Returns an address at which nobody listens. */
async function findClosedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return `http://127.0.0.1:${port}`;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** Starts a service that lists this many collections a page. */
async function startShortPages(perPage: number): Promise<string> {
  const own = await startSandbox({ clock: 'virtual' });
  onTestFinished(() => own.close());
  const list = /^\/access\/v2\/collections\?/;
  const broken = await startBrokenService(own.url, async (call, next) => {
    const query = new URL(call.path, own.url).searchParams;
    const page = Number(query.get('page') ?? 1);
    if (!list.test(call.path) || page < 1) return next(call);
    query.delete('page');
    const response = await next({ ...call, path: `/access/v2/collections?${query}` });
    const json = jsonOf(response);
    if (!json.meta) return response;
    const pageCount = Math.ceil(json.data.length / perPage);
    const meta = { ...json.meta, perPage, currentPage: page, pageCount };
    const data = json.data.slice((page - 1) * perPage, page * perPage);
    return withBody(response, { ...json, data, meta });
  });
  onTestFinished(broken.close);
  return broken.url;
}

function sendList(res: Parameters<RequestListener>[1]): void {
  const meta = { total: 0, perPage: 100, currentPage: 1, pageCount: 0 };
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify({ status: true, message: '', data: [], meta }));
}

describe('the check of a service', () => {
  test.each<[Partial<ServiceOptions>, rule: string, flag: string]>([
    [{ token: 'sec_unknown' }, 'It knows the API token', '--token'],
    [{ other: { ...OTHER, token: 'sec_unknown' } }, 'It knows the API token', '--other-token'],
    [{ key: 'pub_unknown' }, 'It knows the public key', '--key'],
    [{ other: { ...OTHER, key: 'pub_unknown' } }, 'It knows the public key', '--other-key'],
  ])('check ends after one line if %j is rejected', async (options, rule, flag) => {
    const results = await check({ url: sandbox.url, deadline: PATIENT, ...options });
    const tried = results.filter(({ isSkipped }) => !isSkipped);

    expect(tried.at(-1)).toMatchObject({
      rule,
      result: 'fails',
      reason: expect.stringMatching(
        `\\(HTTP 401\\) has errorCode "09" \\(.*\\)\\. Is this the .*\\(${flag}\\) at`,
      ),
    });
    expect(tried.slice(0, -1).every(({ result }) => result === 'ok')).toBe(true);
    expect(results).toHaveLength(START.rules.length + RULES.length);
  });

  test.each([
    [
      'has a closed port',
      findClosedPort,
      PATIENT,
      /got no response: nothing listens at .*ECONNREFUSED.* Start the service/,
    ],
    [
      'is a website',
      () => serve((_req, res) => res.end('<title>My shop</title>')),
      PATIENT,
      /^The response to GET \S+ \(HTTP 200\) is not JSON\. Is a payment service at .*--url/,
    ],
    [
      'has moved',
      () => serve((_req, res) => res.writeHead(301, { location: 'https://pay.example' }).end()),
      PATIENT,
      /\(HTTP 301\) is not JSON/,
    ],
    [
      'never responds',
      () => serve(() => {}),
      () => AbortSignal.timeout(40),
      /got no whole response within 10 s\. Start the service, or correct --url\.$/,
    ],
  ])(
    'check ends after the first rule if the service %s',
    async (_what, start, deadline, reason) => {
      const [first, ...others] = await check({ url: await start(), deadline });

      expect(first).toMatchObject({ result: 'fails', reason: expect.stringMatching(reason) });
      expect(others.every(({ isSkipped }) => isSkipped)).toBe(true);
    },
  );

  test('check ends after two calls without a response, although the API token is right', async () => {
    const url = await serve(({ url: path }, res) => {
      if (/^\/access\/|\/sessions$/.test(path!)) sendList(res);
    });
    const results = await check({ url, deadline: impatient() });
    const tried = results.filter(({ isSkipped }) => !isSkipped);

    expect(tried.map(({ result }) => result)).toEqual([
      ...['ok', 'ok', 'ok'],
      ...['fails', 'not tried'],
    ]);
    expect(results.at(-1)?.reason).toBe('The service does not respond any more.');
  });

  test.each([
    ['drips', 100, /^GET \S+ got no whole response within 10 s\.$/],
    ['floods', 0, /is larger than 2048 kB\.$/],
  ])('check goes on after a response that %s without an end', async (_what, everyMs, reason) => {
    const deadline = everyMs ? impatient() : PATIENT;
    const url = await serve(({ url: path }, res) => {
      if (path !== '/js/v1/inline.js') return sendList(res);
      const write = () => {
        if (res.destroyed) return;
        res.write('x'.repeat(200_000));
        setTimeout(write, everyMs);
      };
      write();
    });
    const [script, texts] = (await check({ url, deadline }, FIRST_RULES)).slice(3);

    expect(script?.reason).toMatch(reason);
    expect(texts?.isSkipped).toBeUndefined();
  });

  test('check never repeats a token or a terminal code that a service sent', async () => {
    const url = await serve(({ url: path, headers }, res) => {
      if (path === '/access/v2/collections?') return sendList(res);
      const message = `\u001b[2J\u009b31m\u202e${headers.authorization} ${TOKEN}\n`;
      res.writeHead(500, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ status: false, message, errorCode: message }));
    });
    const printed = (await check({ url, deadline: PATIENT }, [START, SESSIONS]))
      .map((result) => JSON.stringify(result))
      .join('\n');

    expect(printed).toContain('\ufffd[2J');
    expect(printed).not.toContain(TOKEN.slice(0, -1));
    expect(printed).not.toMatch(/\\u001b|\u009b|\u202e|\\n/);
  });

  test('check accepts 401 as well as 404 for an unknown path below the session', async () => {
    const fault = failing(/current\/unknown$/, '401·09');
    const broken = await startBrokenService(sandbox.url, fault);
    onTestFinished(broken.close);
    const results = await check({ url: broken.url, deadline: PATIENT }, [ERRORS]);

    expect(results.filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  test('check accepts a service whose pages are short', async () => {
    const url = await startShortPages(2);
    const rules = LISTS.rules.filter(({ title }) => title.startsWith('Page 2'));
    const results = await check({ url, deadline: PATIENT }, [{ ...LISTS, rules }]);

    expect(results.filter(({ result }) => result !== 'ok')).toEqual([]);
  });

  test.each([
    ['breaks off', (webhook) => webhook.write('{', () => webhook.destroy())],
    ['has 20 MB', (webhook) => webhook.end(Buffer.alloc(20_000_000, ' '))],
  ] satisfies [string, (webhook: ClientRequest) => unknown][])(
    'check goes on after a webhook that %s',
    async (_what, send) => {
      const own = await startWebhookReceiver(0);
      onTestFinished(own.close);
      const url = `http://localhost:${own.port}/`;
      const webhook = request(url, { method: 'POST' }).on('error', () => {});
      send(webhook);
      await new Promise((resolve) => webhook.once('close', resolve));
      const { status } = await fetch(url, { method: 'POST', body: '{}' });

      expect(status).toBe(200);
      expect(own.all().map(({ body }) => `${body}`)).toEqual(['{}']);
    },
  );

  test('check goes on if something is wrong that no rule foresees', async () => {
    const chapters = [
      {
        title: 'One',
        rules: [
          { title: 'breaks', because: '', check: () => Promise.reject(new TypeError('Not now')) },
          { title: 'holds', because: '', check: async () => {} },
        ],
      },
    ];
    const results: RuleResult[] = [];
    for await (const result of runCheck(checkOptions('', sandbox, receiver), chapters))
      results.push(result);

    expect(results).toMatchObject([
      { result: 'not tried', reason: 'The check cannot go on: Not now', isBlocked: true },
      { result: 'ok' },
    ]);
  });
});
