import {
  type DestinationStream,
  destination,
  type Logger as PinoLogger,
  pino,
  stdSerializers,
  stdTimeFunctions,
} from 'pino';

import { realClock } from '../support/clock.ts';

/** Any logger that takes fields and then a constant message: pino, `console`, or your own. */
export interface Logger {
  debug?(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A logger of which secrets leave masked. */
export interface Log extends Required<Logger> {
  /** Masks a text as the lines of this log are masked, for whatever keeps it elsewhere. */
  maskText(text: string): string;
  isLevelEnabled(level: 'debug'): boolean;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** How much is logged, and what never is: each of these secrets is masked (T77). */
export interface LogSettings {
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly apiToken: string;
  readonly previousApiToken?: string | undefined;
  readonly sessionSecret?: string | undefined;
  readonly databaseUrl?: string;
}

/** A line is cut to this, and each text in it to that: who sends much does not fill the disk. */
const LONGEST_LINE = 16_384;
const LONGEST_TEXT = 2_000;
const LONGEST_LIST = 20;

/** What waits in memory for a standard output that nobody reads, and what more of errors alone. */
const MOST_BYTES_WAITING = 900_000;
const KEPT_FOR_ERRORS = 100_000;
const IS_ERROR = /^\{"level":[56]0,/;

/** What the last lines get to be read in, when the process ends. */
const LAST_LINES_WITHIN_MS = 1_000;

/** A database's password of fewer characters than this would be found in every line. */
const SHORTEST_PASSWORD = 4;

/**
 * What a terminal or a reader may act on, less what JSON escapes by itself: control characters,
 * marks of direction, invisible ones.
 */
const UNSEEN =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

const FEWEST_CARD_DIGITS = 13;
const MOST_CARD_DIGITS = 19;

/**
 * Digits as a card's are written, one after the other or in groups; the second way in is an escape
 * of JSON, such as `\n`.
 */
const DIGITS =
  /(?:(?<![\w.-])|(?<=(?<!\\)(?:\\\\)*\\(?:[bfnrt]|u[0-9a-f]{4})))\d(?:[ -]?\d){12,}(?![\w-])/g;

/**
 * Makes the logger. Whatever is logged, at any level, secrets of the configuration, card numbers
 * and passwords in addresses leave it masked (T77); a line is bounded, and holds no character that
 * acts on who reads it.
 */
export function buildLog(
  config: LogSettings,
  out: DestinationStream = openStandardOutput(),
): PinoLogger & Log {
  const mask = buildMask(secretsOf(config));
  const logger = pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: describeError },
    },
    { write: (line) => void out.write(bound(mask(line)).replace(UNSEEN, escapeUnseen)) },
  );
  return Object.assign(logger, { maskText: mask });
}

/**
 * Masks what a logger of the application's own gets: the fields of each line as `buildLog` masks a
 * whole line. Messages are constant.
 */
export function maskLogger(logger: Logger, secrets: Omit<LogSettings, 'logLevel'>): Log {
  if ('maskText' in logger) return logger as Log;
  const mask = buildMask(secretsOf(secrets));
  const pass = (level: keyof Logger) => (fields: object, message: string) =>
    logger[level]?.(maskFields(fields, mask), message);
  return {
    debug: pass('debug'),
    info: pass('info'),
    warn: pass('warn'),
    error: pass('error'),
    maskText: mask,
    isLevelEnabled: () => false,
  };
}

function maskFields(fields: object, mask: (text: string) => string): object {
  try {
    const text = JSON.stringify(fields, (_key, value: unknown) =>
      value instanceof Error ? describeError(value) : value,
    );
    return JSON.parse(bound(mask(text)).replace(UNSEEN, '')) as object;
  } catch {
    return { leftOut: 'fields that cannot be written as JSON' };
  }
}

/** Where the lines go, and how the process ends. */
export interface StandardOutput extends DestinationStream {
  /**
   * Ends the process once its lines are written, in a second by default: with this exit code, or by
   * SIGKILL where nobody reads them so long.
   */
  end(exitCode: number, withinMs?: number): void;
}

/**
 * Where it is not read, lines are lost, errors last, and it is told how many as soon as one fits
 * again.
 */
export function openStandardOutput(): StandardOutput {
  const out = destination({ fd: 1, sync: false });
  let bytesWaiting = 0;
  let linesLost = 0;
  let isClosed = false;
  let endsWith: number | undefined;
  out.on('write', (bytes: number) => {
    bytesWaiting -= bytes;
    if (linesLost === 0) return;
    const told = `{"level":40${stdTimeFunctions.isoTime()},"linesLost":${linesLost},"msg":"lines of the log were lost: nobody read them"}\n`;
    if (put(told, MOST_BYTES_WAITING)) linesLost = 0;
  });
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isClosed = true;
    if (endsWith !== undefined) process.exit(endsWith);
  });
  return { write, end };

  function write(line: string): void {
    if (!put(line, IS_ERROR.test(line) ? MOST_BYTES_WAITING + KEPT_FOR_ERRORS : MOST_BYTES_WAITING))
      linesLost += 1;
  }

  function put(line: string, mostWaiting: number): boolean {
    const bytes = Buffer.byteLength(line);
    if (isClosed || bytesWaiting + bytes > mostWaiting) return false;
    bytesWaiting += bytes;
    out.write(line);
    return true;
  }

  /**
   * An exit waits without end for a write that nobody takes, in pino's hook and in Node itself:
   * only a signal does not.
   */
  function end(exitCode: number, withinMs = LAST_LINES_WITHIN_MS): void {
    if (isClosed || bytesWaiting === 0) process.exit(exitCode);
    out.once('drain', () => process.exit(exitCode));
    endsWith = exitCode;
    process.exitCode = exitCode; // where nothing keeps the process until then
    realClock.after(withinMs, () => {
      process.kill(process.pid, 'SIGKILL');
      process.abort(); // the first process of a container ignores its own signal
    });
  }
}

/**
 * What is told of an error. Its other members stay out: those of parsers hold the body, those of a
 * database the row.
 */
function describeError(error: Error): object {
  const { type, message, stack, code } = stdSerializers.err(error) as unknown as Record<
    string,
    unknown
  >;
  return { type, message, stack, code };
}

function secretsOf({
  apiToken,
  previousApiToken,
  sessionSecret,
  databaseUrl,
}: Omit<LogSettings, 'logLevel'>): string[] {
  const secrets = [apiToken, previousApiToken, sessionSecret, ...findPassword(databaseUrl)];
  return secrets.filter((secret) => secret !== undefined);
}

function findPassword(databaseUrl: string | undefined): string[] {
  if (!databaseUrl || !URL.canParse(databaseUrl)) return [];
  const { password, search, searchParams } = new URL(databaseUrl);
  const asWritten = Array.from(search.matchAll(/[?&]password=([^&]*)/g), ([, written]) => written!);
  const passwords = [
    password,
    decodeURIComponent(password),
    ...searchParams.getAll('password'),
    ...asWritten,
  ];
  return passwords.filter(({ length }) => length >= SHORTEST_PASSWORD);
}

function buildMask(secrets: readonly string[]): (line: string) => string {
  const written = new Set(
    secrets.flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
    ]),
  );
  return (line) => {
    let masked = line;
    for (const secret of written) masked = masked.replaceAll(secret, '[secret]');
    return masked
      .replace(/(\w:\/\/[^\s"':/@]+):[^\s"'@/]+@/g, '$1:[password]@')
      .replace(DIGITS, (digits, at: number, text: string) => {
        if (isNumberOfJson(text, at, digits.length)) return isCardNumber(digits) ? '0' : digits;
        return maskCards(digits);
      });
  };
}

/**
 * Masks each card number among groups of digits: other numbers, such as its expiry date, may stand
 * beside it.
 */
function maskCards(text: string): string {
  const groups = text.split(/([ -])/);
  for (let from = 0; from < groups.length; from += 2) {
    for (let to = Math.min(groups.length, from + 2 * MOST_CARD_DIGITS - 1); to > from; to -= 2) {
      if (isCardNumber(groups.slice(from, to).join(''))) groups.splice(from, to - from, '[card]');
    }
  }
  return groups.join('');
}

/**
 * A line that is too long says less: its long texts and lists are cut, or it is its message alone.
 */
function bound(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const entry = JSON.parse(line) as Record<string, unknown>;
  const shorter = JSON.stringify(entry, (_key, value: unknown) => {
    if (typeof value === 'string') return cut(value);
    return Array.isArray(value) ? value.slice(0, LONGEST_LIST) : value;
  });
  if (shorter.length <= LONGEST_LINE) return `${shorter}\n`;
  const { level, time, requestId, msg } = entry;
  return `${JSON.stringify({ level, time, requestId, msg: cut(String(msg)), leftOut: line.length })}\n`;
}

function cut(text: string): string {
  return text.length > LONGEST_TEXT
    ? `${text.slice(0, LONGEST_TEXT)}… [${text.length - LONGEST_TEXT} more]`
    : text;
}

function escapeUnseen(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A number in place of a number: the line stays JSON, for whoever reads the log by machine. */
function isNumberOfJson(text: string, at: number, length: number): boolean {
  return /[:,[]/.test(text.charAt(at - 1)) && /[,}\]]/.test(text.charAt(at + length));
}

/**
 * As many digits as cards have, and Luhn's check digit, which every card number carries and one in
 * ten other numbers.
 */
function isCardNumber(text: string): boolean {
  const digits = Array.from(text.replace(/\D/g, ''), Number).reverse();
  if (digits.length < FEWEST_CARD_DIGITS || digits.length > MOST_CARD_DIGITS) return false;
  const sum = digits.reduce(
    (total, digit, at) => total + (at % 2 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit),
    0,
  );
  return sum % 10 === 0;
}
