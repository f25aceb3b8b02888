import { fileURLToPath } from 'node:url';
import * as settings from '@service-pay/server/settings';
import { getDomain } from 'tldts';

export { ConfigError, isLoopback } from '@service-pay/server/settings';

const ORIGINS_RULE =
  'must be origins, comma-separated, without a path or a final slash, and https beyond this machine, such as https://pictures.example.';

/** The shop's settings: those of the package, and its own. Frozen. */
export interface Config extends settings.Config {
  /** Further origins that pictures may come from. */
  readonly imageOrigins: readonly string[];
  /** Further origins of the same site whose pages may call the shop's API with its cookie. */
  readonly allowedOrigins: readonly string[];
}

/** Settings of this process, and of `.env` beside `package.json`. Throws `ConfigError`. */
export function loadConfig(): Config {
  const folder = fileURLToPath(new URL('../', import.meta.url));
  return parseConfig(settings.readSettings(folder), folder);
}

/** Reads settings out of an environment. Throws one `ConfigError` that names every problem. */
export function parseConfig(
  environment: Record<string, string | undefined>,
  folder?: string,
): Config {
  const imageOrigins = readList(environment.IMAGE_ORIGINS);
  const allowedOrigins = readList(environment.ALLOWED_ORIGINS);
  const problems: string[] = [];
  if (!imageOrigins.every(isOrigin)) problems.push(`IMAGE_ORIGINS ${ORIGINS_RULE}`);
  if (!allowedOrigins.every(isOrigin)) problems.push(`ALLOWED_ORIGINS ${ORIGINS_RULE}`);
  else if (!allowedOrigins.every((origin) => isSameSite(origin, environment.PUBLIC_URL)))
    problems.push(
      'ALLOWED_ORIGINS must be of the same site as PUBLIC_URL, such as https://app.shop.example beside https://api.shop.example: pages of other sites never send the cookie.',
    );
  const config = settings.parseConfig(environment, folder, problems);
  return Object.freeze({ ...config, imageOrigins, allowedOrigins });
}

function readList(text = ''): string[] {
  return text.split(',').flatMap((entry) => entry.trim() || []);
}

function isOrigin(text: string): boolean {
  if (URL.parse(text)?.origin !== text || text.includes('*')) return false;
  return text.startsWith('https:') || settings.isLoopback(text);
}

/** Compares sites as browsers do: by scheme and registrable domain, whatever the port. */
function isSameSite(origin: string, publicUrl = ''): boolean {
  const own = publicUrl.trim() || 'http://localhost';
  // a malformed PUBLIC_URL is a problem of its own
  return !URL.canParse(own) || siteOf(origin) === siteOf(own);
}

function siteOf(url: string): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol}//${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}
