import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect } from '@playwright/test';

const START_MS = 30_000;

/** Starts a program that ends with this process at the latest. */
export function startProgram(path: string, args: string[], options: SpawnOptions): ChildProcess {
  const program = spawn(path, args, options);
  process.once('exit', () => program.kill('SIGKILL'));
  return program;
}

/** Repeats a call until the program, which is starting, answers it. */
export async function untilAnswered<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  let answer!: Answer;
  await expect(async () => {
    answer = await call();
  }).toPass({ timeout: START_MS, intervals: [50] });
  return answer;
}

export async function endProgram(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await ended;
}
