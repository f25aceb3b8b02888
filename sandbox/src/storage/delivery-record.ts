import * as v from 'valibot';

import { type KeptDelivery, keptDeliverySchema } from '../webhooks/delivery.ts';
import { PackedText } from './packed-text.ts';

/**
 * What most deliveries say: one of a payment by card and one by phone, each acknowledged at the
 * first attempt.
 */
const RECORDS = new PackedText(
  [
    ordinary({
      type: 'card',
      mobileMoneyDetails: null,
      cardDetails: {
        firstName: 'Mary',
        lastName: 'Test',
        bin: '424242',
        last4: '4242',
        cardType: 'visa',
      },
    }),
    ordinary({
      type: 'mobile-money',
      mobileMoneyDetails: {
        ...{ country: 'zm', phone: '0971111111', operator: 'airtel' },
        ...{ accountName: 'TEST PAYER', operatorTransactionId: 'SANDBOX-000001' },
      },
      cardDetails: null,
    }),
  ].join(''),
);

/** A delivery in some 200 bytes, each a character. `unpackDelivery` gives an equal one. */
export function packDelivery(delivery: KeptDelivery): string {
  return RECORDS.pack(JSON.stringify(delivery));
}

/** The delivery that was packed. */
export function unpackDelivery(packed: string): KeptDelivery {
  return JSON.parse(RECORDS.unpack(packed)) as KeptDelivery;
}

/** The same of a text that may be none. Throws where it is none. */
export function parseDelivery(packed: string): KeptDelivery {
  return v.parse(keptDeliverySchema, unpackDelivery(packed));
}

function ordinary(instrument: {
  type: string;
  mobileMoneyDetails: object | null;
  cardDetails: object | null;
}): string {
  const at = '2026-01-01T00:00:00.000Z';
  const collection = {
    ...{
      id: '',
      initiatedAt: at,
      completedAt: at,
      amount: '10.00',
      fee: '0.25',
      bearer: 'merchant',
      currency: 'ZMW',
    },
    ...{
      reference: 'order-1',
      serviceReference: '000000001',
      type: instrument.type,
      status: 'successful',
      source: 'api',
    },
    ...{ reasonForFailure: null, settlementStatus: 'pending' },
    settlement: {
      ...{
        id: '',
        amountSettled: '9.75',
        currency: 'ZMW',
        createdAt: at,
        settledAt: null,
        status: 'pending',
      },
      ...{ type: 'next-day', accountId: '' },
    },
    mobileMoneyDetails: instrument.mobileMoneyDetails,
    bankAccountDetails: null,
    cardDetails: instrument.cardDetails,
  };
  const delivery: KeptDelivery = {
    ...{
      event: 'collection.successful',
      merchant: 'pub_sandbox_demo',
      reference: 'order-1',
      url: 'http://127.0.0.1:4000/',
    },
    body: JSON.stringify({ event: 'collection.successful', data: collection }),
    ...{
      repeats: null,
      isReplay: false,
      treatment: {},
      id: '',
      createdAt: at,
      status: 'acknowledged',
      dueAt: null,
      plan: null,
    },
    ...{ isHeld: false, behind: null },
    attempts: [
      {
        at,
        signature: '',
        status: 200,
        headers: { 'content-length': '0' },
        body: '',
        error: null,
        tookMs: 1,
      },
    ],
  };
  return JSON.stringify(delivery);
}
