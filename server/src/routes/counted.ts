import { toPaymentsError } from '../errors.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Route } from './shop-route.ts';

/** Counts the requests of a route, in every shop and on every host. */
export function counted<Native>(route: Route<Native>, metrics: Metrics): Route<Native> {
  const { method, path } = route;
  return {
    ...route,
    async respond(request) {
      try {
        const response = await route.respond(request);
        metrics.countRequest(method, path, response.status);
        return response;
      } catch (thrown) {
        metrics.countRequest(method, path, toPaymentsError(thrown).httpStatus);
        throw thrown;
      }
    },
  };
}
