import { OPERATIONS } from '@service-pay/contract/operations';
import type { Request, RequestHandler, Response } from 'express';

import type { History } from '../storage/history.ts';

export interface About {
  readonly merchant: string;
  readonly reference?: string;
  readonly said?: string;
}

const MERCHANT_API = '/access/v2';

/** The name of each call, by its method and its route's pattern. */
const NAMES: ReadonlyMap<string, string> = new Map(
  OPERATIONS.map(({ method, path, summary }) => [
    `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    summary,
  ]),
);

export function noteAbout(res: Response, about: About): void {
  res.locals['about'] = about;
}

/** Records why a request was rejected. `why` must not repeat any part of the request. */
export function noteRejection(res: Response, why: string): void {
  res.locals['rejection'] = why;
}

/**
 * Records every request of an API with its response. Omits successful polls of the checkout page.
 * Records the route's pattern, never the path, which may hold a secret.
 */
export function recordRequests(history: History): RequestHandler {
  return (req, res, next) => {
    const api = req.baseUrl;
    res.once('close', () => {
      const status = res.writableFinished ? res.statusCode : null;
      if (req.method === 'GET' && api !== MERCHANT_API && status !== null && status < 400) return;
      const {
        merchant = null,
        reference = null,
        said,
      } = (res.locals['about'] ?? {}) as Partial<About>;
      const path = patternOf(req, api);
      const name = NAMES.get(`${req.method} ${path}`) ?? `${req.method} ${path}`;
      const why =
        (res.locals['rejection'] as string | undefined) ?? (said === undefined ? '' : `${said}.`);
      const summary =
        status === null
          ? `${name} → no complete response.`
          : `${name} → ${status}${why ? `: ${why}` : '.'}`;
      history.record({
        kind: 'request',
        merchant,
        reference,
        summary,
        detail: { method: req.method, path, status },
      });
    });
    next();
  };
}

function patternOf(req: Request, api: string): string {
  const { path } = (req.route ?? {}) as { path?: string };
  if (path === undefined) return `${api}/…`;
  return api === MERCHANT_API ? MERCHANT_API + path : path;
}
