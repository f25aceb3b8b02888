import { ERROR_CODES, errorEnvelope } from '@service-pay/contract/envelope';
import type { Request, RequestHandler, Response } from 'express';
import * as v from 'valibot';
import { noteRefusal } from '../history/request-log.ts';
import { pauseInRealTime } from '../time/clock.ts';
import { SeededRandom, seededRandomSnapshotSchema } from '../time/random.ts';
import { TAMPERINGS, type Treatment } from '../webhooks/delivery.ts';
import { spoilAnswer } from './bad-response.ts';
import {
  type Fault,
  type FaultFace,
  type FaultSettings,
  faultSettingsSchema,
} from './fault-settings.ts';

/** What is switched on as plain data, and where its sequences stand. */
const snapshotSchema = v.strictObject({
  settings: faultSettingsSchema,
  random: seededRandomSnapshotSchema,
});
type Snapshot = v.InferOutput<typeof snapshotSchema>;

const DEFAULT_LATENCY_MS = 1_000;
const DEFAULT_DRIP_MS = 300;
const WAIT_BEFORE_RETRY_S = 1;

/**
 * Faults switched on at will, decided by sequences of one seed: the same seed and calls give the
 * same faults (T61). Each face and each thing that may become of a webhook has a sequence of its
 * own, so that more of one changes nothing about another.
 */
export class Faults {
  readonly #seed: number;
  #settings: FaultSettings = {};
  #random: SeededRandom;

  /** `seed` is that of settings which name none. */
  constructor(seed = 0) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
  }

  get settings(): FaultSettings {
    return this.#settings;
  }

  /** Replaces every fault. */
  set(settings: FaultSettings): void {
    this.#settings = settings;
    this.#random = new SeededRandom(settings.seed ?? this.#seed);
  }

  /** Decides what becomes of the next webhook. */
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
    };
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

  /** Puts things in another order, as the seed decides. */
  shuffle<Member>(members: readonly Member[]): Member[] {
    return this.#random.shuffle('replays', members);
  }

  /** Lets the calls of a face fail as it is set. */
  inject(face: FaultFace): RequestHandler {
    return async (req, res, next) => {
      const fault = this.#settings[face];
      if (!fault || !this.#happens(face, fault.rate)) next();
      else await applyFault(fault, req, res, next);
    };
  }

  /** What is switched on and where the sequences stand, as plain data. */
  snapshot(): Snapshot {
    return { settings: this.#settings, random: this.#random.snapshot() };
  }

  /** Goes on from a snapshot. Throws where it is none. */
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

/** How one call fails. An error may say so in words of its own. */
export type CallFault = Omit<Fault, 'rate'> & {
  readonly message?: string;
  readonly retryAfterS?: number;
};

/** Lets one call fail. */
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
    answerStatus(res, fault);
  } else {
    if (fault.kind === 'latency') await pauseInRealTime(fault.latencyMs ?? DEFAULT_LATENCY_MS);
    else spoilAnswer(res, fault.kind, fault.latencyMs ?? DEFAULT_DRIP_MS);
    next();
  }
}

function answerStatus(res: Response, fault: CallFault): void {
  const {
    errorCode = '10',
    status = ERROR_CODES[errorCode].httpStatus,
    retryAfterS = WAIT_BEFORE_RETRY_S,
  } = fault;
  if (status === 429 || status === 503) res.setHeader('Retry-After', retryAfterS);
  const { message = 'A fault that was switched on.' } = fault;
  noteRefusal(res, message);
  res.status(status).json(errorEnvelope(errorCode, message));
}
