import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';

import type { Config } from './config.ts';

/** The shop's logger: JSON lines, a constant message with values as fields. */
export type Log = Logger;

/**
 * Makes the logger. Whatever is logged, at any level, secrets of the configuration, card numbers and passwords in addresses
 * leave it masked (T77).
 */
export function buildLog(
  config: Pick<Config, 'logLevel' | 'apiToken' | 'previousApiToken' | 'sessionSecret'>,
  out: DestinationStream = destination({ fd: 1, sync: false }),
): Log {
  const mask = buildMask([config.apiToken, config.previousApiToken, config.sessionSecret].filter((secret) => secret !== undefined));
  return pino({ level: config.logLevel, base: null, timestamp: stdTimeFunctions.isoTime }, { write: (line) => void out.write(mask(line)) });
}

function buildMask(secrets: readonly string[]): (line: string) => string {
  const written = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  return (line) => {
    let masked = line;
    for (const secret of written) masked = masked.replaceAll(secret, '[secret]');
    return masked
      .replace(/(\w:\/\/[^\s"':/@]+):[^\s"'@/]+@/g, '$1:[password]@')
      .replace(/(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g, (digits, at: number, text: string) => {
        if (!isCardNumber(digits)) return digits;
        return isNumberOfJson(text, at, digits.length) ? '0' : '[card]';
      });
  };
}

/** A number in place of a number: the line stays JSON, for whoever reads the log by machine. */
function isNumberOfJson(text: string, at: number, length: number): boolean {
  return /[:,[]/.test(text.charAt(at - 1)) && /[,}\]]/.test(text.charAt(at + length));
}

/** Luhn's check digit, which every card number carries and one in ten other numbers. */
function isCardNumber(text: string): boolean {
  const digits = Array.from(text.replace(/\D/g, ''), Number).reverse();
  const sum = digits.reduce((total, digit, at) => total + (at % 2 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit), 0);
  return sum % 10 === 0;
}
