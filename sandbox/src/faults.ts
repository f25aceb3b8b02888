import { ERROR_CODES, type ErrorCode } from '@service-pay/contract/envelope';
import type { RequestHandler, Response } from 'express';
import * as v from 'valibot';

import { pauseInRealTime } from './clock.ts';
import { spoilAnswer } from './spoiled-answer.ts';

/** Ways an answer can fail. */
export const FAULT_KINDS = ['latency', 'status', 'hang', 'reset', 'truncate', 'garbage', 'drip'] as const;

const rateSchema = v.pipe(v.number(), v.minValue(0, 'must be from 0 to 1'), v.maxValue(1, 'must be from 0 to 1'));

/** One fault: at `rate` of the calls, one of this kind. `latencyMs` is how late an answer is, or each byte of a drip. */
const faultSchema = v.strictObject({
  rate: rateSchema,
  kind: v.picklist(FAULT_KINDS),
  latencyMs: v.optional(v.pipe(v.number(), v.minValue(0, 'must be from 0 to 600000'), v.maxValue(600_000, 'must be from 0 to 600000'))),
  status: v.optional(
    v.pipe(
      v.number(),
      v.integer('must be a whole number'),
      v.minValue(400, 'must be from 400 to 599'),
      v.maxValue(599, 'must be from 400 to 599'),
    ),
  ),
  errorCode: v.optional(v.picklist(Object.keys(ERROR_CODES) as ErrorCode[])),
});

/** What `PUT /_sandbox/faults` takes: faults by face, webhooks lost at a rate, and a seed that makes them come again. What it does not know it refuses. */
export const faultSettingsSchema = v.strictObject({
  merchantApi: v.optional(faultSchema),
  checkoutApi: v.optional(faultSchema),
  checkoutPage: v.optional(faultSchema),
  script: v.optional(faultSchema),
  webhooks: v.optional(v.strictObject({ drop: v.optional(rateSchema) })),
  seed: v.optional(v.pipe(v.number(), v.integer('must be a whole number'))),
});
type Fault = v.InferOutput<typeof faultSchema>;
export type FaultSettings = v.InferOutput<typeof faultSettingsSchema>;

/** The faces a fault can be switched on for. The control API is none of them. */
export type FaultFace = Exclude<keyof FaultSettings, 'webhooks' | 'seed'>;

const DEFAULT_LATENCY_MS = 1_000;
const DEFAULT_DRIP_MS = 300;
const WAIT_BEFORE_RETRY_S = 1;

/** Faults switched on at will, decided by a seeded sequence: the same seed and calls give the same faults. */
export class Faults {
  readonly #seed: number;
  #settings: FaultSettings = {};
  #next: () => number;

  /** `seed` is that of settings which name none. */
  constructor(seed = 0) {
    this.#seed = seed;
    this.#next = seededRandom(seed);
  }

  get settings(): FaultSettings {
    return this.#settings;
  }

  /** Replaces every fault. */
  set(settings: FaultSettings): void {
    this.#settings = settings;
    this.#next = seededRandom(settings.seed ?? this.#seed);
  }

  /** Decides whether the next webhook is lost. */
  isWebhookDropped(): boolean {
    return this.#happens(this.#settings.webhooks?.drop ?? 0);
  }

  /** Lets the calls of a face fail as it is set. */
  inject(face: FaultFace): RequestHandler {
    return async (req, res, next) => {
      const fault = this.#settings[face];
      if (!fault || !this.#happens(fault.rate)) return next();
      if (fault.kind === 'hang') return undefined;
      if (fault.kind === 'reset') return void req.socket.resetAndDestroy();
      if (fault.kind === 'latency') {
        await pauseInRealTime(fault.latencyMs ?? DEFAULT_LATENCY_MS);
        return next();
      }
      if (fault.kind === 'status') return answerStatus(res, fault);
      spoilAnswer(res, fault.kind, fault.latencyMs ?? DEFAULT_DRIP_MS);
      next();
    };
  }

  #happens(rate: number): boolean {
    return rate > 0 && this.#next() < rate;
  }
}

function answerStatus(res: Response, { errorCode = '10', status = ERROR_CODES[errorCode].httpStatus }: Fault): void {
  if (status === 429 || status === 503) res.setHeader('Retry-After', WAIT_BEFORE_RETRY_S);
  res.status(status).json({ status: false, message: 'A fault that was switched on.', errorCode });
}

/** Numbers from 0 to 1 that only depend on the seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
