import { ERROR_CODES, errorEnvelope } from '@service-pay/contract/envelope';
import type { Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import { noteRejection } from '../http/request-history.ts';
import { sendError } from '../http/responses.ts';
import { SeededRandom, seededRandomSnapshotSchema } from '../time/random.ts';
import { pauseWhileRunning } from '../time/real-time.ts';
import { changeResponse, spoilResponse } from './bad-response.ts';
import {
  type Fault,
  type FaultSettings,
  type FaultyPart,
  faultSettingsSchema,
  type WebhookFault,
} from './fault-settings.ts';
import { TAMPERINGS, type Treatment } from './treatment.ts';

const snapshotSchema = v.strictObject({
  settings: faultSettingsSchema,
  random: seededRandomSnapshotSchema,
});
type Snapshot = v.InferOutput<typeof snapshotSchema>;

const DEFAULT_LATENCY_MS = 1_000;
const DEFAULT_DRIP_MS = 300;
const WAIT_BEFORE_RETRY_S = 1;
const ANOTHER_PAYMENT = { reference: 'another' };

/**
 * Injects faults. The same seed and calls give the same faults (T61), because each part and each
 * webhook fault has its own random sequence.
 */
export class Faults {
  readonly #seed: number;
  #settings: FaultSettings = {};
  #random: SeededRandom;

  constructor(seed = 0) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
  }

  get settings(): FaultSettings {
    return this.#settings;
  }

  set(settings: FaultSettings): void {
    this.#settings = settings;
    this.#random = new SeededRandom(settings.seed ?? this.#seed);
  }

  treatWebhook(): Treatment {
    const {
      drop = 0,
      duplicate = 0,
      delaySeconds = 0,
      shuffle = 0,
      tamper = 0,
    } = this.#settings.webhooks ?? {};
    const happens = {
      drop: this.#happens('drop', drop),
      duplicate: this.#happens('duplicate', duplicate),
      shuffle: this.#happens('shuffle', shuffle),
      tamper: this.#happens('tamper', tamper),
    } satisfies Record<WebhookFault, boolean>;
    const delayMs = this.#delayMs(delaySeconds);
    if (happens.drop) return { drop: true };
    return {
      ...(happens.duplicate && { copies: 1 }),
      ...(delayMs && { delayMs }),
      ...(happens.shuffle && { waitsFor: 'next' }),
      ...(happens.tamper && {
        tamper: TAMPERINGS[Math.floor(this.#random.draw('tampering') * TAMPERINGS.length)]!,
      }),
    };
  }

  shuffle<Member>(members: readonly Member[]): Member[] {
    return this.#random.shuffle('replays', members);
  }

  inject(part: FaultyPart): RequestHandler {
    return async (req, res, next) => {
      const fault = this.#settings[part];
      if (!fault || !this.#happens(part, fault.rate)) next();
      else await applyFault(fault, req, res, next);
    };
  }

  snapshot(): Snapshot {
    return { settings: this.#settings, random: this.#random.snapshot() };
  }

  restore(data: unknown): void {
    const { settings, random } = v.parse(snapshotSchema, data);
    this.#settings = settings;
    this.#random = new SeededRandom(random.seed, random.states);
  }

  #happens(what: string, rate: number): boolean {
    return rate > 0 && this.#random.draw(what) < rate;
  }

  #delayMs(delay: number | { min: number; max: number }): number {
    if (typeof delay === 'number') return Math.round(delay * 1000);
    return Math.round((delay.min + this.#random.draw('delay') * (delay.max - delay.min)) * 1000);
  }
}

export type CallFault = Omit<Fault, 'rate'> & {
  readonly message?: string;
  readonly retryAfterS?: number;
};

export async function applyFault(
  fault: CallFault,
  req: Request,
  res: Response,
  next: () => void,
): Promise<void> {
  if (fault.kind === 'hang') return;
  if (fault.kind === 'reset') {
    req.socket.resetAndDestroy();
  } else if (fault.kind === 'status') {
    respondWithStatus(res, fault);
  } else {
    if (fault.kind === 'change') changeResponse(res, fault.changes ?? ANOTHER_PAYMENT);
    else if (fault.kind === 'latency')
      await pauseWhileRunning(fault.latencyMs ?? DEFAULT_LATENCY_MS);
    else spoilResponse(res, fault.kind, fault.latencyMs ?? DEFAULT_DRIP_MS);
    next();
  }
}

function respondWithStatus(res: Response, fault: CallFault): void {
  const {
    errorCode = '10',
    status = ERROR_CODES[errorCode].httpStatus,
    retryAfterS = WAIT_BEFORE_RETRY_S,
  } = fault;
  if (status === 429 || status === 503) res.setHeader('Retry-After', retryAfterS);
  const { message = 'An injected fault.' } = fault;
  noteRejection(res, message);
  sendError(res.status(status), errorEnvelope(errorCode, message));
}
