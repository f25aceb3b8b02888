import { Pool } from 'undici';

/** One request of a load: what to send, as a function of its number. */
export type Call = (index: number) => { path: string; method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };

/** What became of an open-loop load: latencies in milliseconds of what was answered 200, and how many were answered otherwise. */
export interface Answered {
  latencies: number[];
  refused: number;
}

const CONNECTIONS = 100;

/** What a load may take beyond its timetable before it is given up. */
const LATE_MS = 5_000;
const UNANSWERED = 0;

/** What one call of a closed loop may take: a disk that others write to is slow at times. */
const ONE_CALL_MS = 20_000;

/**
 * Sends `perSecond` calls for `seconds` on a timetable, whether or not earlier ones were answered, in turn to each of these
 * servers, and gives each one's latency counted from the time it was due. What is not answered some seconds after the last one
 * is due counts as refused.
 */
export async function openLoop(urls: readonly string[], perSecond: number, seconds: number, call: Call): Promise<Answered> {
  const pools = urls.map((url) => new Pool(url, { connections: CONNECTIONS }));
  const giveUp = setTimeout(() => void closeAll(pools), seconds * 1000 + LATE_MS);
  const start = performance.now();
  const answered: Answered = { latencies: [], refused: 0 };
  const answers: Promise<void>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = start + (index * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const asked = statusOf(pools[index % pools.length] as Pool, call(index)).catch(() => UNANSWERED);
    answers.push(
      asked.then((status) => {
        if (status === 200) answered.latencies.push(performance.now() - due);
        else answered.refused += 1;
      }),
    );
  }
  await Promise.all(answers);
  clearTimeout(giveUp);
  await closeAll(pools);
  return answered;
}

/** The same, where an answer other than 200 means that the load measured nothing. */
export async function openLoopAnswered(url: string, perSecond: number, seconds: number, call: Call): Promise<number[]> {
  const { latencies, refused } = await openLoop([url], perSecond, seconds, call);
  if (refused) throw new Error(`${refused} of ${latencies.length + refused} calls were refused: this load would measure nothing.`);
  return latencies;
}

/** Sends `count` calls over `connections`, each as soon as the last is answered, and gives the calls answered per second. Throws where an answer was not 200. */
export async function closedLoop(url: string, count: number, connections: number, call: Call): Promise<number> {
  const pool = new Pool(url, { connections, headersTimeout: ONE_CALL_MS, bodyTimeout: ONE_CALL_MS });
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const { method, path, ...rest } = call(next++);
      const status = await statusOf(pool, { method, path, ...rest });
      if (status !== 200) throw new Error(`${method} ${path} was answered ${status}: this load would measure nothing.`);
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

async function statusOf(pool: Pool, { path, method, headers, body }: ReturnType<Call>): Promise<number> {
  const answer = await pool.request({ path, method, headers: headers ?? {}, body: body ?? null });
  await answer.body.dump();
  return answer.statusCode;
}
