import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { finished } from 'node:stream';
import { pino } from 'pino';
import { type Sandbox, startSandbox } from '../app/start.ts';
import { pauseWhileRunning } from '../time/real-time.ts';
import type { Config } from './flags.ts';

const STDOUT = 1;
const STDERR = 2;

const LOOKS_FOR_PARENT_EVERY_MS = 500;
const SIGNAL_FOLLOWS_WITHIN_MS = 200;

/** Runs the sandbox as a program until it is stopped, then sets the process's exit code. */
export async function runSandbox({
  options,
  logLevel,
  isRunByNpx,
  exitsWithStdin,
}: Config): Promise<void> {
  const log = pino({ level: logLevel }, pino.destination({ dest: STDERR, sync: true }));
  let sandbox: Sandbox;
  try {
    sandbox = await startSandbox({ ...options, log });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
    return;
  }

  let isEnding = false;
  const end = (why: string, exitCode = 0) => {
    // A second signal ends the process at once.
    if (isEnding) process.exit(exitCode);
    isEnding = true;
    log.info({ why }, 'shutting down');
    sandbox.close().then(
      () => process.exit(exitCode),
      (error: Error) => {
        process.stderr.write(`${error.message}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
  const print = openStdout(
    () => end('stdout closed'),
    () => isEnding,
  );
  if (isRunByNpx) void watchParent(() => end('npx ended'));
  if (exitsWithStdin) finished(process.stdin.resume(), () => end('stdin ended'));
  try {
    print(`${introduce(sandbox, options).join('\n')}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    process.stderr.write(
      `Could not write to stdout (${code}). Free some space, or redirect stdout.\n`,
    );
    end('stdout not writable', 1);
  }
}

function introduce({ url, hosts, token }: Sandbox, options: Config['options']): string[] {
  const isTokenMade = token !== null && options.token === undefined;
  return [
    'ServicePay sandbox, a payment service on this machine:',
    url,
    `Dashboard: ${url}/dashboard`,
    'Card 4242 4242 4242 4242, any future expiry, any three digits, any name. Phone 097 111 1111 (Airtel).',
    ...(options.clock === 'virtual' && options.state === undefined
      ? ['The clock is stopped until POST /_sandbox/clock/advance moves it.']
      : []),
    ...(options.state === undefined
      ? []
      : ['The file of --state keeps everything. Its clock overrides --clock until a reset.']),
    ...(token === null
      ? []
      : [
          `Other machines can connect, under these names: ${hosts.join(', ')}. For another name, add --host <name>.`,
          'Calls of the control API need this header:',
          `X-Sandbox-Token: ${isTokenMade ? token : '(the value of SANDBOX_TOKEN)'}`,
        ]),
  ];
}

/**
 * Returns a function that writes to stdout. If stdout is a socket, as it is for a child of another
 * Node program, `onClosed` runs when it closes, so that the sandbox ends with its parent. A shell's
 * pipe reports that only at the next write.
 */
function openStdout(onClosed: () => void, isEnding: () => boolean): (text: string) => void {
  // After a plain fstat of a pipe, Node 22 follows no symbolic link for a later import().
  if (!fstatSync(STDOUT, { bigint: true }).isSocket()) {
    return (text) => {
      try {
        writeSync(STDOUT, text);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
        onClosed();
      }
    };
  }
  const socket = new Socket({ fd: STDOUT, readable: true, writable: true, allowHalfOpen: true });
  socket.on('error', onClosed);
  // systemd's journal half-closes its socket at once but keeps reading: only writing a line shows
  // whether the reader has gone. A parent that hangs up to end us may send its signal just after.
  socket
    .on('end', async () => {
      await pauseWhileRunning(SIGNAL_FOLLOWS_WITHIN_MS);
      if (!isEnding()) socket.write('\n');
    })
    .resume();
  return (text) => void socket.write(text);
}

/** npx does not forward signals to the program it runs, so poll for a new parent process. */
async function watchParent(onGone: () => void): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent) await pauseWhileRunning(LOOKS_FOR_PARENT_EVERY_MS);
  onGone();
}
