import { findCardNumber } from '@service-pay/contract/card';
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

export interface Log extends Required<Logger> {
  maskText(text: string): string;
  isLevelEnabled(level: 'debug'): boolean;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export interface LogSettings {
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly apiToken?: string | undefined;
  readonly previousApiToken?: string | undefined;
  readonly sessionSecret?: string | undefined;
  readonly databaseUrl?: string;
  readonly databasePassword?: unknown;
}

/** A longer line keeps its message and its error alone, each cut to `LONGEST_TEXT`. */
const LONGEST_LINE = 16_384;
const LONGEST_TEXT = 2_000;

/** Bytes that wait for a standard output that nobody reads. Lines beyond them are lost. */
const MOST_BYTES_WAITING = 1_000_000;

const LAST_LINES_WITHIN_MS = 1_000;

const SHORTEST_PASSWORD = 4;

/** Invisible characters and marks of direction that JSON does not escape. */
const UNSEEN =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

const MOST_CARD_DIGITS = 19;

/** 13 digits or more, also in groups, at the start of a word or behind an escape of JSON. */
const DIGITS =
  /(?:(?<![\w.-])|(?<=(?<!\\)(?:\\\\)*\\(?:[bfnrt]|u[0-9a-f]{4})))\d(?:[ -]?\d){12,}(?![\w-])/g;

/**
 * Makes a logger that masks the secrets of the settings, card numbers and passwords in addresses
 * (T77), bounds each line, and escapes characters that a terminal acts on.
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

/** Opens the standard output, which loses lines instead of memory if nobody reads it. */
export function openStandardOutput() {
  const out = destination({ fd: 1, sync: false, maxLength: MOST_BYTES_WAITING });
  let isClosed = false;
  let exitCode: number | undefined;
  out.on('error', () => {
    isClosed = true; // by its reader
    if (exitCode !== undefined) process.exit(exitCode);
  });
  return {
    write(line: string): void {
      if (!isClosed && exitCode === undefined) out.write(line);
    },
    /**
     * Ends the process once its lines are written, with this exit code, or by SIGKILL if nobody reads
     * them in time (a second by default).
     */
    end(code: number, withinMs = LAST_LINES_WITHIN_MS): void {
      if (isClosed) process.exit(code);
      exitCode = code;
      process.exitCode = code; // if nothing keeps the process until then
      out.once('close', () => process.exit(code));
      out.end();
      // process.exit would wait for a write that nobody reads
      realClock.after(withinMs, () => {
        process.kill(process.pid, 'SIGKILL');
        process.abort(); // the first process of a container ignores its own signal
      });
    },
  };
}

/** Leaves other members of an error out: those of a parser hold the body, of a database the row. */
function describeError(error: Error): object {
  const { type, message, stack, code } = stdSerializers.err(error) as unknown as Record<
    string,
    unknown
  >;
  return { type, message, stack, code };
}

function secretsOf(settings: Omit<LogSettings, 'logLevel'>): string[] {
  const { apiToken, previousApiToken, sessionSecret, databaseUrl, databasePassword } = settings;
  const passwords = [...findPassword(databaseUrl), databasePassword].filter(
    (password) => typeof password === 'string' && password.length >= SHORTEST_PASSWORD,
  ) as string[];
  return [apiToken, previousApiToken, sessionSecret, ...passwords].filter(
    (secret) => secret !== undefined,
  );
}

function findPassword(databaseUrl: string | undefined): string[] {
  if (!databaseUrl || !URL.canParse(databaseUrl)) return [];
  const { password, search, searchParams } = new URL(databaseUrl);
  const written = Array.from(search.matchAll(/[?&]password=([^&]*)/g), ([, value]) => value!);
  const passwords = [password, decodeURIComponent(password), ...searchParams.getAll('password')];
  return [...passwords, ...written];
}

function buildMask(secrets: readonly string[]): (line: string) => string {
  const asJson = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  const written = new Set([...secrets, ...asJson, ...secrets.map(encodeURIComponent)]);
  return (line) => {
    let masked = line;
    for (const secret of written) masked = masked.replaceAll(secret, '[secret]');
    return masked
      .replace(/(\w:\/\/[^\s"':/@]+):[^\s"'@/]+@/g, '$1:[password]@')
      .replace(DIGITS, (digits, at: number, text: string) => {
        if (!holdsCardNumber(digits)) return digits;
        // a JSON number is replaced by a number, so that the line stays JSON
        const isNumber =
          /[:,[]/.test(text.charAt(at - 1)) && /[,}\]]/.test(text.charAt(at + digits.length));
        return isNumber ? '0' : '[card]';
      });
  };
}

function holdsCardNumber(text: string): boolean {
  const groups = text.split(/[ -]/);
  return groups.some((_group, from) => {
    const most = groups.slice(from, from + MOST_CARD_DIGITS);
    return most.some((_last, at) => findCardNumber(most.slice(0, at + 1).join('')));
  });
}

function bound(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const { level, time, requestId, msg, err } = JSON.parse(line) as Record<string, unknown>;
  const kept = { level, time, requestId, msg, err: JSON.stringify(err), leftOut: line.length };
  const cut = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.slice(0, LONGEST_TEXT) : value;
  return `${JSON.stringify(kept, cut)}\n`;
}

function escapeUnseen(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
