import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the whole project. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How a program ended. `output` is empty where it was streamed. */
export interface ProgramResult {
  exitCode: number | null;
  output: string;
}

/**
 * Where and how a program runs. Its output is streamed unless `quiet`, which keeps it for the
 * caller.
 */
export interface ProgramOptions {
  cwd?: string;
  env?: Record<string, string>;
  quiet?: boolean;
}

/** Runs an installed tool by its command's name, on the Node that runs us. */
export function runTool(
  command: string,
  args: string[],
  options?: ProgramOptions,
): Promise<ProgramResult> {
  return runNode([join(ROOT, 'node_modules/.bin', command), ...args], options);
}

/** Runs Node with the given arguments and waits for its end. */
export function runNode(args: string[], options?: ProgramOptions): Promise<ProgramResult> {
  return runProgram(process.execPath, args, options);
}

/** Runs a program and waits for its end. */
export async function runProgram(
  program: string,
  args: string[],
  { cwd = ROOT, env = {}, quiet = false }: ProgramOptions = {},
): Promise<ProgramResult> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}
