import {
  type CreateAttempt,
  sessionGrantSchema,
  sessionSchema,
} from '@service-pay/contract/checkout-api';
import {
  type CheckoutCall,
  openSession,
  requestOf,
  startAttempt,
} from '@service-pay/contract/checkout-calls';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';
import { exchange } from '../exchange.ts';
import { cardOf, SANDBOX_NUMBERS } from '../numbers.ts';
import { dataOf } from '../responses.ts';

const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Opens a payment as the popup does and pays with a card whose bank asks the customer, in any
 * currency. Returns what approves the payment, which ends it.
 */
export async function startChallenged(
  sandboxUrl: string,
  payment: PaymentRequest,
): Promise<() => Promise<void>> {
  const grant = await send(openSession(payment));
  const { token } = dataOf(grant, sessionGrantSchema);
  const attempt: CreateAttempt = {
    id: crypto.randomUUID(),
    ...cardOf(SANDBOX_NUMBERS, 'challenged'),
  };
  const started = await send(startAttempt(attempt), token);
  const path = dataOf(started, sessionSchema).attempt!.challengeUrl!;
  return async () => {
    const approval = { path, withinMs: 10_000, body: { answer: 'approve' } };
    dataOf(await send(approval), v.object({ answer: v.literal('approve') }));
  };

  function send(call: CheckoutCall, token?: string) {
    const limits = { withinMs: call.withinMs, mostBytes: MOST_BYTES };
    const url = new URL(call.path, sandboxUrl);
    return exchange(url, requestOf(call, token), limits, (ms) => AbortSignal.timeout(ms));
  }
}
