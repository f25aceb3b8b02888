import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { failureFields, isPassing } from '../observe/failure-log.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { buildThrottle, type Clock } from '../support/clock.ts';

const LONGEST_LOGGED_PATH = 200;
const SLOW_MS = 1_000;
const LOG_EVERY_MS = 1_000;
const ALERT_EVERY_MS = 60_000;

const KNOWN_METHODS = ['GET', 'HEAD', 'POST'];

interface Deps {
  counters: Metrics;
  clock: Clock;
  log: Log;
}

/**
 * Gives each request an id, and logs rejected, slow and failed ones: one a second for each code and
 * route (T91). Level `debug` logs every request. Also counts the requests of the shop's own routes,
 * as `service_pay_requests_total`. Mount it first.
 */
export function logRequests(payments: Deps): RequestHandler {
  const { counters, clock, log } = payments;
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  const mayAlert = buildThrottle(clock, ALERT_EVERY_MS);
  // every request fails while the database is down
  const mayLogFailure = (code: string, route: string) =>
    code === 'unavailable' ? mayAlert(code) : mayLog(`failed ${code} ${route}`);

  return (req, res, next) => {
    const requestId = randomUUID();
    const begunAt = clock.now();
    res.locals.requestId = requestId;
    res.set('X-Request-Id', requestId);
    res.once('close', () => {
      const { statusCode: status, locals } = res;
      const { errorCode: code, failure } = locals;
      const isFailure = 'failure' in locals;
      if (!res.writableFinished && !isFailure) return; // the client disconnected
      const route = routeOf(req);
      const method = KNOWN_METHODS.includes(req.method) ? req.method : 'other';
      if (!locals.isCounted) counters.countRequest(method, route, status);

      const ms = clock.now() - begunAt;
      const path = req.path.slice(0, LONGEST_LOGGED_PATH);
      const line = { requestId, method: req.method, path, status, code, ms };
      const isStream = res.get('Content-Type')?.startsWith('text/event-stream');
      const isSlow = ms >= SLOW_MS && !isStream;
      const isRejected = status >= 400 && code !== 'signature_invalid'; // logged by `buildReceiver`
      const failed = isFailure ? { ...line, ...failureFields(failure) } : line;
      const level = isPassing(failure) ? 'warn' : 'error';
      if (isFailure && mayLogFailure(code, route)) log[level](failed, 'request failed');
      else if (isRejected && !isFailure && mayLog(`rejected ${code} ${route}`))
        log.info(line, 'request rejected');
      else if (isSlow && mayLog(`slow ${route}`)) log.info(line, 'slow request');
      else log.debug(failed, 'request completed');
    });
    next();
  };
}

/** @deprecated Renamed: `logRequests(payments)`. Removed in the next version. */
export function buildRequestLines(deps: {
  metrics: Metrics;
  clock: Clock;
  log: Log;
}): RequestHandler {
  return logRequests({ ...deps, counters: deps.metrics });
}

/** Returns the template of the matched route, never the requested path (T79). */
function routeOf(req: Request): string {
  const path: unknown = req.route?.path;
  return typeof path === 'string' ? path : 'none';
}
