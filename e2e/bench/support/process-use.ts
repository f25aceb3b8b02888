import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Node opens its inspector at this address on SIGUSR1. */
const INSPECTOR = 'http://127.0.0.1:9229/json/list';
const INSPECTOR_TRIES = 50;

/** Returns the most memory that a process has held. */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) / 1024;
}

/**
 * Returns the memory that a Node process holds after a collection, without the room that V8 keeps
 * for new objects.
 */
export async function heldMb(pid: number): Promise<number> {
  process.kill(pid, 'SIGUSR1');
  const inspector = new WebSocket(await findInspector());
  await once(inspector, 'open');
  const send = async (method: string, params = {}) => {
    inspector.send(JSON.stringify({ id: 1, method, params }));
    const [{ data }] = await once(inspector, 'message');
    return JSON.parse(data);
  };
  await send('HeapProfiler.collectGarbage');
  const usage = { expression: 'process.memoryUsage()', returnByValue: true };
  const { rss, heapTotal, heapUsed } = (await send('Runtime.evaluate', usage)).result.result.value;
  inspector.close();
  return (rss - (heapTotal - heapUsed)) / 1024 / 1024;
}

async function findInspector(): Promise<string> {
  for (let tries = 0; tries < INSPECTOR_TRIES; tries++) {
    const targets = await fetch(INSPECTOR).then(
      (response) => response.json() as Promise<{ webSocketDebuggerUrl: string }[]>,
      () => [],
    );
    if (targets[0]) return targets[0].webSocketDebuggerUrl;
    await pause(100);
  }
  throw new Error(`No inspector responds at ${INSPECTOR}.`);
}
