import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isLoopbackHost, isServerAddress } from '@service-pay/contract/loopback';
import { getDomain } from 'tldts';
import * as v from 'valibot';
import { hostsOf, isPostgresAddress } from '../database/postgres-url.ts';
import { LOG_LEVELS } from '../observe/log.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of a shop, frozen. */
export type Config = ReturnType<typeof parseConfig>;

/** A setting that is missing or malformed. The message lists every problem and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Correct these settings, in the environment or in .env:\n- ${problems.join('\n- ')}`);
    this.problems = problems;
  }
}

/**
 * Reads the settings of this process: its environment, then `.env` in `folder` or the file that is
 * named, which must be there. A path in the environment counts from `folder`, and one in a file from
 * the folder of that file. Throws `ConfigError`.
 */
export function loadConfig(
  folder: string,
  environment: Environment = process.env,
  envFile?: string,
  only?: readonly SettingName[],
): Config {
  const file = resolve(folder, envFile ?? '.env');
  const kept = envFile !== undefined || existsSync(file) ? readSettingsFile(file) : {};
  const given = Object.entries(environment).filter(([, value]) => value?.trim());
  const all = { ...kept, ...Object.fromEntries(given) };
  return parseConfig(all, environment.DATABASE_URL?.trim() ? folder : dirname(file), only);
}

function readSettingsFile(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`${file} cannot be read (${code}). Check its path and permissions.`]);
  }
}

/**
 * Reads settings out of an environment, all or `only` some. Throws one `ConfigError` that names
 * every problem (D58, T78).
 */
export function parseConfig(
  environment: Environment,
  folder = process.cwd(),
  only: readonly SettingName[] = SETTING_NAMES,
) {
  const given = Object.fromEntries(
    only.map((name) => [name, environment[name]?.trim() || undefined]),
  );
  const result = v.safeParse(v.pick(settingsSchema, only as [SettingName]), given);
  const problems = new Map<string, string>();
  for (const issue of result.issues ?? []) {
    const name = String(v.getDotPath(issue));
    problems.set(name, given[name] ? issue.message : `is required. It ${issue.message}`);
  }
  for (const [name, problem] of findConflicts(given, new Set(problems.keys())))
    if (only.includes(name)) problems.set(name, problem);
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED?.trim() === '0')
    problems.set(
      'NODE_TLS_REJECT_UNAUTHORIZED',
      'must not be 0: certificates are always checked. Name your own authority with NODE_EXTRA_CA_CERTS.',
    );
  if (!result.success || problems.size)
    throw new ConfigError([...problems].map(([name, problem]) => `${name} ${problem}`));

  const settings = result.output;
  const { PORT, PUBLIC_URL } = settings;
  const isLocal = !PUBLIC_URL || isLoopback(PUBLIC_URL);
  const sandbox = `http://localhost:${settings.SANDBOX_PORT}`;
  return Object.freeze({
    port: PORT,
    host: settings.HOST ?? (isLocal ? '127.0.0.1' : undefined),
    publicUrl: PUBLIC_URL ?? (PORT ? `http://localhost:${PORT}` : undefined),
    databaseUrl: settings.DATABASE_URL?.replace(
      /^file:(.+)/s,
      (_, path) => `file:${resolve(folder, path)}`,
    ),
    apiUrl: settings.SERVICE_PAY_API_URL ?? sandbox,
    scriptUrl: settings.SERVICE_PAY_SCRIPT_URL ?? `${sandbox}/js/v1/inline.js`,
    publicKey: settings.SERVICE_PAY_PUBLIC_KEY,
    apiToken: settings.SERVICE_PAY_API_TOKEN,
    previousApiToken: settings.SERVICE_PAY_API_TOKEN_PREVIOUS,
    sessionSecret: settings.SESSION_SECRET,
    trustedProxies: settings.TRUST_PROXY,
    imageOrigins: settings.IMAGE_ORIGINS,
    allowedOrigins: settings.ALLOWED_ORIGINS,
    logLevel: settings.LOG_LEVEL,
  });
}

/**
 * Returns whether only this machine reaches an address: plain http is allowed there (specification
 * 5.4).
 */
export function isLoopback(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

const portSchema = v.message(
  v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number), v.maxValue(65_535)),
  'must be a port from 0 to 65535 (0 takes a free one).',
);
const addressSchema = v.message(
  v.pipe(
    v.string(),
    v.check(isServerAddress),
    v.transform((address) => address.replace(/\/+$/, '')),
  ),
  'must be an https address without user, query or fragment. Only this machine may have http.',
);
const tokenSchema = text(
  /^(?!pub_|pk_)[!-~]{8,512}$/i,
  "must be the secret API token from the service's operator, not a public key, or sec_sandbox_demo for the sandbox. It has 8 to 512 visible characters.",
);
const originsSchema = v.message(
  v.pipe(
    v.string(),
    v.transform(readList),
    v.check((origins) => origins.every(isOrigin)),
  ),
  'must be comma-separated https origins without a path or final slash, such as https://pictures.example. Only this machine may have http.',
);

const settingsSchema = v.object({
  PORT: v.optional(portSchema, '3000'),
  HOST: v.optional(
    v.pipe(v.string(), v.ip('must be an IP address of this machine, or 0.0.0.0 for all.')),
  ),
  SANDBOX_PORT: v.optional(portSchema, '4010'),
  PUBLIC_URL: v.optional(
    v.pipe(
      addressSchema,
      v.check((url) => new URL(url).pathname === '/', 'must have no path.'),
    ),
  ),
  DATABASE_URL: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (address) => /^file:./.test(address) || isPostgresAddress(address),
        'must be file:<path>, such as file:.data/shop.db, or postgres://user:password@host:port/database. Write % as %25 and a space as %20, and name each parameter once.',
      ),
    ),
    'file:.data/shop.db',
  ),
  SERVICE_PAY_API_URL: v.optional(addressSchema),
  SERVICE_PAY_SCRIPT_URL: v.optional(addressSchema),
  SERVICE_PAY_PUBLIC_KEY: v.optional(
    text(
      /^(?!sec_|sk_)[!-~]{1,128}$/i,
      'must be your public key (pub_…): the secret API token never goes into a page.',
    ),
    'pub_sandbox_demo',
  ),
  SERVICE_PAY_API_TOKEN: tokenSchema,
  SERVICE_PAY_API_TOKEN_PREVIOUS: v.optional(tokenSchema),
  SESSION_SECRET: text(
    /^.{32}/s,
    'must be 32 or more random characters. Keep them: they sign the cookie that ties an order to its browser.',
  ),
  TRUST_PROXY: v.optional(
    v.pipe(text(/^\d{1,2}$/, 'must be the number of proxies, such as 1.'), v.transform(Number)),
    '0',
  ),
  IMAGE_ORIGINS: v.optional(originsSchema, ''),
  ALLOWED_ORIGINS: v.optional(originsSchema, ''),
  LOG_LEVEL: v.optional(v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}.`), 'info'),
});

export type SettingName = keyof typeof settingsSchema.entries;

export const SETTING_NAMES = Object.keys(settingsSchema.entries) as SettingName[];

function text(pattern: RegExp, problem: string) {
  return v.message(v.pipe(v.string(), v.regex(pattern)), problem);
}

function readList(text: string): readonly string[] {
  return text.split(',').flatMap((entry) => entry.trim() || []);
}

function isOrigin(text: string): boolean {
  return isServerAddress(text) && new URL(text).origin === text && !text.includes('*');
}

/** Finds well-formed settings that contradict others, or that others could overhear. */
function* findConflicts(
  given: Environment,
  malformed: ReadonlySet<string>,
): Generator<[name: SettingName, problem: string]> {
  const pick = (name: SettingName) => (malformed.has(name) ? undefined : given[name]);
  const isRemote = (name: SettingName) => !isLoopback(pick(name) ?? 'http://localhost');

  for (const name of ['SERVICE_PAY_API_TOKEN', 'SERVICE_PAY_API_TOKEN_PREVIOUS'] as const) {
    const token = pick(name);
    if (token !== undefined && token === pick('SERVICE_PAY_PUBLIC_KEY'))
      yield [name, 'must be a secret API token: this is the public key.'];
    if (token === 'sec_sandbox_demo' && isRemote('SERVICE_PAY_API_URL'))
      yield [name, 'must be a token of the service: this one is known from every sandbox.'];
  }
  const addresses = ['SERVICE_PAY_API_URL', 'SERVICE_PAY_SCRIPT_URL'] as const;
  for (const [at, name] of addresses.entries()) {
    const other = addresses[1 - at]!;
    if (!given[name] && (isRemote(other) || Number(given.SANDBOX_PORT) === 0))
      yield [name, `is required if ${other} is on another machine, or SANDBOX_PORT is 0.`];
  }
  const ownSite = siteOf(pick('PUBLIC_URL') ?? 'http://localhost');
  const allowed = malformed.has('PUBLIC_URL') ? [] : readList(pick('ALLOWED_ORIGINS') ?? '');
  if (allowed.some((origin) => siteOf(origin) !== ownSite))
    yield [
      'ALLOWED_ORIGINS',
      'must be of the same site as PUBLIC_URL, such as https://app.shop.example beside https://api.shop.example: pages of other sites never send the cookie.',
    ];
  if (canBeOverheard(pick('DATABASE_URL') ?? ''))
    yield [
      'DATABASE_URL',
      'must end in ?sslmode=verify-full. Add &sslrootcert=<file> if you have your own certificate authority. Only in a network that nobody else can read, end it in ?sslmode=disable.',
    ];
}

/** The site of an address as browsers see it: scheme and registrable domain, whatever the port. */
function siteOf(url: string): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}

function canBeOverheard(databaseUrl: string): boolean {
  if (!isPostgresAddress(databaseUrl)) return false;
  const mode = new URL(databaseUrl).searchParams.get('sslmode');
  if (mode !== null) return mode !== 'verify-full' && mode !== 'disable';
  return !hostsOf(databaseUrl).every((host) => isLoopbackHost(host) || /^\/[^,]+$/.test(host));
}
