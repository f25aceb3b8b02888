import { Pool } from 'undici';

/** One request of a load: what to send, as a function of its number. */
export type Call = (index: number) => { path: string; method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };

/**
 * Sends `perSecond` calls for `seconds` on a timetable, whether or not earlier ones were answered, and gives each one's latency in
 * milliseconds counted from the time it was due. Throws where an answer was not 200.
 */
export async function openLoop(url: string, perSecond: number, seconds: number, call: Call): Promise<number[]> {
  const pool = new Pool(url, { connections: 100 });
  const start = performance.now();
  const answers: Promise<number>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = start + (index * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    answers.push(answerOf(pool, call(index)).then(() => performance.now() - due));
  }
  const latencies = await Promise.all(answers);
  await pool.close();
  return latencies;
}

/** Sends `count` calls over `connections`, each as soon as the last is answered, and gives the calls answered per second. */
export async function closedLoop(url: string, count: number, connections: number, call: Call): Promise<number> {
  const pool = new Pool(url, { connections });
  const start = performance.now();
  let next = 0;
  const worker = async () => {
    while (next < count) await answerOf(pool, call(next++));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - start) / 1000;
  await pool.close();
  return count / seconds;
}

async function answerOf(pool: Pool, { path, method, headers, body }: ReturnType<Call>): Promise<void> {
  const answer = await pool.request({ path, method, headers: headers ?? {}, body: body ?? null });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path} was answered ${answer.statusCode}: this load would measure nothing.`);
}
