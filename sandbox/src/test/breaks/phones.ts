import { WITHDRAWN_REASON } from '@service-pay/contract/checkout-api';
import { SANDBOX_NUMBERS } from '../../check/numbers.ts';
import {
  failing,
  isCall,
  jsonOf,
  receiving,
  tokenOf,
  withAttempt,
  withBody,
  withSession,
  withToken,
} from '../broken-service.ts';
import {
  type Breaks,
  CODE,
  type Past,
  READ,
  reading,
  SESSIONS,
  START,
  WITHDRAW,
  withNewId,
} from './past.ts';

/** Breaks of phones, and of what a phone or a card does a minute later. */
export const buildPhoneBreaks = (past: Past): Breaks => ({
  'A phone pays': receiving(START, (call) => ({
    ...call,
    body: Buffer.from(`${call.body}`.replace('96 111 1111', '96 222 2222')),
  })),
  'A request on the phone says which phone and until when': {
    'shows the whole number': withAttempt(SESSIONS, (attempt) => ({
      ...attempt,
      prompt: attempt.prompt && { ...attempt.prompt, lastDigits: '0960000000' },
    })),
    'cannot be cancelled from the start': withAttempt(START, (attempt) => ({
      ...attempt,
      ...(attempt.status === 'pay-offline' && { withdrawable: false }),
    })),
  },
  'A wrong phone number is rejected': failing(START, '400·01', (_call, response) =>
    `${response.body}`.includes('"12"'),
  ),
  'A request can be cancelled': withAttempt(WITHDRAW, (attempt) => ({
    ...attempt,
    reasonForFailure: 'Cancelled',
  })),
  'A cancellation that is repeated gets the same response': failing(WITHDRAW, '400·04', (call) =>
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
  'Wrong codes are limited': receiving(CODE, (call) => {
    const { code } = jsonOf(call);
    if (code === SANDBOX_NUMBERS.oneTimeCode) return call;
    const count = (past.codes.get(call.path) ?? 0) + 1;
    past.codes.set(call.path, count);
    return count > 1 ? reading(call) : call;
  }),
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
  'The form accepts each test phone, as of its network': withSession(SESSIONS, (session) => ({
    ...session,
    networks: session.networks.map((network: { prefixes: string[] }) => ({
      ...network,
      prefixes: network.prefixes.map((prefix) => prefix.slice(1)),
    })),
  })),
  'An attempt sent again a minute later is not tried again': receiving(START, (call) => {
    return past.ageOf(jsonOf(call).id) >= 60_000 ? withNewId(call) : call;
  }),
  'A request that was cancelled never charges': async (call, next) => {
    const id = call.path.split('/').at(-2)!;
    const isPaying = past.inputs.get(id)?.body.includes('96 111 1111');
    if (!isCall(call, WITHDRAW) || !isPaying) return next(call);
    const { data } = jsonOf(await next(reading(call)));
    if (data.attempt.status !== 'pay-offline') return next(call);
    const attempt = {
      ...data.attempt,
      status: 'declined',
      reasonForFailure: WITHDRAWN_REASON,
    };
    const response = await next(reading(call));
    return withBody(response, { status: true, message: '', data: { ...data, attempt } });
  },
});
