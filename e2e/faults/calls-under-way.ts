import { channel } from 'node:diagnostics_channel';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const LOOK_EVERY_MS = 5;

/** So many looks in a row: what one answer begins may be another call. */
const QUIET_LOOKS = 3;

/**
 * Counts what this process asks the service (`undici`) and a PostgreSQL from now on, and gives a
 * function that waits until nothing is under way. A file of SQLite answers at once.
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
    const answer: unknown = query.apply(this, given);
    if (!(answer instanceof Promise)) return answer;
    const end = () => void underWay.delete(answer);
    underWay.add(answer);
    answer.then(end, end);
    return answer;
  };
  pg.Client.prototype.query = counted as typeof query;

  return async () => {
    for (let quiet = 0; quiet < QUIET_LOOKS; quiet = underWay.size ? 0 : quiet + 1)
      await pause(LOOK_EVERY_MS);
  };
}
