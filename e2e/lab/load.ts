import { Pool } from 'undici';

// Loads that bench and faults share. A load tool would send the same, but each webhook here is a
// signed body of its own, calls begin when they are due, and a fault counts who was rejected.

export type Call = (index: number) => {
  path: string;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
};

interface Timetable {
  perSecond: number;
  seconds: number;
}

const CONNECTIONS = 100;

/** The longest delay beyond the timetable before a load is given up. */
const LATE_MS = 5_000;

/** The time limit of one call of a closed loop: a disk that others write to is slow at times. */
const ONE_CALL_MS = 20_000;

/**
 * Calls `send` this many times a second with its due time, whether or not earlier calls have ended.
 */
export async function onTimetable(
  { perSecond, seconds }: Timetable,
  send: (index: number, due: number) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  const sent: Promise<void>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = began + (index * 1_000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    sent.push(send(index, due));
  }
  await Promise.all(sent);
}

/**
 * Sends calls on a timetable, whether or not earlier ones got a response,
 * in turn to each of these servers, and returns each one's latency in milliseconds from the time it
 * was due. A call without a 200 within some seconds after the last one is due is infinitely late.
 * The connections are opened first, as in a service that has been sending for a while: opening them
 * all at once would be most of the first tenth of a second.
 */
export async function openLoop(
  urls: readonly string[],
  timetable: Timetable,
  call: Call,
): Promise<number[]> {
  const pools = urls.map((url) => new Pool(url, { connections: CONNECTIONS }));
  await Promise.all(
    pools.flatMap((pool) =>
      Array.from({ length: CONNECTIONS }, () =>
        statusOf(pool, { path: '/healthz', method: 'GET' }),
      ),
    ),
  );
  const giveUp = setTimeout(() => void closeAll(pools), timetable.seconds * 1000 + LATE_MS);
  const latencies: number[] = [];
  await onTimetable(timetable, async (index, due) => {
    const status = await statusOf(pools[index % pools.length]!, call(index)).catch(() => undefined);
    latencies.push(status === 200 ? performance.now() - due : Number.POSITIVE_INFINITY);
  });
  clearTimeout(giveUp);
  await closeAll(pools);
  return latencies;
}

/**
 * Sends `count` calls over `connections`, each as soon as the one before has its response. Returns the
 * calls per second. Throws if a response is not 200.
 */
export async function closedLoop(
  url: string,
  { count, connections }: { count: number; connections: number },
  call: Call,
): Promise<number> {
  const pool = new Pool(url, {
    connections,
    headersTimeout: ONE_CALL_MS,
    bodyTimeout: ONE_CALL_MS,
  });
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const { method, path, ...rest } = call(next++);
      const status = await statusOf(pool, { method, path, ...rest });
      if (status !== 200)
        throw new Error(
          `${method} ${path} responded with ${status}, so this load would measure nothing.`,
        );
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, worker));
    return count / ((performance.now() - start) / 1000);
  } finally {
    await closeAll([pool]);
  }
}

async function closeAll(pools: readonly Pool[]): Promise<void> {
  await Promise.all(pools.map((pool) => pool.destroy()));
}

async function statusOf(
  pool: Pool,
  { path, method, headers, body }: ReturnType<Call>,
): Promise<number> {
  const response = await pool.request({ path, method, headers: headers ?? {}, body: body ?? null });
  await response.body.dump();
  return response.statusCode;
}
