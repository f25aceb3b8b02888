import { expect } from '@open-wc/testing';
import type { Network } from '@service-pay/contract/checkout-api';
import { buildSession, NETWORKS, settled, TestClock } from '../test/stand-in-checkout.ts';
import { CheckoutClient, CheckoutError, type CheckoutErrorCode } from './client.ts';

const REQUEST = {
  key: 'pub_demo',
  email: 'mary@example.com',
  reference: 'order-1042',
  amount: '10.00',
};
const ATTEMPT = {
  id: '6f2b1f0e-8a4e-4b43-9a0b-0d6f8f0f7a11',
  channel: 'mobile-money' as const,
  mobileMoney: { operator: 'mtn', phone: '0961111111' },
};
const { signal } = new AbortController();

type Reply = [status: number, content: unknown] | Error | Promise<never>;

function buildClient(
  replies: Reply[],
  stored?: string,
  loadScreens = async (): Promise<unknown> => undefined,
) {
  const requests: { path: string; init: RequestInit; headers: Headers }[] = [];
  const clock = new TestClock();
  const kept = { token: stored };
  const client = new CheckoutClient({
    clock,
    request: REQUEST,
    loadScreens,
    tokens: { read: () => kept.token, write: (token) => (kept.token = token) },
    async fetch(path, init) {
      requests.push({ path, init, headers: new Headers(init.headers) });
      const reply = await Promise.race([
        replies.shift(),
        new Promise<never>((_, reject) =>
          init.signal!.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))),
        ),
      ]);
      if (!reply || reply instanceof Error) throw reply;
      return new Response(typeof reply[1] === 'string' ? reply[1] : JSON.stringify(reply[1]), {
        status: reply[0],
      });
    },
  });
  return { client, requests, clock, kept };
}

const granted: Reply = [
  201,
  { status: true, message: '', data: { token: 'secret-token', session: buildSession() } },
];
const session = replyWith(buildSession());

function replyWith(session: object): Reply {
  return [200, { status: true, message: '', data: session }];
}

async function failureOf(call: Promise<unknown>): Promise<CheckoutError> {
  const error = await call.catch((error: unknown) => error);
  expect(error).to.be.instanceOf(CheckoutError);
  return error as CheckoutError;
}

describe('checkout client', () => {
  const printed: unknown[][] = [];
  const { error } = console;

  beforeEach(() => {
    printed.length = 0;
    console.error = (...line: unknown[]) => printed.push(line);
  });

  afterEach(() => {
    console.error = error;
  });

  it('the checkout client returns no session and no rejection before the screens are here that its payment may need', async () => {
    const failing = buildClient([granted], undefined, () =>
      Promise.reject(new TypeError('Failed to fetch')),
    );
    expect((await failureOf(failing.client.open(signal))).code).to.equal('not_known');

    const rejection: Reply = [401, { status: false, message: 'No.', errorCode: '09' }];
    const rejected = buildClient([rejection], undefined, () =>
      Promise.reject(new TypeError('Failed to fetch')),
    );
    expect((await failureOf(rejected.client.open(signal))).code).to.equal('not_known');

    const { client, clock } = buildClient(
      [granted, granted],
      undefined,
      () => new Promise(() => {}),
    );
    const opened = failureOf(client.open(signal));
    await clock.advance(9_000);
    expect((await opened).code).to.equal('not_known');
    expect(clock.waiting).to.equal(0);
  });

  it('the checkout client keeps the logos of networks, which may come only when the session is opened', async () => {
    const logo = 'data:image/svg+xml,%3Csvg/%3E';
    const [mtn, airtel] = NETWORKS as [Network, Network];
    const session = buildSession({ networks: [{ ...mtn, logo }, airtel] });
    const grant: Reply = [201, { status: true, message: '', data: { token: 't', session } }];
    const { client } = buildClient([grant, replyWith(buildSession({ networks: [airtel, mtn] }))]);
    await client.open(signal);

    const { networks } = await client.look(signal);

    expect(networks.map((network) => network.logo)).to.deep.equal([undefined, logo]);
  });

  it('the checkout client treats a hint of the wrong type as absent: the form can do without it', async () => {
    const odd = { notice: null, typicalSeconds: '20', logo: null, dialCode: 7 };
    const { client } = buildClient([
      granted,
      replyWith({ ...buildSession(), networks: [{ ...NETWORKS[0], ...odd }] }),
    ]);
    await client.open(signal);

    const [network] = (await client.look(signal)).networks;

    expect(network!.operator).to.equal('mtn');
    for (const name of ['notice', 'typicalSeconds', 'logo', 'dialCode'] as const)
      expect(network![name], name).to.equal(undefined);
  });

  it('the checkout client opens with the request, and speaks with the token it was given, in a header alone (T41)', async () => {
    const { client, requests, kept } = buildClient([granted, session, session, session]);

    expect((await client.open(signal)).merchantName).to.equal('Demo Shop');
    await client.look(signal);
    await client.submit(ATTEMPT, signal);
    await client.sendCode('a/b', '000000', signal);

    expect(
      requests.map(({ path, init, headers }) => [init.method, path, headers.get('authorization')]),
    ).to.deep.equal([
      ['POST', '/checkout/v1/sessions', null],
      ['GET', '/checkout/v1/sessions/current', 'Bearer secret-token'],
      ['POST', '/checkout/v1/sessions/current/attempts', 'Bearer secret-token'],
      ['POST', '/checkout/v1/sessions/current/attempts/a%2Fb/one-time-code', 'Bearer secret-token'],
    ]);
    expect(requests.map(({ init }) => init.body && JSON.parse(init.body as string))).to.deep.equal([
      REQUEST,
      undefined,
      ATTEMPT,
      { code: '000000' },
    ]);
    expect(kept.token).to.equal('secret-token');
    expect(client.isReturning).to.equal(false);
  });

  it('the checkout client resumes with the token of an earlier visit (D25)', async () => {
    const { client, requests } = buildClient([granted], 'old-token');
    expect(client.isReturning).to.equal(true);
    await client.open(signal);

    expect(requests[0]!.headers.get('authorization')).to.equal('Bearer old-token');
  });

  for (const [code, reply] of [
    ['not_known', new TypeError('Failed to fetch')],
    ['not_known', [200, '<html>']],
    ['not_known', [200, { status: true, message: '', data: { reference: 7 } }]],
    ['not_known', [200, { status: false, message: '' }]],
    ['not_known', [400, 'no envelope']],
    ['not_known', [408, { status: false, message: 'too slow', errorCode: '10' }]],
    ['not_known', [429, { status: false, message: 'slow down', errorCode: '10' }]],
    ['not_known', [500, { status: false, message: 'broken', errorCode: '10' }]],
    ['not_known', [503, '']],
    ['invalid', [400, { status: false, message: 'no', errorCode: '01' }]],
    ['reference_used', [400, { status: false, message: 'no', errorCode: '04' }]],
    ['phone_invalid', [400, { status: false, message: 'no', errorCode: '12' }]],
    ['not_authorized', [401, { status: false, message: 'no', errorCode: '09' }]],
    ['denied', [401, { status: false, message: 'no', errorCode: '13' }]],
    ['rejected', [404, { status: false, message: 'no', errorCode: '11' }]],
    ['rejected', [415, { status: false, message: 'no' }]],
  ] as [CheckoutErrorCode, Reply][]) {
    it(`the checkout client takes ${reply instanceof Error ? reply.message : JSON.stringify(reply)} as ${code}`, async () => {
      const { client } = buildClient([reply]);

      expect((await failureOf(client.look(signal))).code).to.equal(code);
    });
  }

  describe('with a response that breaks its schema (T137)', () => {
    const broken = { ...buildSession(), amount: 4242, networks: [{ operator: 'canary' }] };

    for (const [what, reply, words] of [
      [
        'wrong fields',
        [200, { status: true, message: 'canary', data: broken }],
        '(HTTP 200) is not as specified: data.amount must be a text; data.networks.0.name is missing; ' +
          'data.networks.0.country is missing; data.networks.0.callingCode is missing; ' +
          'data.networks.0.prefixes is missing',
      ],
      [
        'a page',
        [200, '<html>canary'],
        '(HTTP 200) is not as specified: the body must be a JSON object',
      ],
      ['no envelope', [200, buildSession()], '(HTTP 200) is not as specified: status must be true'],
      [
        'a rejection without its envelope',
        [404, { error: 'canary' }],
        '(HTTP 404) is not as specified: status is missing; message is missing',
      ],
    ] as [string, Reply, string][]) {
      it(`the checkout client names, if a response breaks its schema, the call and what was expected once, and no value: ${what} (T137)`, async () => {
        const { client } = buildClient([reply, reply], 'secret-token');

        expect((await failureOf(client.look(signal))).code).to.equal('not_known');
        expect((await failureOf(client.look(signal))).code).to.equal('not_known');
        expect(printed).to.have.length(1);
        const [line] = printed[0]!;
        expect(line).to.contain(
          `ServicePay: The response to GET /checkout/v1/sessions/current ${words}`,
        );
        expect(line).not.to.match(/canary|4242|secret-token/);
      });
    }

    it('the checkout client prints nothing for a service that is down, slow or rejects requests', async () => {
      const { client } = buildClient([
        new TypeError('Failed to fetch'),
        [500, '<html>'],
        [503, ''],
        [429, ''],
        [400, { status: false, message: 'no', errorCode: '01' }],
      ]);

      for (let call = 0; call < 5; call++) await failureOf(client.look(signal));
      expect(printed).to.deep.equal([]);
    });
  });

  it('the checkout client passes on which fields the service rejected', async () => {
    const problems = [{ path: 'card.number', code: 'card-number-invalid', message: 'Check it.' }];
    const { client } = buildClient([
      [400, { status: false, message: 'no', errorCode: '01', data: { problems } }],
    ]);

    expect((await failureOf(client.submit(ATTEMPT, signal))).problems).to.deep.equal(problems);
  });

  it('the checkout client gives up on a response that does not come by its deadline, and leaves no timer behind', async () => {
    const { client, clock } = buildClient([new Promise<never>(() => {})]);
    const failure = failureOf(client.look(signal));
    await settled();
    await clock.advance(8_000);

    expect((await failure).code).to.equal('not_known');
    expect(clock.waiting).to.equal(0);
  });

  it('the checkout client ends its calls with the payment', async () => {
    const end = new AbortController();
    const { client, clock } = buildClient([new Promise<never>(() => {})]);
    const failure = failureOf(client.look(end.signal));
    end.abort();

    expect((await failure).code).to.equal('not_known');
    expect(clock.waiting).to.equal(0);
  });
});
