import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Clock } from '../support/clock.ts';
import type { Failpoint } from '../support/failpoint.ts';
import type { PaymentFeed } from './payment-feed.ts';
import type { PollPlan } from './poll-plan.ts';
import type { ServiceResponses } from './service-responses.ts';
import type { PaymentStore } from './store.ts';

/** The objects that `createPayments` builds once and its parts share. */
export interface SharedParts {
  store: PaymentStore;
  polls: PollPlan;
  service: Pick<ServiceClient, 'verify' | 'circuit' | 'lastCall'>;
  responses: ServiceResponses;
  feed: PaymentFeed;
  metrics: Metrics;
  clock: Clock;
  log: Log;
  failpoint: Failpoint;
}
