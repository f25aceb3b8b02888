import { SANDBOX_NUMBERS } from '../../check/numbers.ts';
import {
  type Fault,
  failing,
  isCall,
  jsonOf,
  receiving,
  tokenOf,
  withBody,
  withData,
  withHeader,
  withResponse,
  withToken,
} from '../broken-service.ts';
import { type Breaks, KEY, LIST, OPEN, OTHER, type Past, TOKEN, VERIFY } from './past.ts';

const BY_ID = /^GET \/access\/v2\/collections\/[^/?]+$/;
const PAGE_2 = /^GET \/access\/v2\/collections\?(?:.*&)?page=2(?:&|$)/;

/** Breaks of the merchant API, of its tokens and of errors. */
export const buildMerchantApiBreaks = (past: Past): Breaks => ({
  'A reference without an attempt is not found': failing(
    VERIFY,
    '400·04',
    (call, response) =>
      response.status === 404 && !/[A-Z]/.test(call.path) && tokenOf(call) === TOKEN,
  ),
  'Verify returns a paid collection with every field': {
    'lacks the fee': ofPaid(({ fee: _fee, ...collection }) => collection),
    'is in another currency': ofPaid((collection) => ({ ...collection, currency: 'USD' })),
  },
  'A payment that failed is found, and is final': failing(
    VERIFY,
    '404·11',
    (_call, response) => jsonOf(response).data?.status === 'failed',
  ),
  'Verify requires the exact API token': {
    'does not look at it': taking(VERIFY, (token) => token !== OTHER.token),
    'takes one that begins rightly': taking(VERIFY, (token) => token === `${TOKEN}x`),
    'takes one without its last letter': taking(VERIFY, (token) => token === TOKEN.slice(0, -1)),
    'does not look at it for an id': taking(BY_ID, (token) => token !== OTHER.token),
  },
  'Verify responds within the limits of a shop': {
    'takes 9 s': async (call, next) => {
      const response = await next(call);
      if (isCall(call, VERIFY)) past.time.pass(9_000);
      return response;
    },
    'sends 70 kB': ofPaid((collection) => ({ ...collection, more: 'x'.repeat(70_000) })),
  },
  'A payment that the customer can still complete is not final': withData(VERIFY, (collection) => ({
    ...collection,
    status: collection.status === 'pending' ? 'failed' : collection.status,
  })),
  'References are case sensitive': receiving(VERIFY, (call) => ({
    ...call,
    path: call.path.toLowerCase(),
  })),
  'A collection is found by its id': failing(BY_ID, '404·11', (call) => tokenOf(call) === TOKEN),
  'The list has the newest first': withData(LIST, (data) => data.toReversed()),
  'The list says how many there are and which page this is': withResponse(LIST, (response) => {
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
  'No response has a card number': {
    'has it': ofPaid((collection) => ({ ...collection, card: SANDBOX_NUMBERS.cards.successful })),
    'has it with spaces': ofPaid((collection) => ({ ...collection, card: '4242 4242 4242 4242' })),
  },
  'Page 2 goes on where page 1 ends': {
    'drops a row': withData(PAGE_2, (data) => data.slice(1)),
    'repeats a row': async (call, next) => {
      const response = await next(call);
      if (!isCall(call, PAGE_2)) return response;
      const first = jsonOf(await next({ ...call, path: call.path.replace('page=2', 'page=1') }));
      const json = jsonOf(response);
      return withBody(response, { ...json, data: [first.data.at(-1), ...json.data] });
    },
  },
  "Another merchant's token finds none of these payments": {
    'verifies them': taking(VERIFY, (token) => token === OTHER.token),
    'finds them by id': taking(BY_ID, (token) => token === OTHER.token),
    'lists them': taking(LIST, (token) => token === OTHER.token),
  },
  'The same reference at another merchant is another payment': failing(OPEN, '400·04', (call) => {
    const { key, reference } = jsonOf(call);
    return key === OTHER.key && past.newest.has(reference);
  }),

  'The merchant API requires the API token': {
    'requires none': taking(LIST, (token) => token === undefined),
    'takes one that begins rightly': taking(LIST, (token) => token === `${TOKEN}x`),
    'takes one without its last letter': taking(LIST, (token) => token === TOKEN.slice(0, -1)),
    'does not look at its last letter': taking(LIST, (token) => token === `${TOKEN.slice(0, -1)}x`),
  },
  'The public key is not an API token': taking(LIST, (token) => token === KEY),
  "A session's token is not an API token": taking(LIST, (token) =>
    past.referenceOf.has(token ?? ''),
  ),
  'Pages cannot read the merchant API': withHeader(LIST, 'access-control-allow-origin', '*'),
  'Responses of the APIs are JSON, and no cache keeps them': withHeader(
    LIST,
    'cache-control',
    'private, max-age=5',
  ),
  'An unknown path is not found': withResponse(/unknown$/, (response) => ({
    ...response,
    body: Buffer.from('<h1>Not found</h1>'),
  })),
  'A body that is not JSON is rejected': failing(OPEN, '500·10', ({ body }) =>
    `${body}`.endsWith(':'),
  ),
});

/** Takes wrong tokens for the API token of the first merchant. */
function taking(calls: RegExp, isTaken: (token: string | undefined) => boolean): Fault {
  return receiving(calls, (call) => (isTaken(tokenOf(call)) ? withToken(call, TOKEN) : call));
}

/** Changes what verify returns of a paid collection. */
function ofPaid(change: (collection: any) => object): Fault {
  return withData(VERIFY, (collection) =>
    collection.status === 'successful' ? change(collection) : collection,
  );
}
