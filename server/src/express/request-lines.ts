import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { buildCountingThrottle, type Clock } from '../support/clock.ts';
import type { TellFailure } from './errors.ts';

const LONGEST_LOGGED_PATH = 200;
const SLOW_MS = 1_000;

/**
 * A burst is seen whole, and who asks thousands of times a second fills no disk: for long it is one
 * line a second of each kind.
 */
const MOST_LINES = 10;
const LINES_EVERY_MS = 10_000;
const ALERT_EVERY_MS = 60_000;

/** Methods that a route has. No other becomes a label. */
export const KNOWN_METHODS = ['GET', 'HEAD', 'POST'];

/**
 * Gives each request an id, counts it, and has those in the log that were refused, took long or
 * failed: so many for each code and route (T91), the next with the number left out as
 * `linesLeftOut`. At level `debug` each request has its line, and none is left out.
 */
export function buildRequestLines({
  metrics,
  clock,
  log,
}: {
  metrics: Metrics;
  clock: Clock;
  log: Log;
}): RequestHandler {
  const tellsAll = log.isLevelEnabled('debug');
  const mayTell = tellsAll ? () => 0 : buildCountingThrottle(clock, LINES_EVERY_MS, MOST_LINES);
  const mayAlert = tellsAll ? () => 0 : buildCountingThrottle(clock, ALERT_EVERY_MS, 1);

  /** Where the database is away it fails every request, and somebody is called once. */
  const tellFailure: TellFailure = ({ code }, thrown, req, requestId) => {
    const leftOut =
      code === 'unavailable' ? mayAlert(code) : mayTell(`failed ${code} ${routeOf(req)}`);
    if (leftOut !== undefined)
      log.error({ requestId, err: thrown, code, ...tellLeftOut(leftOut) }, 'request failed');
  };

  return (req, res, next) => {
    const requestId = randomUUID();
    const begunAt = clock.now();
    res.locals.requestId = requestId;
    res.locals.tellFailure = tellFailure;
    res.set('X-Request-Id', requestId);
    res.once('finish', () => {
      const { statusCode: status } = res;
      const code: string | undefined = res.locals.errorCode;
      const isStream = res.getHeader('Content-Type') === 'text/event-stream';
      const ms = clock.now() - begunAt;
      const route = routeOf(req);
      metrics.countRequest({
        method: KNOWN_METHODS.includes(req.method) ? req.method : 'other',
        route,
        status,
        ...(!isStream && { seconds: ms / 1000 }),
      });

      // of those the webhook route tells, by itself
      const isRefused = status >= 400 && code !== 'signature_invalid';
      const isSlow = ms >= SLOW_MS && !isStream;
      const told = isRefused ? 'request refused' : isSlow ? 'request answered slowly' : undefined;
      const leftOut = told && mayTell(`${told} ${code} ${route}`);
      if (leftOut === undefined && !tellsAll) return;
      const path = req.path.slice(0, LONGEST_LOGGED_PATH);
      const line = {
        requestId,
        method: req.method,
        path,
        status,
        code,
        ms,
        ...tellLeftOut(leftOut),
      };
      log[leftOut === undefined ? 'debug' : 'info'](line, told ?? 'request answered');
    });
    next();
  };
}

function tellLeftOut(linesLeftOut: number | undefined): { linesLeftOut?: number } {
  return linesLeftOut ? { linesLeftOut } : {};
}

/**
 * The template of the route that answered: what was asked for goes into no label and no key (T79).
 */
function routeOf(req: Request): string {
  const path: unknown = req.route?.path;
  return typeof path === 'string' ? path : 'none';
}
