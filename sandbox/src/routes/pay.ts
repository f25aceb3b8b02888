import { randomUUID } from 'node:crypto';
import type { CreateAttempt } from '@service-pay/contract/checkout-api';
import { findPhone } from '@service-pay/contract/phone';
import { Router } from 'express';
import type { PayInput } from '../control/inputs.ts';
import type { PayResult } from '../control/outputs.ts';
import { ApiError } from '../http/api-error.ts';
import { envelope } from '../http/responses.ts';
import type { Merchants } from '../payments/merchants.ts';
import type { Payments } from '../payments/payments.ts';
import type { Attempt, Session, Visit } from '../payments/session.ts';
import { findRunning } from '../payments/session-life.ts';
import type { History } from '../storage/history.ts';
import { ONE_TIME_CODE, TEST_CARDS } from '../test-numbers/outcomes.ts';
import type { Clock } from '../time/clock.ts';
import { isDoneWithin } from '../time/real-time.ts';
import { addControlRoute } from './control-routes.ts';

export interface PayApiDeps {
  clock: Clock;
  payments: Payments;
  history: History;
  merchants: Merchants;
}

/** The longest wait for an attempt that needs no person. */
const LONGEST_WAIT_MS = 30_000;

const BILLING = {
  streetAddress: '1 Test Street',
  city: 'Lusaka',
  postalCode: '10101',
  country: 'ZM',
};

/** `POST /pay`: opens a session and pays with a test number, as a customer would. */
export function buildPayApi({ clock, payments, history, merchants }: PayApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  addControlRoute(router, 'pay', async ({ body: input, res }) => {
    const { merchant, reference, amount, currency, email, approve } = input;
    if (input.card !== undefined && input.phone !== undefined)
      throw new ApiError('invalid', 'Name a card or a phone, not both.');
    if (!merchants.find(merchant))
      throw new ApiError('not_found', 'No merchant has this public key. Create it first.');

    const request = { key: merchant, email, reference, amount, ...(currency && { currency }) };
    const { visit } = payments.sessions.open(request, undefined);
    const { session } = visit;
    const submitted = buildAttempt(session, input);
    payments.attempt(visit, submitted);
    const attempt = session.attempts.find(({ id }) => id === submitted.id);
    if (!attempt) {
      throw new ApiError(
        'reference_rejected',
        'Another attempt of this payment is running. Approve or decline it, or wait until it ends.',
      );
    }
    if (approve !== undefined) answer(visit, attempt, approve);
    if (endsSoon(session, attempt)) await untilEnded(session, attempt);
    res.status(isRunning(session, attempt) ? 202 : 200).json(envelope(resultOf(session, attempt)));
  });

  return router;

  function buildAttempt({ networks }: Session, { card, phone }: PayInput): CreateAttempt {
    const id = randomUUID();
    if (phone !== undefined) {
      const { network } = findPhone(phone, networks) ?? payments.requirePhone(phone);
      return { id, channel: 'mobile-money', mobileMoney: { operator: network.operator, phone } };
    }
    const year = new Date(clock.now()).getUTCFullYear() + 1;
    return {
      id,
      channel: 'card',
      card: {
        number: card ?? TEST_CARDS[0]!.number,
        expiry: `12/${String(year % 100).padStart(2, '0')}`,
        securityCode: '123',
        name: 'Test Customer',
      },
      billing: BILLING,
    };
  }

  function answer(visit: Visit, attempt: Attempt, approve: boolean): void {
    const { session } = visit;
    const isWaitingFor = (status: string) => findRunning(session.life)?.status === status;
    const word = approve ? 'approve' : 'decline';
    if (attempt.challenge && isWaitingFor('3ds-auth-required'))
      payments.answerChallenge(attempt.challenge, word);
    while (isWaitingFor('otp-required'))
      payments.enterCode(visit, attempt.id, approve ? ONE_TIME_CODE.right : '111111');
    if (attempt.phone && isWaitingFor('pay-offline'))
      payments.answerPrompt(attempt.phone.international, word, session);
  }

  function endsSoon({ life }: Session, { outcome }: Attempt): boolean {
    const status = findRunning(life)?.status;
    const needsNobody = status === 'pending' || status === 'pay-offline';
    const afterMs = outcome.answeredAfterMs ?? Infinity;
    return needsNobody && clock.mode === 'real' && afterMs <= LONGEST_WAIT_MS;
  }

  async function untilEnded(session: Session, attempt: Attempt): Promise<void> {
    const ended = Promise.withResolvers<void>();
    const stop = history.subscribe((news) => {
      if (news === 'reset' || !isRunning(session, attempt)) ended.resolve();
    });
    await isDoneWithin(ended.promise, LONGEST_WAIT_MS);
    stop();
  }
}

function isRunning({ life }: Session, { id }: Attempt): boolean {
  return findRunning(life)?.id === id;
}

function resultOf(session: Session, { id }: Attempt): PayResult {
  const { merchant, reference, life, collection } = session;
  const { status, reasonForFailure } = life.attempts.find((one) => one.id === id)!;
  return {
    merchant,
    reference,
    status,
    reasonForFailure,
    collection: structuredClone(collection!),
  };
}
