import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const MOST_AT_ONCE = 50;
const FEWEST_AT_ONCE = 16;
const MORE_BY = 8;

const MEASURED_OVER_MS = 50;
const BUSY_FROM = 0.9;

type Measure = (since?: EventLoopUtilization) => EventLoopUtilization;

/**
 * How many confirms in the background may run at once: fewer while this process has no time to spare, since webhooks and pages
 * wait for their answers, and nobody for these. A service that is slow takes no time of the process, and changes nothing.
 */
export class ConfirmPace {
  readonly #measure: Measure;
  #since: EventLoopUtilization;
  #mostAtOnce = MOST_AT_ONCE;

  constructor(measure: Measure = (since) => performance.eventLoopUtilization(since)) {
    this.#measure = measure;
    this.#since = measure();
  }

  get mostAtOnce(): number {
    const { active, idle, utilization } = this.#measure(this.#since);
    if (active + idle < MEASURED_OVER_MS) return this.#mostAtOnce;
    this.#since = this.#measure();
    this.#mostAtOnce =
      utilization >= BUSY_FROM
        ? Math.max(FEWEST_AT_ONCE, Math.floor(this.#mostAtOnce / 2))
        : Math.min(MOST_AT_ONCE, this.#mostAtOnce + MORE_BY);
    return this.#mostAtOnce;
  }
}
