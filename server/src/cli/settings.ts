import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isLoopbackHost } from '@service-pay/contract/loopback';
import { getDomain } from 'tldts';
import * as v from 'valibot';
import { hostsOf, isPostgresAddress } from '../database/postgres-url.ts';
import { LOG_LEVELS } from '../observe/log.ts';

export const DEMO_TOKEN = 'sec_sandbox_demo';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of a shop, frozen. */
export type Config = ReturnType<typeof parseConfig>;

/** A setting that is missing or malformed. The message lists every problem and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const settings = problems.length === 1 ? 'One setting' : `${problems.length} settings`;
    super(
      `${settings} must be corrected, in the environment or in .env:\n- ${problems.join('\n- ')}`,
    );
    this.problems = problems;
  }
}

interface LoadOptions {
  environment?: Environment;
  envFile?: string | undefined;
  only?: readonly SettingName[];
}

/**
 * Reads the settings of this process: its environment, then `.env` in `folder` or the file that is
 * named, which must be there. A path in the environment counts from `folder`, and one in a file from
 * the folder of that file. Throws `ConfigError`.
 */
export function loadConfig(
  folder: string,
  { environment = process.env, envFile, only }: LoadOptions = {},
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
  const issues = result.issues ?? [];
  const broken = new Set(issues.map((issue) => v.getDotPath(issue)));
  const problems = [
    ...issues.map((issue) => `${v.getDotPath(issue)} ${issue.message}`),
    ...findConflicts(given, (name) => !broken.has(name)).flatMap(([name, isBroken, problem]) =>
      isBroken && only.includes(name) ? [`${name} ${problem}`] : [],
    ),
  ];
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED?.trim() === '0') {
    problems.push(
      'NODE_TLS_REJECT_UNAUTHORIZED must not be 0: certificates are always checked. Name your own authority with NODE_EXTRA_CA_CERTS.',
    );
  }
  if (!result.success || problems.length) throw new ConfigError(problems);

  const settings = result.output;
  const isLocal = !settings.PUBLIC_URL || isLoopback(settings.PUBLIC_URL);
  return Object.freeze({
    port: settings.PORT,
    host: settings.HOST ?? (isLocal ? '127.0.0.1' : undefined),
    publicUrl:
      settings.PUBLIC_URL ?? (settings.PORT ? `http://localhost:${settings.PORT}` : undefined),
    databaseUrl: settings.DATABASE_URL?.replace(
      /^file:(.+)/s,
      (_, path) => `file:${resolve(folder, path)}`,
    ),
    apiUrl: settings.SERVICE_PAY_API_URL ?? `http://localhost:${settings.SANDBOX_PORT}`,
    scriptUrl:
      settings.SERVICE_PAY_SCRIPT_URL ??
      `http://localhost:${settings.SANDBOX_PORT}/js/v1/inline.js`,
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

const portSchema = (otherwise: string) =>
  v.optional(
    v.pipe(
      v.string(),
      v.check(
        (port) => /^\d{1,5}$/.test(port) && Number(port) <= 65_535,
        'must be a port from 0 to 65535 (0 takes a free one).',
      ),
      v.transform(Number),
    ),
    otherwise,
  );

const addressSchema = v.pipe(
  v.string(),
  v.check(
    isCleanAddress,
    'must be an https address without user, query or fragment. Only this machine may have http.',
  ),
  v.transform((address) => address.replace(/\/+$/, '')),
);

const tokenSchema = v.pipe(
  v.string(
    "is required. Set it to the secret API token from the service's operator, or to sec_sandbox_demo for the sandbox.",
  ),
  v.regex(/^[!-~]{8,512}$/, 'must be 8 to 512 visible characters without blanks.'),
  v.regex(/^(?!pub_|pk_)/i, 'must be the secret API token: this is a public key.'),
);

const originsSchema = v.optional(
  v.pipe(
    v.string(),
    v.transform(readList),
    v.check(
      (origins) => origins.every(isOrigin),
      'must be comma-separated https origins without a path or final slash, such as https://pictures.example. Only this machine may have http.',
    ),
  ),
  '',
);

const databaseSchema = v.pipe(
  v.string(),
  v.check(
    (address) => /^file:./.test(address) || isPostgresAddress(address),
    'must be file:<path>, such as file:.data/shop.db, or postgres://user:password@host:port/database. Write % as %25 and a space as %20, and name each parameter once.',
  ),
);

const settingsSchema = v.object({
  PORT: portSchema('3000'),
  HOST: v.optional(
    v.pipe(
      v.string(),
      v.check(
        (host) => isIP(host) !== 0,
        'must be an IP address of this machine, such as 127.0.0.1, or 0.0.0.0 for every interface.',
      ),
    ),
  ),
  SANDBOX_PORT: portSchema('4010'),
  PUBLIC_URL: v.optional(addressSchema),
  DATABASE_URL: v.optional(databaseSchema, 'file:.data/shop.db'),
  SERVICE_PAY_API_URL: v.optional(addressSchema),
  SERVICE_PAY_SCRIPT_URL: v.optional(addressSchema),
  SERVICE_PAY_PUBLIC_KEY: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^(?!sec_|sk_)[!-~]{1,128}$/i,
        'must be your public key (pub_…): the secret API token never goes into a page.',
      ),
    ),
    'pub_sandbox_demo',
  ),
  SERVICE_PAY_API_TOKEN: tokenSchema,
  SERVICE_PAY_API_TOKEN_PREVIOUS: v.optional(tokenSchema),
  SESSION_SECRET: v.pipe(
    v.string(
      'is required. Set it to 32 or more random characters and keep them: they sign the cookie that ties an order to its browser.',
    ),
    v.minLength(32, 'must have at least 32 random characters.'),
  ),
  TRUST_PROXY: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,2}$/, 'must be the number of proxies in front of the shop, such as 1.'),
      v.transform(Number),
    ),
    '0',
  ),
  IMAGE_ORIGINS: originsSchema,
  ALLOWED_ORIGINS: originsSchema,
  LOG_LEVEL: v.optional(v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}.`), 'info'),
});

export type SettingName = keyof typeof settingsSchema.entries;

export const SETTING_NAMES = Object.keys(settingsSchema.entries) as SettingName[];

function isCleanAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, search, hash } = new URL(address);
  if (username || password || search || hash) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(address));
}

function readList(text: string): readonly string[] {
  return text.split(',').flatMap((entry) => entry.trim() || []);
}

function isOrigin(text: string): boolean {
  if (URL.parse(text)?.origin !== text || text.includes('*')) return false;
  return text.startsWith('https:') || isLoopback(text);
}

/** The site of an address as browsers see it: scheme and registrable domain, whatever the port. */
function siteOf(url: string): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}

type Rule = [name: SettingName, isBroken: boolean, problem: string];

/** Rules for settings that are valid and may still contradict each other. */
function findConflicts(given: Environment, isSound: (name: string) => boolean): Rule[] {
  const pick = (name: string) => (isSound(name) ? given[name] : undefined);
  const isRemote = (url: string | undefined) => url !== undefined && !isLoopback(url);
  const apiUrl = pick('SERVICE_PAY_API_URL');
  const publicUrl = pick('PUBLIC_URL');
  const ownSite = isSound('PUBLIC_URL') && siteOf(publicUrl ?? 'http://localhost');
  const allowed = readList(pick('ALLOWED_ORIGINS') ?? '');
  const tokens = ['SERVICE_PAY_API_TOKEN', 'SERVICE_PAY_API_TOKEN_PREVIOUS'] as const;
  const addresses = ['SERVICE_PAY_API_URL', 'SERVICE_PAY_SCRIPT_URL'] as const;
  return [
    ...tokens.flatMap((name): Rule[] => [
      [
        name,
        pick(name) !== undefined && pick(name) === given.SERVICE_PAY_PUBLIC_KEY,
        'must be a secret API token: this is the public key.',
      ],
      [
        name,
        pick(name) === DEMO_TOKEN && isRemote(apiUrl),
        'is the token of every sandbox, but the service is not on this machine. Use a token from its operator.',
      ],
    ]),
    [
      'PUBLIC_URL',
      publicUrl !== undefined && new URL(publicUrl).pathname !== '/',
      'must be an origin without a path, such as https://shop.example.',
    ],
    [
      'ALLOWED_ORIGINS',
      ownSite !== false && allowed.some((origin) => siteOf(origin) !== ownSite),
      'must be of the same site as PUBLIC_URL, such as https://app.shop.example beside https://api.shop.example: pages of other sites never send the cookie.',
    ],
    ...addresses.flatMap((name, index): Rule[] => {
      const other = addresses[1 - index] as SettingName;
      return [
        [
          name,
          !given[name] && isRemote(pick(other)),
          `is required if ${other} is on another machine. Its default is the sandbox on this one.`,
        ],
        [
          name,
          !given[name] && isSound('SANDBOX_PORT') && Number(given.SANDBOX_PORT) === 0,
          'is required if SANDBOX_PORT is 0: its default cannot know which port the sandbox took.',
        ],
      ];
    }),
    [
      'DATABASE_URL',
      canBeOverheard(pick('DATABASE_URL')),
      'must end in ?sslmode=verify-full. Add &sslrootcert=<file> if you have your own certificate authority. Only in a network that nobody else can read, end it in ?sslmode=disable.',
    ],
  ];
}

function canBeOverheard(databaseUrl: string | undefined): boolean {
  if (!databaseUrl?.startsWith('postgres')) return false;
  const mode = new URL(databaseUrl).searchParams.get('sslmode');
  const isHere = hostsOf(databaseUrl).every(
    (host) => isLoopbackHost(host) || /^\/[^,]+$/.test(host),
  );
  return mode !== 'verify-full' && mode !== 'disable' && !(mode === null && isHere);
}
