import { randomBytes } from 'node:crypto';
import type {
  CardBrand,
  CreateAttempt,
  FieldProblemCode,
} from '@service-pay/contract/checkout-api';
import { findOneTimeCode } from '@service-pay/contract/one-time-code';
import type { Channel } from '@service-pay/contract/payment-request-schema';
import { findPhone } from '@service-pay/contract/phone';
import { ApiError, rejectFields } from '../http/api-error.ts';

import { readCard } from '../test-numbers/cards.ts';
import { ONE_TIME_CODE, ORDINARY_PHONE, TEST_PHONES } from '../test-numbers/outcomes.ts';
import type { MobilePhone } from '../test-numbers/phones.ts';
import type { Attempt, SessionTerms } from './session.ts';
import type { RunningStatus } from './session-life.ts';

export type Instrument = Pick<
  Attempt,
  'outcome' | 'cardDetails' | 'mobileMoneyDetails' | 'phone' | 'challenge' | 'codesLeft'
> & {
  status: RunningStatus;
};

const NOTHING = {
  cardDetails: null,
  mobileMoneyDetails: null,
  phone: null,
  challenge: null,
  codesLeft: null,
} as const;
const CHALLENGE_SECRET_BYTES = 24;

export type InstrumentReader<Name extends Channel = Channel> = (
  terms: SessionTerms,
  input: Extract<CreateAttempt, { channel: Name }>,
  how: { now: number; cardBrands: readonly CardBrand[] },
) => Instrument;

export const readCardOf: InstrumentReader<'card'> = (_terms, input, how) => {
  const card = readCard(input.card, input.billing, how);
  if (Array.isArray(card)) return rejectFields(card);
  const { outcome, details: cardDetails } = card;
  return outcome.first === 'challenge'
    ? {
        ...NOTHING,
        outcome,
        cardDetails,
        status: '3ds-auth-required',
        challenge: randomBytes(CHALLENGE_SECRET_BYTES).toString('base64url'),
      }
    : { ...NOTHING, outcome, cardDetails, status: 'pending' };
};

export const readPhoneOf: InstrumentReader<'mobile-money'> = (terms, input) => {
  const phone = readPhone(terms, input.mobileMoney);
  const { country, operator } = phone.network;
  const row =
    TEST_PHONES.find((one) => one.country === country && one.number === phone.national) ??
    ORDINARY_PHONE;
  const outcome = {
    ...(row.first && { first: row.first }),
    answeredAfterMs: row.answeredAfterMs,
    end: row.end,
    ...(row.withdrawal && { withdrawal: row.withdrawal }),
  };
  const mobileMoneyDetails = {
    country,
    phone: phone.national,
    operator,
    accountName: null,
    operatorTransactionId: null,
  };
  return outcome.first === 'one-time-code'
    ? {
        ...NOTHING,
        outcome,
        phone,
        mobileMoneyDetails,
        status: 'otp-required',
        codesLeft: ONE_TIME_CODE.tries,
      }
    : { ...NOTHING, outcome, phone, mobileMoneyDetails, status: 'pay-offline' };
};

/** Reads a submitted one-time code. Rejects it with 400·01. */
export function readOneTimeCode({ code: text }: { code: string }): string {
  return (
    findOneTimeCode(text) ??
    rejectFields([{ path: 'code', code: 'code-invalid', message: 'code must be 4 to 8 digits.' }])
  );
}

function readPhone(
  { networks }: SessionTerms,
  { operator, phone: text }: { operator: string; phone: string },
): MobilePhone {
  const network = networks.find((one) => one.operator === operator);
  if (!network)
    return rejectFields([
      {
        path: 'mobileMoney.operator',
        code: 'invalid',
        message: 'Choose one of the networks offered.',
      },
    ]);
  const phone = findPhone(text, networks);
  if (!phone)
    return rejectPhone(
      'phone-invalid',
      `This is not a number of ${network.name}. It needs ten digits starting with ${network.prefixes.join(', ')}.`,
    );
  if (phone.network !== network)
    return rejectPhone(
      'phone-other-network',
      `This is a number of ${phone.network.name}, not of ${network.name}.`,
    );
  return phone;
}

function rejectPhone(code: FieldProblemCode, message: string): never {
  throw new ApiError('phone_invalid', message, [{ path: 'mobileMoney.phone', code, message }]);
}
