import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

import { realClock } from '../support/clock.ts';
import { buildMask, type Log } from './mask-logger.ts';

export type { Log, Logger } from './mask-logger.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The settings of a program. Each one named a token, a secret or a password is masked. */
export interface LogSettings {
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly [name: string]: unknown;
}

/** The bytes buffered for a standard output that is not read. Further lines are lost. */
const MOST_BYTES_WAITING = 1_000_000;

const LAST_LINES_WITHIN_MS = 1_000;

/**
 * Builds a logger that masks the secrets of the settings, card numbers and passwords in addresses
 * (T77), truncates long text, and replaces characters that a terminal acts on.
 */
export function buildLog(
  config: LogSettings,
  out: DestinationStream = openStandardOutput(),
): PinoLogger & Log {
  const { maskText, mask } = buildMask(config);
  const logger = pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: (described) => described },
      formatters: { bindings: mask },
      hooks: {
        logMethod(args, write) {
          write.apply(this, args.map(mask) as typeof args);
        },
      },
    },
    out,
  );
  return Object.assign(logger, { maskText });
}

/**
 * Opens the standard output. Lines are dropped, not buffered without limit, if it is not read
 * (T91).
 */
export function openStandardOutput() {
  const { stdout } = process;
  stdout.off('error', ignore).on('error', ignore); // its reader may have closed it
  return {
    write(line: string): void {
      if (stdout.writableLength < MOST_BYTES_WAITING) stdout.write(line);
    },
    /** Exits with this code once all lines are written, or after `withinMs`. */
    end(code: number, withinMs = LAST_LINES_WITHIN_MS): void {
      process.exitCode = code; // if the process ends by itself before that
      stdout.write('', () => process.exit(code));
      realClock.after(withinMs, () => process.exit(code));
    },
  };
}

function ignore(): void {}
