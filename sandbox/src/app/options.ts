import type { Logger } from 'pino';
import * as v from 'valibot';

import { isHostName } from '../http/guard.ts';
import { isWebhookUrl } from '../webhooks/url.ts';

/** Options of a sandbox; each has a default. */
export interface SandboxOptions {
  /** Port to listen on; `0`, the default, picks a free one. */
  port?: number | undefined;
  /**
   * Opens the sandbox to other machines under this name or address, or these. `0.0.0.0` means every
   * address and the name of the machine. By default only this machine reaches it.
   */
  host?: string | readonly string[] | undefined;
  /**
   * Token for the control API, dashboard and handset if `host` is set; generated if missing. 8 to
   * 256 visible ASCII characters.
   */
  token?: string | undefined;
  /** Webhook URL of the demo merchant. Other merchants may then use its host, too. */
  webhookUrl?: string | undefined;
  /**
   * File that keeps the state across restarts; created if missing. By default everything is in
   * memory.
   */
  state?: string | undefined;
  /**
   * Seed of faults and shuffled webhooks: the same seed and calls give the same events. 0 by
   * default.
   */
  seed?: number | undefined;
  /** Number of events, and of finished webhooks, kept: 20 000 by default. */
  historyLimit?: number | undefined;
  /** Number of finished collections kept: 10 000 by default. A load test may need more. */
  collectionLimit?: number | undefined;
  /**
   * The clock's mode at start and after each reset: `real`, the default, or `virtual`, which moves
   * only when advanced.
   */
  clock?: 'real' | 'virtual' | undefined;
  /** @internal Folder of the widget's build; the installed widget's by default. */
  widgetDist?: string | undefined;
  /** Logger; by default problems only, to stderr. */
  log?: Logger | undefined;
}

/** One problem of an option. `message` follows the option's name. */
export interface OptionProblem {
  readonly option: string;
  readonly message: string;
}

const GREATEST_SEED = 2 ** 32 - 1;
const GREATEST_LIMIT = 10_000_000;

const PORT = 'must be a whole number from 0 to 65535';
const SEED = `must be a whole number from 0 to ${GREATEST_SEED}`;
const LIMIT = `must be a whole number from 1 to ${GREATEST_LIMIT}`;
const HOST = 'must be a host name or an IP address, without port';
const TOKEN = 'must be 8 to 256 visible ASCII characters';
const WEBHOOK_URL = 'must be an http(s) URL without user name and password';
const STATE = 'must be the path of a file';
const CLOCK = 'must be real or virtual';
const WIDGET_DIST = 'must be the path of a folder';
const LOG = 'must be a logger of pino';

const optionsSchema = v.strictObject({
  port: v.optional(wholeNumber(0, 65_535, PORT)),
  host: v.optional(v.custom<string | readonly string[]>(areHostNames, HOST)),
  token: v.optional(v.pipe(v.string(TOKEN), v.regex(/^[!-~]{8,256}$/, TOKEN))),
  webhookUrl: v.optional(v.pipe(v.string(WEBHOOK_URL), v.check(isWebhookUrl, WEBHOOK_URL))),
  state: v.optional(v.pipe(v.string(STATE), v.regex(/^[^\0]+$/, STATE))),
  seed: v.optional(wholeNumber(0, GREATEST_SEED, SEED)),
  historyLimit: v.optional(wholeNumber(1, GREATEST_LIMIT, LIMIT)),
  collectionLimit: v.optional(wholeNumber(1, GREATEST_LIMIT, LIMIT)),
  clock: v.optional(v.picklist(['real', 'virtual'], CLOCK)),
  widgetDist: v.optional(v.pipe(v.string(WIDGET_DIST), v.minLength(1, WIDGET_DIST))),
  log: v.optional(
    v.custom<Logger>((log) => typeof (log as Logger | null)?.child === 'function', LOG),
  ),
});

export function problemsOf(options: unknown): readonly OptionProblem[] {
  const parsed = v.safeParse(optionsSchema, options, { abortPipeEarly: true });
  if (parsed.success) return [];
  const known = Object.keys(optionsSchema.entries);
  return parsed.issues.map(({ path, message }) => {
    const option = path?.[0]?.key;
    if (typeof option !== 'string') return { option: 'The options', message: 'must be an object' };
    return known.includes(option)
      ? { option, message }
      : { option, message: `is not an option. The options are ${known.join(', ')}` };
  });
}

/** Throws one error that names every problem of the options and no value. */
export function rejectBadOptions(options: SandboxOptions): void {
  const problems = problemsOf(options);
  if (problems.length)
    throw new Error(problems.map(({ option, message }) => `${option} ${message}.`).join('\n'));
}

function areHostNames(hosts: unknown): boolean {
  return [hosts].flat().every((host) => typeof host === 'string' && isHostName(host));
}

function wholeNumber(least: number, greatest: number, message: string) {
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(least, message),
    v.maxValue(greatest, message),
  );
}
