import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const MOST_AT_ONCE = 50;
const MORE_BY = 4;

const MEASURED_OVER_MS = 50;

/**
 * Only confirms wait for confirms: they may fill the process, but for what a page needs now and
 * then.
 */
const ALONE = { busyFrom: 0.8, fewestAtOnce: 8 };

/**
 * Webhooks come in a crowd: each waits for its answer, so what is worked on between two commits
 * stays short.
 */
const CROWDED = { busyFrom: 0.7, fewestAtOnce: 2 };

/** More news than this in one measurement is a crowd. */
const CROWD = 12;

type Measure = (since?: EventLoopUtilization) => EventLoopUtilization;

/**
 * How many confirms in the background may run at once: fewer while this process has no time to
 * spare, since webhooks and pages wait for their answers, and nobody for these. A service or a disk
 * that is slow takes no time of the process, and changes nothing.
 */
export class ConfirmPace {
  readonly #measure: Measure;
  readonly #readBlockedMs: () => number;
  #since: EventLoopUtilization;
  #blockedMs: number;
  #news = 0;
  #mostAtOnce = MOST_AT_ONCE;

  /** `readBlockedMs` gives for how long the process has stood still for its disk. */
  constructor(
    readBlockedMs: () => number = () => 0,
    measure: Measure = (since) => performance.eventLoopUtilization(since),
  ) {
    this.#measure = measure;
    this.#readBlockedMs = readBlockedMs;
    this.#since = measure();
    this.#blockedMs = readBlockedMs();
  }

  /** A webhook told of a payment. */
  noteNews(): void {
    this.#news += 1;
  }

  /** Looks how busy the process has been since it last looked. */
  findMostAtOnce(): number {
    const { active, idle } = this.#measure(this.#since);
    const tookMs = active + idle;
    if (tookMs < MEASURED_OVER_MS) return this.#mostAtOnce;
    const blockedMs = this.#readBlockedMs();
    const worked = (active - (blockedMs - this.#blockedMs)) / tookMs;
    const { busyFrom, fewestAtOnce } = this.#news > CROWD ? CROWDED : ALONE;
    this.#since = this.#measure();
    this.#blockedMs = blockedMs;
    this.#news = 0;
    this.#mostAtOnce = Math.max(
      fewestAtOnce,
      worked >= busyFrom
        ? Math.floor(this.#mostAtOnce / 2)
        : Math.min(MOST_AT_ONCE, this.#mostAtOnce + MORE_BY),
    );
    return this.#mostAtOnce;
  }
}
