import { fileURLToPath } from 'node:url';
import { isServerAddress } from '@service-pay/contract/loopback';
import { LOG_LEVELS } from '@service-pay/server/log';
import {
  type Environment,
  type FindConflicts,
  isLoopback,
  matching,
  parseSettings,
  paymentSettings,
  readEnvironment,
  toConfig,
} from '@service-pay/server/settings';
import { getDomain } from 'tldts';
import * as v from 'valibot';

export { ConfigError, isLoopback } from '@service-pay/server/settings';

export type Config = ReturnType<typeof parseConfig>;

const originsSchema = v.message(
  v.pipe(
    v.string(),
    v.transform(readList),
    v.check((origins) => origins.every(isOrigin)),
  ),
  'must be comma-separated https origins without a path or final slash, such as https://pictures.example. Only this machine may have http.',
);

const settingsSchema = v.object({
  // read by the commands of the package, too: PORT, PUBLIC_URL, DATABASE_URL, SANDBOX_PORT,
  // SERVICE_PAY_API_URL, SERVICE_PAY_SCRIPT_URL, SERVICE_PAY_PUBLIC_KEY, SERVICE_PAY_API_TOKEN and
  // its PREVIOUS
  ...paymentSettings.entries,
  HOST: v.optional(
    v.pipe(v.string(), v.ip('must be an IP address of this machine, or 0.0.0.0 for all.')),
  ),
  SERVICE_PAY_PUBLIC_KEY: v.optional(
    v.unwrap(paymentSettings.entries.SERVICE_PAY_PUBLIC_KEY),
    'pub_sandbox_demo',
  ),
  SESSION_SECRET: matching(
    /^.{32}/s,
    'must be 32 or more random characters. Keep them: they sign the cookie that ties an order to its browser.',
  ),
  TRUST_PROXY: v.optional(
    v.pipe(matching(/^\d{1,2}$/, 'must be the number of proxies, such as 1.'), v.transform(Number)),
    '0',
  ),
  IMAGE_ORIGINS: v.optional(originsSchema, ''),
  ALLOWED_ORIGINS: v.optional(originsSchema, ''),
  LOG_LEVEL: v.optional(v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}.`), 'info'),
  // YOURS: settings of your own, such as
  // ERP_URL: v.optional(v.pipe(v.string(), v.url('must be an address.')), 'http://localhost:8080'),
});

export const SETTING_NAMES = Object.keys(settingsSchema.entries);

/** Reads the environment and `.env`; the environment wins. Throws `ConfigError`. */
export function loadConfig(): Config {
  return parseConfig(...readEnvironment(fileURLToPath(new URL('../', import.meta.url))));
}

/** Throws one `ConfigError` that names every problem. */
export function parseConfig(environment: Environment, folder?: string) {
  const settings = parseSettings(settingsSchema, environment, findConflicts);
  const { HOST, PUBLIC_URL } = settings;
  const isLocal = !PUBLIC_URL || isLoopback(PUBLIC_URL);
  return Object.freeze({
    ...toConfig(settings, folder),
    host: HOST ?? (isLocal ? '127.0.0.1' : undefined),
    publicKey: settings.SERVICE_PAY_PUBLIC_KEY,
    sessionSecret: settings.SESSION_SECRET,
    trustedProxies: settings.TRUST_PROXY,
    imageOrigins: settings.IMAGE_ORIGINS,
    allowedOrigins: settings.ALLOWED_ORIGINS,
    logLevel: settings.LOG_LEVEL,
    // YOURS: erpUrl: settings.ERP_URL,
  });
}

const findConflicts: FindConflicts = function* (given, malformed) {
  for (const name of ['SERVICE_PAY_API_TOKEN', 'SERVICE_PAY_API_TOKEN_PREVIOUS'])
    if (given[name] && !malformed.has(name) && given[name] === given.SERVICE_PAY_PUBLIC_KEY)
      yield [name, 'must be a secret API token: this is the public key.'];
  const { PUBLIC_URL = 'http://localhost', ALLOWED_ORIGINS = '' } = given;
  const areOrigins = !malformed.has('PUBLIC_URL') && !malformed.has('ALLOWED_ORIGINS');
  if (areOrigins && !readList(ALLOWED_ORIGINS).every((one) => isSameSite(one, PUBLIC_URL)))
    yield [
      'ALLOWED_ORIGINS',
      'must be of the same site as PUBLIC_URL, such as https://app.shop.example beside https://api.shop.example: pages of other sites never send the cookie.',
    ];
};

function readList(text: string): readonly string[] {
  return text.split(',').flatMap((entry) => entry.trim() || []);
}

function isOrigin(text: string): boolean {
  return isServerAddress(text) && new URL(text).origin === text && !text.includes('*');
}

/** Returns whether browsers treat two addresses as one site (scheme and registrable domain). */
function isSameSite(one: string, other: string): boolean {
  return siteOf(one) === siteOf(other);
}

function siteOf(url: string): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}
