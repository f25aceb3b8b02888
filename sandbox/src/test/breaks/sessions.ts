import {
  type Fault,
  failing,
  isCall,
  jsonOf,
  receiving,
  tokenOf,
  withBody,
  withData,
  withResponse,
  withSession,
  withToken,
} from '../broken-service.ts';
import { type Breaks, EXTEND, OPEN, type Past, READ, reading } from './past.ts';

/** Breaks of sessions. */
export const buildSessionBreaks = (past: Past): Breaks => ({
  'A payment opens with a token and a session': withData(OPEN, ({ session }) => session),
  'A new session is open and has the terms that were sent': {
    'has no label': withSession(OPEN, (session) => ({ ...session, label: null })),
    'has another currency': withSession(OPEN, (session) =>
      session.label ? { ...session, currency: 'USD' } : session,
    ),
  },
  'A payment with every field that a page may pass opens': failing(OPEN, '400·01', ({ body }) =>
    body.includes('"locale"'),
  ),
  'An amount with fewer decimals is the same amount': {
    'writes 10.7 as it came': withSession(OPEN, (session) =>
      session.amount === '10.70' ? { ...session, amount: '10.7' } : session,
    ),
    'takes 10.70 for another amount': failing(OPEN, '400·04', ({ body }) =>
      body.includes('"10.70"'),
    ),
  },
  'An amount that no customer can pay is rejected': {
    'takes −5': withAmount('-5', '5'),
    'takes −5.00': withAmount('-5.00', '5.00'),
    'takes 0.00': withAmount('0.00', '1.00'),
    'takes 10.123456': withAmount('10.123456', '10.12'),
  },
  'A currency in small letters is rejected': receiving(OPEN, (call) => {
    const { currency, ...request } = jsonOf(call);
    return currency ? withBody(call, { ...request, currency: currency.toUpperCase() }) : call;
  }),
  'GET /current returns the session of the token': withSession(READ, (session, call) =>
    past.isNewest(tokenOf(call)!) ? { ...session, reference: 'another' } : session,
  ),
  'A new visitor gets 201, one who returns 200': withResponse(OPEN, (response) => ({
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
  'An attempt that runs when the time of its session is over still counts': withSession(
    READ,
    (session) => {
      const { attempt, now, expiresAt } = session;
      if (attempt?.status !== 'pay-offline' || now < expiresAt) return session;
      return { ...session, status: 'failed', attempt: { ...attempt, status: 'declined' } };
    },
  ),
  'A reference with another amount is rejected': receiving(OPEN, (call) =>
    call.body.includes('"11.00"') ? withBody(call, { ...jsonOf(call), amount: '10.00' }) : call,
  ),
  'An unknown key is rejected': failing(OPEN, '404·11', ({ body }) => body.includes('pub_unknown')),
  'Pages of other origins open nothing': {
    'opens them': receiving(OPEN, (call) => ({
      ...call,
      headers: { ...call.headers, origin: '', 'sec-fetch-site': '' },
    })),
    'rejects them as if the key were unknown': withResponse(OPEN, (response) =>
      jsonOf(response).errorCode === '13'
        ? withBody(response, { ...jsonOf(response), errorCode: '09' })
        : response,
    ),
  },
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
});

/** Takes one amount for another. */
function withAmount(from: string, to: string): Fault {
  return receiving(OPEN, (call) =>
    jsonOf(call).amount === from ? withBody(call, { ...jsonOf(call), amount: to }) : call,
  );
}
