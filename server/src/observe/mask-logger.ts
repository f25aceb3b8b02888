import { findCardNumber } from '@service-pay/contract/card';

/** Any logger that takes fields and then a constant message: pino, `console`, winston, or your own. */
export interface Logger {
  debug?(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface Log extends Required<Logger> {
  maskText(text: string): string;
}

const LONGEST_TEXT = 4_000;

const SHORTEST_SECRET = 4;

const SECRET_NAME = /token|secret|password/i;
const PASSWORD_IN_ADDRESS = /(\w:\/\/[^\s"':/@]+):[^\s"'@/]+@/g;

/**
 * Card numbers, and any other run of 13 or more digits of any script, also in groups, without
 * letters.
 */
const DIGITS = /(?<![\w.-])\p{Nd}(?:[\p{Zs}\p{Cf}-]?\p{Nd}){12,}(?![\w-])/gu;

/** Invisible characters and direction marks, which JSON does not escape. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f]/gu;

/**
 * Wraps the application's own logger with the same masking. Reports once, on the standard error, if it
 * throws or rejects.
 */
export function maskLogger(logger: Logger, settings: object): Log {
  if ('maskText' in logger) return logger as Log;
  const { maskText, mask } = buildMask(settings);
  const call = takesMessageFirst(logger)
    ? (level: keyof Logger, fields: object, message: string) =>
        logger[level]?.(message as never, fields as never)
    : (level: keyof Logger, fields: object, message: string) => logger[level]?.(fields, message);
  let isReported = false;
  const report = (reason: unknown) => {
    if (isReported) return;
    isReported = true;
    const why = maskText(reason instanceof Error ? reason.message : String(reason));
    process.stderr.write(
      `service-pay: the logger failed: ${why}. Payments go on. Lines may be missing from the log. Later failures are not reported.\n`,
    );
  };
  const pass = (level: keyof Logger) => (fields: object, message: string) => {
    try {
      const returned: unknown = call(level, mask(fields), message);
      Promise.resolve(returned).catch(report);
    } catch (error) {
      report(error);
    }
  };
  return {
    debug: pass('debug'),
    info: pass('info'),
    warn: pass('warn'),
    error: pass('error'),
    maskText,
  };
}

/** Recognises winston, which would lose the message of a line whose fields come first. */
function takesMessageFirst(logger: Logger): boolean {
  return 'transports' in logger && 'log' in logger;
}

/** Returns how to mask a text or a value with the secrets of these settings (T77). */
export function buildMask(settings: object) {
  const secrets = secretsOf(settings);
  const written = new Set([...secrets, ...secrets.map(encodeURIComponent)]);
  return { maskText, mask };

  function maskText(text: string): string {
    let masked = text;
    for (const secret of written) masked = masked.replaceAll(secret, '[secret]');
    return masked
      .replace(PASSWORD_IN_ADDRESS, '$1:[password]@')
      .replace(DIGITS, '[digits]')
      .replace(UNSEEN, '\ufffd');
  }

  function mask<Value>(value: Value): Value {
    if (value === undefined) return value;
    try {
      return JSON.parse(JSON.stringify(value, maskMember)) as Value;
    } catch {
      return { leftOut: 'fields that cannot be written as JSON' } as Value;
    }
  }

  /** An error is read from its holder, since its own `toJSON` would show a request with its headers. */
  function maskMember(this: Record<string, unknown>, name: string, value: unknown): unknown {
    const member = this[name];
    if (member instanceof Error) return describeError(member);
    if (typeof value === 'string') return maskText(value).slice(0, LONGEST_TEXT);
    return typeof value === 'number' && findCardNumber(`${value}`) ? '[digits]' : value;
  }
}

/** Omits other fields of an error, because a parser's hold the body and a database's the row. */
function describeError(error: Error): object {
  const chain = [...causesOf(error)];
  return {
    type: error.constructor.name,
    message: chain.map(({ message }) => message).join(': '),
    stack: chain.map(({ stack }) => stack).join('\ncaused by: '),
    code: (error as NodeJS.ErrnoException).code,
  };
}

/** Returns the error and its causes, each once. */
function causesOf(error: unknown, seen = new Set<Error>()): Set<Error> {
  if (!(error instanceof Error) || seen.has(error)) return seen;
  return causesOf(error.cause, seen.add(error));
}

function secretsOf(settings: object): string[] {
  const texts = Object.entries(settings).filter(([, value]) => typeof value === 'string');
  const named = texts.filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value);
  const inAddresses = texts.flatMap(([, value]) => {
    const { password = '', searchParams } = URL.parse(value) ?? {};
    return [password, decodeURIComponent(password), ...(searchParams?.getAll('password') ?? [])];
  });
  return [...named, ...inAddresses].filter((secret) => secret.length >= SHORTEST_SECRET);
}
