import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';

import { cpuSeconds, residentMb } from './process-use.ts';

/** Calls at once to a sandbox. */
export const CONNECTIONS = 16;

const MB = 1024 * 1024;
const HEAP_PROBE = fileURLToPath(new URL('./heap-probe.ts', import.meta.url));

/** A sandbox that runs as a program of its own, and what it takes. */
export interface SandboxProgram {
  readonly url: string;
  /** Gives an answer's data. Throws where it is an error. */
  call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<unknown>;
  /** What the machine gives it now. */
  residentMb(): number;
  /** The time it has had on a processor, which other programs on the machine change little. */
  cpuSeconds(): number;
  /** What it keeps, after garbage was collected. Of a program started with `isProbed` alone. */
  heapMb(): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Starts a sandbox's program, at `main`; resolves once it says where it listens. With `isProbed` it
 * can be asked for its heap.
 */
export async function startSandboxProgram(
  main: string,
  args: readonly string[] = [],
  { isProbed = false } = {},
): Promise<SandboxProgram> {
  const flags = isProbed ? ['--expose-gc', '--import', HEAP_PROBE] : [];
  const child: ChildProcess = spawn(process.execPath, [...flags, main, '--port', '0', ...args], {
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit', ...(isProbed ? (['ipc'] as const) : [])],
  });
  const stopWithUs = () => void child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  const url = await readUrl(child);
  const pool = new Pool(url, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  return {
    url,
    async call(method, path, body, headers = {}) {
      const answer = await pool.request({
        path,
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
        body: body ? JSON.stringify(body) : null,
      });
      const { data, message } = (await answer.body.json()) as { data: unknown; message: string };
      if (answer.statusCode > 201)
        throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${message}`);
      return data;
    },
    residentMb: () => residentMb(child.pid as number),
    cpuSeconds: () => cpuSeconds(child.pid as number),
    async heapMb() {
      child.send('heap');
      const [bytes] = (await once(child, 'message')) as [number];
      return bytes / MB;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      process.off('exit', stopWithUs);
      await pool.close();
    },
  };
}

function readUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as Readable }).on(
      'line',
      (line) => /^http:\S+$/.test(line) && resolve(line),
    );
    child.once('exit', () =>
      reject(new Error('The sandbox ended before it said where it listens.')),
    );
  });
}
