import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

const START_MS = 30_000;

/** Starts a program that ends with this process at the latest. */
export function startProgram(path: string, args: string[], options: SpawnOptions): ChildProcess {
  const program = spawn(path, args, options);
  process.once('exit', () => program.kill('SIGKILL'));
  return program;
}

/** Repeats a call until the program, which is starting, answers it. */
export async function untilAnswered<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const end = Date.now() + START_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function endProgram(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await ended;
}
