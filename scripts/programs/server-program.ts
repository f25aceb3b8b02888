import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

import { ROOT } from './run-tool.ts';

export interface ServerProgram {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts one of our servers, given its file's path from the root, and resolves when it prints a
 * loopback address. It gets only `environment` and `PATH`, and its errors are streamed. Rejects if
 * it exits first.
 */
export async function startServerProgram(
  program: string,
  args: string[],
  environment: Record<string, string>,
): Promise<ServerProgram> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const [url] = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(line) ?? [];
    if (!url) continue;
    child.stdout.resume();
    return { url, pid: child.pid as number, stop: () => stop(child) };
  }
  throw new Error(`${program} exited before it printed its address.`);
}

/**
 * Returns a port that was free a moment ago, for a server whose address another needs before it
 * starts. It is below those that systems give to outgoing connections, which could take it.
 */
export async function findFreePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return findFreePort();
  }
  server.close();
  await once(server, 'close');
  return port;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
