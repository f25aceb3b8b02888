import { DatabaseError, isDatabaseFailure, type OpenOptions } from '../database/open.ts';
import { type Clock, keepAlive, realClock } from '../support/clock.ts';
import { type Config, ConfigError, loadConfig } from './settings.ts';

/**
 * A command was given words that mean nothing to it, or that name nothing. The message says which
 * and what to give instead.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Everything a command reads from its caller and writes back. */
export interface Terminal {
  /** The words after the command's name. */
  readonly words: readonly string[];
  /** Reads the settings. Throws a `ConfigError` that names every problem. */
  loadConfig(): Config;
  readonly clock: Clock;
  readonly databaseOptions: OpenOptions;
  /** Writes a line to the standard output. */
  print(line: string): void;
  /** Writes to the error output. The text ends with its line break. */
  writeError(text: string): void;
}

/** A command that people run in the shop's folder. Returns its exit code. */
export type Command = (terminal: Terminal) => Promise<number>;

/** Runs a command on the terminal of this process, which ends with the command's exit code. */
export async function runCommand(command: Command): Promise<void> {
  process.exitCode = await keepAlive(() =>
    runOnTerminal(command, {
      words: process.argv.slice(2),
      loadConfig,
      clock: realClock,
      databaseOptions: {},
      print: (line) => console.log(line),
      writeError: (text) => void process.stderr.write(text),
    }),
  );
}

/**
 * Returns a command's exit code. An error becomes one sentence on the error output and exit code 1.
 */
export async function runOnTerminal(command: Command, terminal: Terminal): Promise<number> {
  try {
    return await command(terminal);
  } catch (error) {
    terminal.writeError(`${explain(error)}\n`);
    return 1;
  }
}

/** Text from outside, such as the name of an event, without what a terminal would act on. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '?');
}

/** A time as people read it, to the minute and in UTC. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Columns as wide as their widest cell, under their names. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_name, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function explain(error: unknown): string {
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof DatabaseError)
    return error.message;
  if (isDatabaseFailure(error))
    return 'The database does not answer right now, so nothing is certain: look again before you repeat this.';
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS'))
    return `${message?.split('.')[0]}.`;
  return `This went wrong: ${error instanceof Error ? error.name : 'something'}${typeof code === 'string' ? ` (${code})` : ''}.`;
}
