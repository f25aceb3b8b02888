import { keepAlive } from '../clock.ts';
import { ConfigError } from '../config.ts';
import { DatabaseError, isDatabaseFailure } from '../database.ts';

/** A command was given words that mean nothing to it, or that name nothing. The message says which and what to give instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Runs a command and ends with what it gives; whatever goes wrong is one sentence on the error output and exit code 1. */
export async function runCommand(run: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await keepAlive(run);
  } catch (error) {
    console.error(explain(error));
    process.exitCode = 1;
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
  if (error instanceof UsageError || error instanceof ConfigError || error instanceof DatabaseError) return error.message;
  if (isDatabaseFailure(error)) return 'The database does not answer right now, so nothing is certain: look again before you repeat this.';
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS')) return `${message?.split('.')[0]}.`;
  return `This went wrong: ${error instanceof Error ? error.name : 'something'}${typeof code === 'string' ? ` (${code})` : ''}.`;
}
