import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import pg from 'pg';
import { onTestFinished, vi } from 'vitest';

/** More than the turns of the event loop between the end of a call and what follows from it. */
const QUIET_TURNS = 20;

export interface CallsUnderWay {
  /** The statements sent to PostgreSQL so far, those within one message too. */
  readonly statements: number;
  /** Waits until no call to PostgreSQL or to the service is under way. */
  settle(): Promise<void>;
}

/** Watches the calls of this process until the test ends. SQLite responds at once. */
export function watchCalls(): CallsUnderWay {
  const underWay = new Set<unknown>();
  let statements = 0;

  const begin = ({ request }: any) => underWay.add(request);
  const end = ({ request }: any) => underWay.delete(request);
  const channels = [
    ['undici:request:create', begin],
    ['undici:request:trailers', end],
    ['undici:request:error', end],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  for (const method of ['connect', 'query'] as const) watchPostgres(method);
  onTestFinished(() => {
    for (const [name, listener] of channels) unsubscribe(name, listener);
    vi.restoreAllMocks();
  });

  return {
    get statements() {
      return statements;
    },
    async settle() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet = underWay.size ? 0 : quiet + 1)
        await new Promise(setImmediate);
    },
  };

  function watchPostgres(method: 'connect' | 'query'): void {
    const original = pg.Client.prototype[method] as (...given: any[]) => unknown;
    const watched = function (this: pg.Client, ...given: any[]): unknown {
      const call = {};
      const done = () => void underWay.delete(call);
      const [first] = given;
      if (method === 'query') {
        const text: string = typeof first === 'string' ? first : first.text;
        statements += text.split(';').length;
      }
      underWay.add(call);
      const last = given.at(-1);
      if (typeof last === 'function')
        given[given.length - 1] = (...results: unknown[]) => {
          done();
          last(...results);
        };
      const result = original.apply(this, given);
      if (result instanceof Promise) result.then(done, done);
      else if (typeof last !== 'function') done();
      return result;
    };
    vi.spyOn(pg.Client.prototype, method).mockImplementation(watched as never);
  }
}
