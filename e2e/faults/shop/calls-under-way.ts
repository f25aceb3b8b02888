import { channel } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const LOOK_EVERY_MS = 5;

const QUIET_LOOKS = 3;

/**
 * Counts this process's calls to the service (`undici`) and to PostgreSQL from now on. Returns a
 * function that waits until none is under way. SQLite responds at once.
 */
export function watchCalls(): () => Promise<void> {
  const underWay = new Set<unknown>();
  const listen = (name: string, listener: (request: unknown) => void) =>
    channel(name).subscribe((message) => listener((message as { request: unknown }).request));
  listen('undici:request:create', (request) => underWay.add(request));
  listen('undici:request:trailers', (request) => underWay.delete(request));
  listen('undici:request:error', (request) => underWay.delete(request));

  const { query } = pg.Client.prototype;
  const counted = function (this: pg.Client, ...given: Parameters<typeof query>): unknown {
    const result: unknown = query.apply(this, given);
    if (!(result instanceof Promise)) return result;
    const end = () => void underWay.delete(result);
    underWay.add(result);
    result.then(end, end);
    return result;
  };
  pg.Client.prototype.query = counted as typeof query;

  return async () => {
    for (let quiet = 0; quiet < QUIET_LOOKS; quiet = underWay.size ? 0 : quiet + 1)
      await pause(LOOK_EVERY_MS);
  };
}
