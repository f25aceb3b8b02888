import type { CreateAttempt } from '@service-pay/contract/checkout-api';
import type { Channel } from '@service-pay/contract/payment-request-schema';
import { rejectFields } from '../http/api-error.ts';
import { type Instrument, type InstrumentReader, readCardOf, readPhoneOf } from './instrument.ts';
import type { SessionTerms } from './session.ts';

interface ChannelRow<Name extends Channel> {
  /** As in a sentence. */
  readonly name: string;
  readonly settlement: { readonly type: string; readonly afterMs: number };
  readonly read: InstrumentReader<Name>;
}

/** Everything that differs by channel. */
export const CHANNEL_TABLE: { readonly [Name in Channel]: ChannelRow<Name> } = {
  card: {
    name: 'card',
    settlement: { type: 'next-day', afterMs: 24 * 60 * 60_000 },
    read: readCardOf,
  },
  'mobile-money': {
    name: 'mobile money',
    settlement: { type: 'instant', afterMs: 1_000 },
    read: readPhoneOf,
  },
};

/** Reads a submitted instrument. Rejects it with 400·01, or 400·12 for a phone. */
export function readInstrument(
  terms: SessionTerms,
  input: CreateAttempt,
  how: Parameters<InstrumentReader>[2],
): Instrument {
  if (!terms.channels.includes(input.channel)) {
    rejectFields([
      { path: 'channel', code: 'invalid', message: 'This payment does not offer that channel.' },
    ]);
  }
  return CHANNEL_TABLE[input.channel].read(terms, input as never, how);
}
