import { isDatabaseFailure } from '../database/open.ts';
import type { Clock } from '../support/clock.ts';
import type { FiguresStore } from './figures.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

const TRY_AGAIN_MS = 2_000;

/**
 * Raises one alert for what waits for a person already: a process that died between a write and its
 * alert has told nobody. Tries until the database has said it, or the function it gives is called.
 */
export function tellAtStart(deps: {
  figures: Pick<FiguresStore, 'countForPerson'>;
  metrics: Metrics;
  clock: Clock;
  log: Log;
}): () => void {
  const { figures, metrics, clock, log } = deps;
  let isStopped = false;
  let cancel = () => {};
  void tell();
  return () => {
    isStopped = true;
    cancel();
  };

  async function tell(): Promise<void> {
    try {
      const waiting = await figures.countForPerson(clock.now());
      if (!isStopped) say(waiting);
    } catch (err) {
      if (isStopped) return;
      if (isDatabaseFailure(err)) cancel = clock.after(TRY_AGAIN_MS, () => void tell());
      else
        log.error(
          { err },
          'the shop could not learn what waits for a person: see service-pay orders',
        );
    }
  }

  function say({ inReview, parked }: { inReview: number; parked: number }): void {
    if (inReview) metrics.countAlert('needs_review');
    if (parked) metrics.countAlert('fulfilment_parked');
    if (inReview || parked)
      log.error(
        { inReview, parked },
        'waiting for a person since before this start: see service-pay orders',
      );
  }
}
