import type { Collection } from '@service-pay/contract/collection';
import type { ErrorEnvelope } from '@service-pay/contract/envelope';
import { request } from 'undici';
import type * as v from 'valibot';

import type { ClockMode } from './clock.ts';
import type { Handset } from './control-api.ts';
import type { FaultSettings } from './faults.ts';
import type { Merchant, MerchantSettings } from './merchants.ts';
import { CONTROL_PATH } from './paths.ts';
import type { placedCollectionSchema } from './placed-collection.ts';
import type { Delivery } from './webhook-sender.ts';

/** Where a clock stands. */
export interface ClockState {
  mode: ClockMode;
  now: string;
}

/** The control API of one sandbox, typed. Each call is one request; a refusal rejects with a `ControlError`. */
export interface Control {
  /** Empties everything: real clock, faults off, merchants as at start. */
  reset(): Promise<void>;
  /** Puts a collection there; only `reference` is required. */
  putCollection(collection: v.InferInput<typeof placedCollectionSchema>): Promise<Collection>;
  setClock(clock: { mode: ClockMode; now?: string }): Promise<ClockState>;
  /** Moves time on and waits until everything due has run. */
  advance(seconds: number): Promise<ClockState>;
  /** Approves the newest prompt on a phone, or that of `reference`; gives the reference answered. */
  approve(number: string, reference?: string): Promise<string>;
  decline(number: string, reference?: string): Promise<string>;
  /** What is out on a phone: prompts and one-time codes. */
  phone(number: string): Promise<Handset>;
  /** Changes a merchant, or makes one, which then needs an `apiToken`. */
  putMerchant(publicKey: string, settings: Partial<MerchantSettings>): Promise<Omit<Merchant, 'apiToken'>>;
  setFaults(faults: FaultSettings): Promise<FaultSettings>;
  clearFaults(): Promise<void>;
  /** Every webhook since the last reset, with each attempt's answer. */
  webhooks(): Promise<Delivery[]>;
}

/** A control call that was refused. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly httpStatus: number;
  readonly errorCode: string | undefined;

  constructor(httpStatus: number, { message, errorCode }: ErrorEnvelope) {
    super(message);
    this.httpStatus = httpStatus;
    this.errorCode = errorCode;
  }
}

/** Builds the client of a sandbox's control API. */
export function buildControl({ url, token }: { url: string; token: string | null }): Control {
  const answerPrompt = async (number: string, answer: string, reference?: string) => {
    const { reference: answered } = await call<{ reference: string }>('POST', `/phones/${encodeURIComponent(number)}/${answer}`, {
      reference,
    });
    return answered;
  };
  return {
    reset: () => call('POST', '/reset'),
    putCollection: (collection) => call('POST', '/collections', collection),
    setClock: (clock) => call('PUT', '/clock', clock),
    advance: (seconds) => call('POST', '/clock/advance', { seconds }),
    approve: (number, reference) => answerPrompt(number, 'approve', reference),
    decline: (number, reference) => answerPrompt(number, 'decline', reference),
    phone: (number) => call('GET', `/phones/${encodeURIComponent(number)}`),
    putMerchant: (publicKey, settings) => call('PUT', `/merchants/${encodeURIComponent(publicKey)}`, settings),
    setFaults: (faults) => call('PUT', '/faults', faults),
    clearFaults: () => call('DELETE', '/faults'),
    webhooks: () => call('GET', '/webhooks'),
  };

  async function call<Data>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Data> {
    const answer = await request(`${url}${CONTROL_PATH}${path}`, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...(token !== null && { 'x-sandbox-token': token }) },
      body: body ? JSON.stringify(body) : null,
      headersTimeout: 0,
    });
    const envelope = (await answer.body.json()) as { status: true; data: Data } | ErrorEnvelope;
    if (!envelope.status) throw new ControlError(answer.statusCode, envelope);
    return envelope.data;
  }
}
