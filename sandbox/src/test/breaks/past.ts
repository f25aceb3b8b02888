import { realTimeMs } from '../../time/real-time.ts';
import { type Call, type Fault, isCall, jsonOf, tokenOf, withBody } from '../broken-service.ts';

export const KEY = 'pub_sandbox_demo';
export const TOKEN = 'sec_sandbox_demo';
export const OTHER = { key: 'pub_sandbox_other', token: 'sec_sandbox_other' };

export const SESSIONS = / \/checkout\/v1\/sessions/;
export const OPEN = /^POST \/checkout\/v1\/sessions$/;
export const READ = /^GET \/checkout\/v1\/sessions\/current$/;
export const START = /\/attempts$/;
export const EXTEND = /\/extension$/;
export const WITHDRAW = /\/withdrawal$/;
export const CODE = /\/one-time-code$/;
export const PAGE = /^GET \/checkout\/v1\/\?/;
export const VERIFY = /^GET \/access\/v2\/collections\/status\//;
export const LIST = /^GET \/access\/v2\/collections(\?|$)/;

/**
 * The time of a check. One that waits for nothing passes with its pauses, and when a test says so.
 */
export class CheckTime {
  #passedMs = 0;
  readonly #isReal: boolean;
  readonly #deadlines: { at: number; controller: AbortController }[] = [];

  constructor({ isReal = false } = {}) {
    this.#isReal = isReal;
  }

  get now(): number {
    return this.#isReal ? realTimeMs() : this.#passedMs;
  }

  deadline(ms: number): AbortSignal {
    const controller = new AbortController();
    this.#deadlines.push({ at: this.now + ms, controller });
    return controller.signal;
  }

  /** Called before time passes. */
  readonly looks: (() => void)[] = [];

  pass(ms: number): void {
    for (const look of this.looks) look();
    this.#passedMs += ms;
    for (const { at, controller } of this.#deadlines) if (at <= this.now) controller.abort();
  }
}

/** The calls that a service has had so far, for faults that depend on it. */
export class Past {
  readonly newest = new Map<string, string>();
  readonly referenceOf = new Map<string, string>();
  readonly ownerOf = new Map<string, string>();
  readonly aliases = new Map<string, string>();
  readonly started = new Set<string>();
  readonly passedOver = new Set<string>();
  readonly withdrawn = new Set<string>();
  /** True while the check tries the rule that the break is about. */
  isOwnRule = false;
  readonly #sent = new Set<string>();
  readonly tried = new Set<string>();
  readonly ended = new Set<string>();
  /** What each attempt was started with, and when. */
  readonly inputs = new Map<string, { body: string; at: number }>();
  /** Ids of attempts by the status of their rejection. */
  readonly rejected = new Map<string, number>();
  readonly #rejectedFor = new Set<string>();
  readonly codes = new Map<string, number>();
  readonly time: CheckTime;

  constructor(time: CheckTime) {
    this.time = time;
  }

  /** Records what passes by, around a fault. */
  around(fault: Fault): Fault {
    return async (call, next) => {
      const token = tokenOf(call) ?? '';
      if (isCall(call, START)) {
        this.ownerOf.set(jsonOf(call).id, token);
        this.tried.add(this.referenceOf.get(token)!);
      }
      const { id } = jsonOf(call);
      if (isCall(call, WITHDRAW)) this.withdrawn.add(call.path.split('/').at(-2)!);
      const response = await fault(call, next);
      if (isCall(call, START) && !this.inputs.has(id)) {
        if (response.status >= 400) {
          this.rejected.set(id, response.status);
          this.#rejectedFor.add(token);
        } else this.inputs.set(id, { body: `${call.body}`, at: this.time.now });
      }
      if (response.status >= 400) return response;
      if (isCall(call, OPEN)) {
        const { data } = jsonOf(response);
        if (data.session === undefined) return response;
        this.newest.set(data.session.reference, data.token);
        this.referenceOf.set(data.token, data.session.reference);
      } else if (isCall(call, READ)) {
        const { data } = jsonOf(response);
        if (data.status === 'failed') this.ended.add(data.reference);
      } else if (isCall(call, START)) {
        const { data } = jsonOf(response);
        if (data.attempt?.id === id) this.started.add(id);
        else if (!this.started.has(id)) this.passedOver.add(id);
      }
      return response;
    };
  }

  /** Whether this attempt or cancellation was sent before. */
  isSentAgain(call: Call): boolean {
    const key = isCall(call, START) ? jsonOf(call).id : call.path;
    const isKnown = this.#sent.has(key);
    this.#sent.add(key);
    return isKnown;
  }

  /** How long ago this attempt started; not a number if it never did. */
  ageOf(id: string): number {
    return this.started.has(id) ? this.time.now - this.inputs.get(id)!.at : Number.NaN;
  }

  /** Whether an attempt with this token was rejected. */
  hasRejected(token: string): boolean {
    return this.#rejectedFor.has(token);
  }

  isNewest(token: string): boolean {
    return this.newest.get(this.referenceOf.get(token)!) === token;
  }

  newestOf(token: string): string {
    return this.newest.get(this.referenceOf.get(token)!) ?? token;
  }
}

/** Turns a call of a session into one that only reads it. */
export function reading(call: Call): Call {
  const path = '/checkout/v1/sessions/current';
  return { ...call, method: 'GET', path, body: Buffer.alloc(0) };
}

/** Holds the first call of the rule until the second has arrived, and gives that one to `second`. */
export function meeting(past: Past, pattern: RegExp, second: Fault): Fault {
  const arrival = Promise.withResolvers<void>();
  let count = 0;
  return async (call, next) => {
    if (!past.isOwnRule || !isCall(call, pattern)) return next(call);
    count += 1;
    if (count === 1) {
      await arrival.promise;
      return next(call);
    }
    arrival.resolve();
    return count === 2 ? second(call, next) : next(call);
  };
}

/** Several breaks of a rule, by what the service does. */
export type Breaks = Record<string, Fault | Record<string, Fault>>;

export function withNewId(call: Call): Call {
  return withBody(call, { ...jsonOf(call), id: crypto.randomUUID() });
}
