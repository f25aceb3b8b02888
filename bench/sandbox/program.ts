import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Pool } from 'undici';

import { residentMb } from '../support/process-use.ts';

export const CONNECTIONS = 16;

export interface SandboxProgram {
  readonly url: string;
  call(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<unknown>;
  residentMb(): number;
  stop(): Promise<void>;
}

export async function startSandboxProgram(
  main: string,
  args: readonly string[] = [],
): Promise<SandboxProgram> {
  const child: ChildProcess = spawn(process.execPath, [main, '--port', '0', ...args], {
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
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
        throw new Error(`${method} ${path} answered ${answer.statusCode}: ${message}`);
      return data;
    },
    residentMb: () => residentMb(child.pid as number),
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
      reject(new Error('The sandbox exited before it printed its address.')),
    );
  });
}
