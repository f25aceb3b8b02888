import type { Attempt, CreateAttempt, Session } from '../checkout-api.ts';
import type { Collection } from '../collection.ts';
import type { PaymentRequest } from '../payment-request-schema.ts';

export const PAID: Collection = {
  id: '9c1d2f64-7a0e-4b7c-8e57-6a1f4b3d2c33',
  initiatedAt: '2026-03-12T07:06:11.562Z',
  completedAt: '2026-03-12T07:06:15.412Z',
  amount: '10.75',
  fee: '0.27',
  bearer: 'merchant',
  currency: 'ZMW',
  reference: 'order-1001',
  serviceReference: '000000001',
  type: 'mobile-money',
  status: 'successful',
  source: 'api',
  reasonForFailure: null,
  settlementStatus: 'settled',
  settlement: {
    id: '5f0c3b0e-6f0a-4c53-9a55-0d6f3f5f0a11',
    amountSettled: '10.48',
    currency: 'ZMW',
    createdAt: '2026-03-12T07:06:15.412Z',
    settledAt: '2026-03-12T07:06:16.412Z',
    status: 'settled',
    type: 'instant',
    accountId: '0b7f3c52-3a56-4a63-8d0f-2f1c9a6b7e22',
  },
  mobileMoneyDetails: {
    country: 'zm',
    phone: '0971111111',
    operator: 'airtel',
    accountName: 'TEST PAYER',
    operatorTransactionId: 'SANDBOX-000001',
  },
  bankAccountDetails: null,
  cardDetails: null,
};

const UNPAID = { completedAt: null, fee: null, settlementStatus: null, settlement: null } as const;

export const PROMPTED: Collection = {
  ...PAID,
  ...UNPAID,
  status: 'pay-offline',
  mobileMoneyDetails: {
    ...PAID.mobileMoneyDetails!,
    accountName: null,
    operatorTransactionId: null,
  },
};

export const FAILED: Collection = {
  ...PAID,
  ...UNPAID,
  completedAt: '2026-03-12T07:36:11.562Z',
  type: 'card',
  status: 'failed',
  reasonForFailure: 'Card declined',
  mobileMoneyDetails: null,
  cardDetails: {
    firstName: 'Ada',
    lastName: 'Test',
    bin: '400000',
    last4: '0002',
    cardType: 'visa',
  },
};

export const REQUEST: PaymentRequest = {
  key: 'pub_sandbox_demo',
  email: 'ada@shop.example',
  reference: 'order-1001',
  amount: '10.75',
};

export const OPEN: Session = {
  reference: 'order-1001',
  merchantName: 'Kabwata Market',
  label: null,
  amount: '10.75',
  fee: '0.00',
  total: '10.75',
  currency: 'ZMW',
  bearer: 'merchant',
  isTest: true,
  channels: ['card', 'mobile-money'],
  networks: [
    {
      operator: 'airtel',
      name: 'Airtel',
      country: 'zm',
      callingCode: '260',
      prefixes: ['097', '077', '057'],
      dialCode: '*000#',
      typicalSeconds: 20,
    },
  ],
  status: 'open',
  reasonForFailure: null,
  attemptsLeft: 5,
  expiresAt: '2026-03-12T07:36:00.000Z',
  extensionsLeft: 10,
  now: '2026-03-12T07:06:00.000Z',
  completedAt: null,
  attempt: null,
};

const ATTEMPT_ID = '3b1f8b1e-5d0b-4f4f-9a43-6f5d5a0c7e10';

const NOTHING_OUT: Attempt = {
  id: ATTEMPT_ID,
  channel: 'mobile-money',
  status: 'pending',
  isYours: true,
  reasonForFailure: null,
  expiresAt: null,
  challengeUrl: null,
  prompt: null,
  card: null,
  codesLeft: null,
};

export function sessionWith(attempt: Partial<Attempt>, session: Partial<Session> = {}): Session {
  return {
    ...OPEN,
    now: '2026-03-12T07:06:11.562Z',
    attemptsLeft: 4,
    attempt: { ...NOTHING_OUT, ...attempt },
    ...session,
  };
}

export const PROMPT = {
  operator: 'airtel',
  networkName: 'Airtel',
  firstDigits: '097',
  lastDigits: '1111',
} as const;

export const ATTEMPTS = {
  card: {
    id: ATTEMPT_ID,
    channel: 'card',
    card: { number: '4242 4242 4242 4242', expiry: '12/34', securityCode: '123', name: 'Ada Test' },
  },
  phone: {
    id: ATTEMPT_ID,
    channel: 'mobile-money',
    mobileMoney: { operator: 'airtel', phone: '97 111 1111' },
  },
} as const satisfies Record<string, CreateAttempt>;
