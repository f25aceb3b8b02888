import {
  errorOf,
  type Fault,
  failing,
  isCall,
  jsonOf,
  receiving,
  tokenOf,
  withAttempt,
  withBody,
  withResponse,
  withSession,
  withToken,
} from '../broken-service.ts';
import {
  type Breaks,
  meeting,
  OPEN,
  type Past,
  READ,
  reading,
  SESSIONS,
  START,
  withNewId,
} from './past.ts';

const PROMPT = { operator: 'mtn', networkName: 'MTN', lastDigits: '0000' };

/** Breaks of attempts, and of what other visitors see. */
export const buildAttemptBreaks = (past: Past): Breaks => ({
  'A card pays': withAttempt(SESSIONS, (attempt) =>
    attempt.channel === 'card' ? { ...attempt, channel: 'plastic' } : attempt,
  ),
  'An attempt sent again under its id is not tried again': receiving(START, (call) =>
    past.isSentAgain(call) && past.ageOf(jsonOf(call).id) < 60_000 ? withNewId(call) : call,
  ),
  'An attempt that arrives while another runs never starts': receiving(START, (call) =>
    past.isSentAgain(call) && past.passedOver.has(jsonOf(call).id) ? withNewId(call) : call,
  ),
  'Attempts that arrive together start once': startingTwice(past),
  'Openings that arrive together open one session': meeting(past, OPEN, (call, next) => {
    const { reference, ...request } = jsonOf(call);
    return next(withBody(call, { ...request, reference: `${reference}-2` }));
  }),
  'Only the newest token starts attempts': {
    'takes any token': receiving(START, (call) => withToken(call, past.newestOf(tokenOf(call)!))),
    'never starts what it has rejected': receiving(START, (call) =>
      past.rejected.get(jsonOf(call).id) === 401 ? reading(call) : call,
    ),
  },
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
  'A paid reference opens as paid and starts no attempt': withSession(OPEN, (session) => ({
    ...session,
    status: 'open',
  })),
  'A reference whose attempts are used up is over': withResponse(OPEN, (response, call) =>
    call.body.includes('"10.00"') && jsonOf(response).errorCode === '04'
      ? errorOf('404·11')
      : response,
  ),
  'A wrong card is rejected by its field': withResponse(START, (response) =>
    `${response.body}`.includes('card-number-invalid') ? errorOf('400·01') : response,
  ),
  'A rejected attempt is not counted': withSession(READ, (session, call) => {
    const isCounted = session.status === 'open' && past.hasRejected(tokenOf(call)!);
    return isCounted ? { ...session, attemptsLeft: session.attemptsLeft - 1 } : session;
  }),
  'A card that needs an address asks for it': {
    'names no field': withResponse(START, (response) =>
      `${response.body}`.includes('billing-required') ? errorOf('400·01') : response,
    ),
    'never starts what it has rejected': receiving(START, (call) =>
      past.rejected.get(jsonOf(call).id) === 400 ? reading(call) : call,
    ),
  },
  "The checkout page can frame the bank's page": {
    'is elsewhere': withChallenge('https://bank.example/challenge'),
    'has no address': withChallenge('http://['),
  },

  'Nobody can guess the token of a session': {
    'is short': withTokens(past, (count) => `t${count}`),
    'counts up': withTokens(past, (count) => `token-of-a-session-${`${count}`.padStart(20, '0')}`),
  },
  'A token in the address opens nothing': receiving(
    / \/checkout\/v1\/sessions\/current\?/,
    (call) => {
      const token = new URLSearchParams(call.path.split('?')[1]).get('access_token');
      return token ? withToken(reading(call), token) : call;
    },
  ),
  'Another visitor does not see a request on a phone': {
    'shows it to who opens': showing(OPEN, 'mobile-money', { prompt: PROMPT }),
    'shows it to who reads': showing(READ, 'mobile-money', { prompt: PROMPT }),
  },
  'Another visitor does not see a declined card, or why': {
    'shows the card': showing(OPEN, 'card', { card: { brand: 'visa', lastDigits: '0002' } }),
    'shows the reason': showing(READ, 'card', { reasonForFailure: 'Card declined' }),
  },
  "Another visitor does not see the bank's page": showing(
    OPEN,
    'card',
    {
      challengeUrl: '/checkout/v1/challenges/1',
    },
    '3ds-auth-required',
  ),
});

/** Counts the second of two attempts that arrive together, too. */
function startingTwice(past: Past): Fault {
  const twice = new Set<string | undefined>();
  const start = meeting(past, START, (call, next) => {
    twice.add(past.referenceOf.get(tokenOf(call)!));
    return next(call);
  });
  const count = withSession(SESSIONS, (session) => ({
    ...session,
    attemptsLeft: session.attemptsLeft - (twice.has(session.reference) ? 1 : 0),
  }));
  return (call, next) => count(call, (counted) => start(counted, next));
}

/** Shows another visitor what a card or a phone was used for. */
function showing(calls: RegExp, channel: string, shown: object, status?: string): Fault {
  return withAttempt(calls, (attempt) => {
    const isShown = status ? attempt.status === status : attempt.status !== '3ds-auth-required';
    return !attempt.isYours && attempt.channel === channel && isShown
      ? { ...attempt, ...shown }
      : attempt;
  });
}

function withChallenge(challengeUrl: string): Fault {
  return withAttempt(SESSIONS, (attempt) => ({
    ...attempt,
    challengeUrl: attempt.challengeUrl && challengeUrl,
  }));
}

/** Issues tokens of other names. */
function withTokens(past: Past, nameOf: (count: number) => string): Fault {
  return async (call, next) => {
    const real = past.aliases.get(tokenOf(call) ?? '');
    const response = await next(real ? withToken(call, real) : call);
    if (!isCall(call, OPEN) || response.status >= 400) return response;
    const json = jsonOf(response);
    const token = nameOf(past.aliases.size);
    past.aliases.set(token, json.data.token);
    return withBody(response, { ...json, data: { ...json.data, token } });
  };
}
