import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { buildThrottle, type Clock } from '../support/clock.ts';

const LONGEST_LOGGED_PATH = 200;
const SLOW_MS = 1_000;
const LOG_EVERY_MS = 1_000;
const ALERT_EVERY_MS = 60_000;

export const KNOWN_METHODS = ['GET', 'HEAD', 'POST'];

/**
 * Gives each request an id, counts it, and logs those that were refused, slow or failed: one a
 * second for each code and route (T91). Level `debug` logs every request.
 */
export function buildRequestLines(deps: {
  metrics: Metrics;
  clock: Clock;
  log: Log;
}): RequestHandler {
  const { metrics, clock, log } = deps;
  const logsAll = log.isLevelEnabled('debug');
  const mayLog = buildThrottle(clock, LOG_EVERY_MS);
  const mayAlert = buildThrottle(clock, ALERT_EVERY_MS);

  return (req, res, next) => {
    const requestId = randomUUID();
    const begunAt = clock.now();
    res.locals.requestId = requestId;
    res.locals.tellFailure = (code: string, err: unknown) => {
      // a database that is away fails every request
      const isDue =
        code === 'unavailable' ? mayAlert(code) : mayLog(`failed ${code} ${routeOf(req)}`);
      if (isDue || logsAll) log.error({ requestId, err, code }, 'request failed');
    };
    res.set('X-Request-Id', requestId);
    res.once('finish', () => {
      const { statusCode: status } = res;
      const code: string | undefined = res.locals.errorCode;
      const isStream = res.getHeader('Content-Type') === 'text/event-stream';
      const ms = clock.now() - begunAt;
      const route = routeOf(req);
      const method = KNOWN_METHODS.includes(req.method) ? req.method : 'other';
      metrics.countRequest({ method, route, status });

      const isRefused = status >= 400 && code !== 'signature_invalid'; // logged by the webhooks
      const isSlow = ms >= SLOW_MS && !isStream;
      const message = isRefused ? 'request refused' : isSlow && 'request answered slowly';
      const path = req.path.slice(0, LONGEST_LOGGED_PATH);
      const line = { requestId, method: req.method, path, status, code, ms };
      if (message && (logsAll || mayLog(`${message} ${code} ${route}`))) log.info(line, message);
      else if (logsAll) log.debug(line, 'request answered');
    });
    next();
  };
}

/** Returns the template of the route that answered, never the path that was asked for (T79). */
function routeOf(req: Request): string {
  const path: unknown = req.route?.path;
  return typeof path === 'string' ? path : 'none';
}
