import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isLoopbackHost, isServerAddress } from '@service-pay/contract/loopback';
import * as v from 'valibot';
import { hostsOf, isPostgresAddress } from '../database/postgres-url.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings that a shop and the package's commands read, frozen. */
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
 * Reads the environment and `.env` in `folder`, or `envFile`, which must exist. The environment
 * wins. Paths are relative to `folder`, and those in a file to the folder of that file. Throws
 * `ConfigError`.
 */
export function readEnvironment(
  folder: string,
  environment: Environment = process.env,
  envFile?: string,
): [environment: Environment, folder: string] {
  const file = resolve(folder, envFile ?? '.env');
  const kept = envFile !== undefined || existsSync(file) ? readSettingsFile(file) : {};
  const given = Object.entries(environment).filter(([, value]) => value?.trim());
  const all = { ...kept, ...Object.fromEntries(given) };
  return [all, environment.DATABASE_URL?.trim() ? folder : dirname(file)];
}

function readSettingsFile(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8').replace(/^\ufeff/, '')); // editors on Windows add it
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`${file} cannot be read (${code}). Check its path and permissions.`]);
  }
}

/** Reads the payment settings from an environment, all or `only` some. Throws `ConfigError`. */
export function parseConfig(
  environment: Environment,
  folder?: string,
  only: readonly SettingName[] = SETTING_NAMES,
) {
  return toConfig(
    parseSettings(v.pick(paymentSettings, only as [SettingName]), environment),
    folder,
  );
}

/** Finds well-formed settings that contradict others. Malformed ones are reported anyway. */
export type FindConflicts = (
  given: Environment,
  malformed: ReadonlySet<string>,
) => Iterable<[name: string, problem: string]>;

/**
 * Parses the settings of a schema, such as `paymentSettings` with more entries. Throws one `ConfigError`
 * that names every problem (D58, T78).
 */
export function parseSettings<Entries extends v.ObjectEntries>(
  schema: v.ObjectSchema<Entries, undefined>,
  environment: Environment,
  findMore: FindConflicts = () => [],
): v.InferOutput<v.ObjectSchema<Entries, undefined>> {
  const given = Object.fromEntries(
    Object.keys(schema.entries).map((name) => [name, environment[name]?.trim() || undefined]),
  );
  const result = v.safeParse(schema, given);
  const problems = new Map<string, string>();
  for (const issue of result.issues ?? []) {
    const name = String(v.getDotPath(issue));
    problems.set(name, given[name] ? issue.message : `is required. It ${issue.message}`);
  }
  const malformed = new Set(problems.keys());
  for (const find of [findConflicts, findMore])
    for (const [name, problem] of find(given, malformed))
      if (name in given) problems.set(name, problem);
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED?.trim() === '0')
    problems.set(
      'NODE_TLS_REJECT_UNAUTHORIZED',
      'must not be 0, because certificates are always checked. Set NODE_EXTRA_CA_CERTS to trust your own authority.',
    );
  if (!result.success || problems.size)
    throw new ConfigError([...problems].map(([name, problem]) => `${name} ${problem}`));
  return result.output;
}

/** Adds defaults to what `parseSettings` read. Relative paths are resolved against `folder`. */
export function toConfig(settings: PaymentSettings, folder = process.cwd()) {
  const { PORT, PUBLIC_URL } = settings;
  const sandbox = `http://localhost:${settings.SANDBOX_PORT}`;
  return Object.freeze({
    port: PORT,
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
  });
}

/**
 * Returns a schema for text of this pattern. The problem, such as "must be …", is also shown if the
 * setting is missing.
 */
export function matching(pattern: RegExp, problem: string) {
  return v.message(v.pipe(v.string(), v.regex(pattern)), problem);
}

/**
 * Returns whether an address is on this machine, where plain http is allowed (specification 5.4).
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
const tokenSchema = matching(
  /^(?!pub_|pk_)[!-~]{8,512}$/i,
  'must be the secret API token from the provider, not a public key, or sec_sandbox_demo for the sandbox. It has 8 to 512 visible characters.',
);

/** Settings of each shop and of the package's commands. The template adds its own. */
export const paymentSettings = v.object({
  PORT: v.optional(portSchema, '3000'),
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
        'must be file:<path>, such as file:.data/shop.db, or postgres://user:password@host:port/database. Write % as %25 and a space as %20, and name one host, and each parameter once.',
      ),
    ),
    'file:.data/shop.db',
  ),
  SERVICE_PAY_API_URL: v.optional(addressSchema),
  SERVICE_PAY_SCRIPT_URL: v.optional(addressSchema),
  SERVICE_PAY_PUBLIC_KEY: v.optional(
    matching(
      /^(?!sec_|sk_)[!-~]{1,128}$/i,
      'must be your public key (pub_…): the secret API token never goes into a page.',
    ),
  ),
  SERVICE_PAY_API_TOKEN: tokenSchema,
  SERVICE_PAY_API_TOKEN_PREVIOUS: v.optional(tokenSchema),
});

type PaymentSettings = v.InferOutput<typeof paymentSettings>;

export type SettingName = keyof typeof paymentSettings.entries;

const SETTING_NAMES = Object.keys(paymentSettings.entries) as SettingName[];

/** Finds well-formed settings that contradict others, or that allow eavesdropping. */
function* findConflicts(
  given: Environment,
  malformed: ReadonlySet<string>,
): Generator<[name: SettingName, problem: string]> {
  const pick = (name: SettingName) => (malformed.has(name) ? undefined : given[name]);
  const isRemote = (name: SettingName) => !isLoopback(pick(name) ?? 'http://localhost');

  for (const name of ['SERVICE_PAY_API_TOKEN', 'SERVICE_PAY_API_TOKEN_PREVIOUS'] as const) {
    if (pick(name) === 'sec_sandbox_demo' && isRemote('SERVICE_PAY_API_URL'))
      yield [name, 'must be your own token. Every sandbox has this one.'];
  }
  const addresses = ['SERVICE_PAY_API_URL', 'SERVICE_PAY_SCRIPT_URL'] as const;
  for (const [at, name] of addresses.entries()) {
    const other = addresses[1 - at]!;
    if (!given[name] && (isRemote(other) || Number(given.SANDBOX_PORT) === 0))
      yield [name, `is required if ${other} is on another machine, or SANDBOX_PORT is 0.`];
  }
  if (isPlainOnNetwork(pick('DATABASE_URL') ?? ''))
    yield [
      'DATABASE_URL',
      'must end in ?sslmode=verify-full. Add &sslrootcert=<file> if you have your own certificate authority. Only in a network that nobody else can read, end it in ?sslmode=disable.',
    ];
}

function isPlainOnNetwork(databaseUrl: string): boolean {
  if (!isPostgresAddress(databaseUrl)) return false;
  const mode = new URL(databaseUrl).searchParams.get('sslmode');
  if (mode !== null) return mode !== 'verify-full' && mode !== 'disable';
  return !hostsOf(databaseUrl).every((host) => isLoopbackHost(host) || /^\/[^,]+$/.test(host));
}
