import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The end of a program. `output` is empty if it was streamed. */
export interface ProgramResult {
  exitCode: number | null;
  output: string;
}

/** Output is streamed unless `quiet`, which returns it instead. */
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

export function runNode(args: string[], options?: ProgramOptions): Promise<ProgramResult> {
  return runProgram(process.execPath, args, options);
}

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
