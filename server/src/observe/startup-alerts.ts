import type { Clock } from '../support/clock.ts';
import type { FiguresStore } from './figures.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/**
 * Raises one alert for what waits for a person already: a process that died between a write and its
 * alert has told nobody. Never rejects.
 */
export async function tellAtStart(deps: {
  figures: Pick<FiguresStore, 'countForPerson'>;
  metrics: Metrics;
  clock: Clock;
  log: Log;
}): Promise<void> {
  const { figures, metrics, clock, log } = deps;
  try {
    const { inReview, parked } = await figures.countForPerson(clock.now());
    if (inReview) metrics.countAlert('needs_review');
    if (parked) metrics.countAlert('fulfilment_parked');
    if (inReview || parked)
      log.error(
        { inReview, parked },
        'waiting for a person since before this start: see service-pay orders',
      );
  } catch (err) {
    log.error({ err }, 'the shop could not learn what waits for a person: see service-pay orders');
  }
}
