import { signWebhook } from '@service-pay/contract/webhook-signature';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../start.ts';
import {
  answering,
  type Call,
  errorOf,
  type Fault,
  failing,
  isCall,
  jsonOf,
  receiving,
  startBrokenService,
  tokenOf,
  withAttempt,
  withBody,
  withData,
  withHeader,
  withSession,
  withToken,
} from '../test/broken-service.ts';
import { SANDBOX_NUMBERS } from './numbers.ts';
import { CHAPTERS, type RuleResult, runCheck } from './run-check.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

const ORIGIN = 'http://localhost:3000';
const KEY = 'pub_sandbox_demo';
const TOKEN = 'sec_sandbox_demo';

const SESSIONS = / \/checkout\/v1\/sessions/;
const OPEN = /^POST \/checkout\/v1\/sessions$/;
const READ = /^GET \/checkout\/v1\/sessions\/current$/;
const START = /\/attempts$/;
const EXTEND = /\/extension$/;
const WITHDRAW = /\/withdrawal$/;
const CODE = /\/one-time-code$/;
const PAGE = /^GET \/checkout\/v1\/\?/;
const VERIFY = /^GET \/access\/v2\/collections\/status\//;
const LIST = /^GET \/access\/v2\/collections(\?|$)/;

/** The calls that a service has had so far, for faults that depend on it. */
class Past {
  readonly newest = new Map<string, string>();
  readonly referenceOf = new Map<string, string>();
  readonly ownerOf = new Map<string, string>();
  readonly aliases = new Map<string, string>();
  readonly started = new Set<string>();
  readonly withdrawn = new Set<string>();
  /** References of calls that arrived while another of the same kind was on its way. */
  readonly together = new Set<string>();
  readonly #onTheirWay = new Set<string>();
  readonly #sent = new Set<string>();
  readonly tried = new Set<string>();
  readonly ended = new Set<string>();

  /** Records what passes by, around a fault. */
  around(fault: Fault): Fault {
    return async (call, next) => {
      const token = tokenOf(call) ?? '';
      if (isCall(call, START)) {
        this.ownerOf.set(jsonOf(call).id, token);
        this.tried.add(this.referenceOf.get(token)!);
      }
      if (isCall(call, WITHDRAW)) this.withdrawn.add(call.path.split('/').at(-2)!);
      const reference = isCall(call, OPEN) ? jsonOf(call).reference : this.referenceOf.get(token);
      const key = `${call.method} ${call.path} ${reference}`;
      if (call.method === 'POST' && this.#onTheirWay.has(key)) this.together.add(reference);
      this.#onTheirWay.add(key);
      const response = await fault(call, next);
      this.#onTheirWay.delete(key);
      if (response.status >= 400) return response;
      if (isCall(call, OPEN)) {
        const { data } = jsonOf(response);
        if (data.session === undefined) return response;
        this.newest.set(data.session.reference, data.token);
        this.referenceOf.set(data.token, data.session.reference);
      } else if (isCall(call, READ)) {
        const { data } = jsonOf(response);
        if (data.status === 'failed') this.ended.add(data.reference);
      } else if (isCall(call, START)) {
        const { data } = jsonOf(response);
        if (data.attempt?.id === jsonOf(call).id) this.started.add(data.attempt.id);
      }
      return response;
    };
  }

  /** Whether this attempt or cancellation was sent before. */
  isSentAgain(call: Call): boolean {
    const key = isCall(call, START) ? jsonOf(call).id : call.path;
    const isKnown = this.#sent.has(key);
    this.#sent.add(key);
    return isKnown;
  }

  isNewest(token: string): boolean {
    return this.newest.get(this.referenceOf.get(token)!) === token;
  }

  newestOf(token: string): string {
    return this.newest.get(this.referenceOf.get(token)!) ?? token;
  }
}

/** A fault for each rule of the check. */
const faultsOf = (past: Past): Record<string, Fault> => ({
  'The script and the texts of each language are served': failing(/words\/fr\.json/, '404·11'),
  'The script may be cached for a minute': withHeader(
    /\/js\/v1\/inline/,
    'cache-control',
    'public, max-age=86400',
  ),
  'Pages of every origin may load what is under /js/, errors included': failing(
    /missing/,
    '404·11',
  ),
  'Files arrive byte for byte as they were built': answering(/\/js\/v1\/inline/, (response) => ({
    ...response,
    body: Buffer.from(`${response.body}\n`),
  })),
  'The files of a release never change': withHeader(/\/js\/\d/, 'cache-control', 'max-age=60'),
  'Every response has nosniff, and none has Server-Timing': withHeader(
    READ,
    'server-timing',
    'db;dur=53',
  ),
  'The page is at /checkout/v1/': failing(PAGE, '404·11'),
  'Its policy allows it its own files only': withPolicy((policy) =>
    policy.replace(/trusted-types lit-html/, ''),
  ),
  'The origins registered for the key may frame it': withPolicy((policy) =>
    policy.replace(/frame-ancestors [^;]*/, "frame-ancestors 'none'"),
  ),
  'Other origins may not frame it': withPolicy((policy, path) => {
    const origin = new URL(path, ORIGIN).searchParams.get('origin');
    return policy.replace(/frame-ancestors [^;]*/, `frame-ancestors ${origin}`);
  }),
  'Isolated pages can frame it, and no cache keeps it': withHeader(
    PAGE,
    'x-frame-options',
    'SAMEORIGIN',
  ),
  'Its scripts are served and never change': withHeader(
    /\/checkout\/v1\/assets\//,
    'cache-control',
    'no-cache',
  ),
  'The merchant facts in it have every field': answering(PAGE, (response) => ({
    ...response,
    body: Buffer.from(`${response.body}`.replace('"merchantName"', '"name"')),
  })),

  'A payment opens with a token and a session': withData(OPEN, ({ session }) => session),
  'A new session is open and has the terms that were sent': withSession(OPEN, (session) => ({
    ...session,
    label: null,
  })),
  'GET /current returns the session of the token': withSession(READ, (session, call) =>
    past.isNewest(tokenOf(call)!) ? { ...session, reference: 'another' } : session,
  ),
  'A new visitor gets 201, one who returns 200': answering(OPEN, (response) => ({
    ...response,
    status: response.status === 200 ? 201 : response.status,
  })),
  // The visitor keeps the token of the first opening, and it stays the newest.
  'Each opening has a new token': async (call, next) => {
    const token = tokenOf(call);
    const real = token && (past.aliases.get(token) ?? token);
    const response = await next(real ? withToken(call, real) : call);
    if (!token || !isCall(call, OPEN) || response.status !== 200) return response;
    const json = jsonOf(response);
    past.aliases.set(token, json.data.token);
    return withBody(response, { ...json, data: { ...json.data, token } });
  },
  'The clock of now runs, and expiresAt stays': withSession(READ, (session) =>
    session.attempt ? session : { ...session, now: '2026-01-01T00:00:00.000Z' },
  ),
  'A reference that nobody tried can be opened again': failing(OPEN, '400·04', (call) => {
    const { reference, amount } = jsonOf(call);
    const isKnown = past.newest.has(reference) && tokenOf(call) === undefined && amount === '10.00';
    return isKnown && !past.tried.has(reference) && !past.ended.has(reference);
  }),
  'It can be opened again after its session has ended': failing(OPEN, '400·04', (call) => {
    const { reference } = jsonOf(call);
    return past.ended.has(reference) && !past.tried.has(reference);
  }),
  'A reference with another amount is rejected': receiving(OPEN, (call) =>
    call.body.includes('"11.00"') ? withBody(call, { ...jsonOf(call), amount: '10.00' }) : call,
  ),
  'An unknown key is rejected': failing(OPEN, '404·11', ({ body }) => body.includes('pub_unknown')),
  'Pages of other origins open nothing': receiving(OPEN, (call) => ({
    ...call,
    headers: { ...call.headers, origin: '', 'sec-fetch-site': '' },
  })),
  'An invalid field is rejected by its name': failing(OPEN, '400·01', ({ body }) =>
    body.includes('not an address'),
  ),
  'The other calls require a token of the session': failing(
    READ,
    '404·11',
    (_call, response) => response.status === 401,
  ),
  'The customer can extend an open session': failing(EXTEND, '404·11'),
  'An extension restarts the time limit': (call, next) =>
    next(isCall(call, EXTEND) ? reading(call) : call),

  'A card pays': withAttempt(SESSIONS, (attempt) =>
    attempt.channel === 'card' ? { ...attempt, channel: 'plastic' } : attempt,
  ),
  'An attempt sent again under its id is not tried again': receiving(START, (call) =>
    past.isSentAgain(call) && past.started.has(jsonOf(call).id) ? withNewId(call) : call,
  ),
  'An attempt that arrives while another runs never starts': receiving(START, (call) =>
    past.isSentAgain(call) && !past.started.has(jsonOf(call).id) ? withNewId(call) : call,
  ),
  'Attempts that arrive together start once': withSession(SESSIONS, (session) => ({
    ...session,
    attemptsLeft: session.attemptsLeft - (past.together.has(session.reference) ? 1 : 0),
  })),
  'Openings that arrive together open one session': receiving(OPEN, (call) => {
    const { reference, ...request } = jsonOf(call);
    return past.together.has(reference)
      ? withBody(call, { ...request, reference: `${reference}-2` })
      : call;
  }),
  'Only the newest token starts attempts': receiving(START, (call) =>
    withToken(call, past.newestOf(tokenOf(call)!)),
  ),
  'Older tokens still read the session': failing(READ, '401·09', (call) => {
    return past.referenceOf.has(tokenOf(call) ?? '') && !past.isNewest(tokenOf(call)!);
  }),
  'Every opening shows the attempt that can still charge the customer': withAttempt(
    OPEN,
    (attempt) => (attempt.isYours ? null : attempt),
  ),
  'A declined attempt leaves the session open': withAttempt(READ, (attempt) => ({
    ...attempt,
    reasonForFailure: null,
  })),
  'Another visitor does not see what was typed': withAttempt(OPEN, (attempt) => ({
    ...attempt,
    prompt: { operator: 'mtn', networkName: 'MTN', lastDigits: '0000' },
  })),
  'A paid reference opens as paid and starts no attempt': withSession(OPEN, (session) => ({
    ...session,
    status: 'open',
  })),
  'A reference whose attempts are used up is over': answering(OPEN, (response, call) =>
    call.body.includes('"10.00"') && jsonOf(response).errorCode === '04'
      ? errorOf('404·11')
      : response,
  ),
  'A wrong card is rejected by its field': answering(START, (response) =>
    `${response.body}`.includes('card-number-invalid') ? errorOf('400·01') : response,
  ),
  'A card that needs an address asks for it': answering(START, (response) =>
    `${response.body}`.includes('billing-required') ? errorOf('400·01') : response,
  ),
  "The checkout page can frame the bank's page": withAttempt(SESSIONS, (attempt) => ({
    ...attempt,
    challengeUrl: attempt.challengeUrl && 'https://bank.example/challenge',
  })),

  'A phone pays': receiving(START, (call) => ({
    ...call,
    body: Buffer.from(`${call.body}`.replace('0961111111', '0962222222')),
  })),
  'A request on the phone says which phone and until when': withAttempt(SESSIONS, (attempt) => ({
    ...attempt,
    prompt: attempt.prompt && { ...attempt.prompt, lastDigits: '0960000000' },
  })),
  'A wrong phone number is rejected': failing(START, '400·01', (_call, response) =>
    `${response.body}`.includes('"12"'),
  ),
  'A request can be cancelled': withAttempt(WITHDRAW, (attempt) => ({
    ...attempt,
    reasonForFailure: 'Cancelled',
  })),
  'A cancellation that is repeated gets the same answer': failing(WITHDRAW, '400·04', (call) =>
    past.isSentAgain(call),
  ),
  'A request that the network cannot cancel stays, and says so': withAttempt(
    WITHDRAW,
    ({ withdrawable: _withdrawable, ...attempt }) => attempt,
  ),
  'A payment that was paid cannot be cancelled': withSession(READ, (session) =>
    past.withdrawn.has(session.attempt?.id) ? { ...session, status: 'open' } : session,
  ),
  'Another visitor can neither cancel it nor enter the code': receiving(WITHDRAW, (call) =>
    withToken(call, past.ownerOf.get(call.path.split('/').at(-2)!)!),
  ),
  'A wrong code can be corrected': withAttempt(CODE, (attempt) => ({ ...attempt, codesLeft: 3 })),
  'The right code pays, also with an older token of its visitor': failing(
    CODE,
    '401·09',
    (call) => !past.isNewest(tokenOf(call)!),
  ),
  'An attempt that only waits for a code is replaced by a new one': async (call, next) => {
    if (!isCall(call, START)) return next(call);
    const { data } = jsonOf(await next(reading(call)));
    return next(data?.attempt?.status === 'otp-required' ? reading(call) : call);
  },

  'A reference without an attempt is not found': failing(
    VERIFY,
    '400·04',
    (call, response) => response.status === 404 && !/[A-Z]/.test(call.path),
  ),
  'Verify returns a paid collection with every field': withData(VERIFY, (collection) =>
    collection.status === 'successful' ? { ...collection, fee: undefined } : collection,
  ),
  'A payment that the customer can still complete is not final': withData(VERIFY, (collection) => ({
    ...collection,
    status: collection.status === 'pending' ? 'failed' : collection.status,
  })),
  'References are case sensitive': receiving(VERIFY, (call) => ({
    ...call,
    path: call.path.toLowerCase(),
  })),
  'A collection is found by its id': failing(/^GET \/access\/v2\/collections\/[^/?]+$/, '404·11'),
  'The list has the newest first': withData(LIST, (data) => data.toReversed()),
  'The list says how many there are and which page this is': answering(LIST, (response) => {
    if (response.status !== 200) return response;
    const { meta, ...json } = jsonOf(response);
    return withBody(response, { ...json, meta: { ...meta, pageCount: 0 } });
  }),
  'A payment is one collection, however often its attempt was sent': withData(LIST, (data, call) =>
    call.path.includes('status=') ? [...data, ...data] : data,
  ),
  'The list filters by status and type': receiving(LIST, (call) => ({
    ...call,
    path: call.path.replace(/type=[^&]+/, ''),
  })),
  'from includes its time, and to excludes it': receiving(LIST, (call) => ({
    ...call,
    path: call.path.replace(/to=[^&]+/, ''),
  })),
  'Beyond the last page the list is empty': failing(LIST, '404·11', ({ path }) =>
    path.includes('page=900000'),
  ),
  'A page that cannot exist is rejected': receiving(LIST, (call) => ({
    ...call,
    path: call.path.replace('page=0', 'page=1'),
  })),
  'No response has a card number': withData(VERIFY, (collection) => ({
    ...collection,
    cardNumber: SANDBOX_NUMBERS.cards.successful,
  })),

  'The merchant API requires the API token': receiving(LIST, (call) =>
    tokenOf(call) ? call : withToken(call, TOKEN),
  ),
  'The public key is not an API token': receiving(LIST, (call) =>
    tokenOf(call) === KEY ? withToken(call, TOKEN) : call,
  ),
  "A session's token is not an API token": receiving(LIST, (call) =>
    past.referenceOf.has(tokenOf(call) ?? '') ? withToken(call, TOKEN) : call,
  ),
  'Pages cannot read the merchant API': withHeader(LIST, 'access-control-allow-origin', '*'),
  'Responses of the APIs are JSON, and no cache keeps them': withHeader(
    LIST,
    'cache-control',
    'private, max-age=5',
  ),
  'An unknown path is not found': answering(/unknown$/, (response) => ({
    ...response,
    body: Buffer.from('<h1>Not found</h1>'),
  })),
  'A body that is not JSON is rejected': failing(OPEN, '500·10', ({ body }) =>
    `${body}`.endsWith(':'),
  ),
});

/** A fault of the webhooks for each rule about them. */
const WEBHOOK_FAULTS: Record<string, (real: WebhookReceiver) => Partial<WebhookReceiver>> = {
  'A paid order is announced once, and a declined attempt not at all': () => ({ about: () => [] }),
  'Its body is the event and the collection': (real) => ({
    about: (reference) =>
      real.about(reference).map(({ headers, body }) => {
        const changed = Buffer.from(`${body}`.replace('collection.successful', 'paid'));
        const signature = signWebhook(changed, TOKEN);
        return { body: changed, headers: { ...headers, 'x-servicepay-signature': signature } };
      }),
  }),
  'Its signature fits the bytes of its body': (real) => ({
    about: (reference) =>
      real.about(reference).map((webhook) => ({
        ...webhook,
        headers: { 'x-servicepay-signature': signWebhook('', TOKEN) },
      })),
  }),
  'It comes again until it is acknowledged, and then no more': (real) => ({
    about: (reference) => real.about(reference).slice(0, 1),
  }),
};

function withPolicy(change: (policy: string, path: string) => string): Fault {
  return withHeader(PAGE, 'content-security-policy', (policy, { path }) => change(policy, path));
}

/** Turns a call of a session into one that only reads it. */
function reading(call: Call): Call {
  const path = '/checkout/v1/sessions/current';
  return { ...call, method: 'GET', path, body: Buffer.alloc(0) };
}

function withNewId(call: Call): Call {
  return withBody(call, { ...jsonOf(call), id: crypto.randomUUID() });
}

let receiver: WebhookReceiver;
let sandbox: Sandbox;
beforeAll(async () => {
  receiver = await startWebhookReceiver(0);
  const webhookUrl = `http://localhost:${receiver.port}/`;
  sandbox = await startSandbox({ clock: 'virtual', webhookUrl });
  await sandbox.control.putMerchant(KEY, { allowedOrigins: [ORIGIN] });
});
afterAll(async () => {
  await sandbox.close();
  await receiver.close();
});

describe('the check of a service that breaks one rule', () => {
  test.each(CHAPTERS.flatMap(({ rules }) => rules))(
    'names it first, and alone: $title',
    async ({ title }) => {
      const past = new Past();
      const fault = faultsOf(past)[title] ?? ((call, next) => next(call));
      const broken = await startBrokenService(sandbox.url, past.around(fault));
      const results: RuleResult[] = [];
      for await (const result of runCheck({
        url: broken.url,
        key: KEY,
        token: TOKEN,
        origin: ORIGIN,
        numbers: SANDBOX_NUMBERS,
        patienceMs: 2 * 60 * 60_000,
        sleep: async (ms) => void (await sandbox.control.advance(ms / 1_000)),
        receiver: { ...receiver, ...WEBHOOK_FAULTS[title]?.(receiver) },
      }))
        results.push(result);
      broken.close();
      const named = (wanted: RuleResult['result']) =>
        results.filter(({ result }) => result === wanted).map(({ rule }) => rule);

      expect(named('fails')).toEqual([title]);
      expect(results.find(({ result }) => result !== 'ok')?.rule).toBe(title);
    },
  );
});
