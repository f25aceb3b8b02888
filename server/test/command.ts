import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Command, runCommand } from '../src/cli/command-line.ts';
import { doctor } from '../src/cli/doctor.ts';
import { environment } from '../src/cli/environment.ts';
import { migrate } from '../src/cli/migrate.ts';
import { moveDatabase } from '../src/cli/move-database.ts';
import { orders } from '../src/cli/orders.ts';
import { replay } from '../src/cli/replay.ts';
import type { Config } from '../src/cli/settings.ts';
import { type Clock, realClock } from '../src/support/clock.ts';
import { PATIENT_DATABASE } from './patience.ts';

const COMMANDS = {
  doctor,
  environment,
  migrate,
  'move-database': moveDatabase,
  orders,
  replay,
} satisfies Record<string, Command>;

export type CommandName = keyof typeof COMMANDS;

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

interface TestTerminal {
  clock?: Clock;
  respondWithinMs?: number;
}

export function runShopCommand(
  command: CommandName,
  config: Config,
  words: string[],
  environment: Record<string, string> = {},
  terminal: TestTerminal = {},
): Promise<Ended> {
  return runCommandIn({ ...settingsOf(config), ...environment }, command, words, terminal);
}

/** Runs a command with no settings but those of `environment`. */
export async function runCommandIn(
  environment: Record<string, string>,
  command: CommandName,
  words: string[],
  { clock = realClock, respondWithinMs = PATIENT_DATABASE.respondWithinMs }: TestTerminal = {},
): Promise<Ended> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const code = await runCommand(COMMANDS[command], words, {
    environment,
    clock,
    databaseOptions: { respondWithinMs },
    print: (line) => void stdout.push(`${line}\n`),
    writeError: (text) => void stderr.push(text),
    withOwnCommand: (text) => text,
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}

export async function runShopProgram(
  command: CommandName,
  config: Config,
  words: string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const program = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
  const env = {
    ...settingsOf(config),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    ...environment,
  };
  return promisify(execFile)(process.execPath, [program, command, ...words], { env }).then(
    (output) => ({ code: 0, ...output }),
    ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
  );
}

function settingsOf(config: Config): Record<string, string> {
  return {
    DATABASE_URL: config.databaseUrl,
    PUBLIC_URL: config.publicUrl ?? '',
    SERVICE_PAY_API_URL: config.apiUrl,
    SERVICE_PAY_SCRIPT_URL: config.scriptUrl,
    SERVICE_PAY_API_TOKEN: config.apiToken,
    SERVICE_PAY_API_TOKEN_PREVIOUS: config.previousApiToken ?? '',
  };
}
