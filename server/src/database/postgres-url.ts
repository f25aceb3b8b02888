/**
 * Returns whether an address names a server and a database, and `pg` and PostgreSQL's own programs
 * read it in the same way.
 */
export function isPostgresAddress(address: string): boolean {
  if (!/^postgres(?:ql)?:\/\/\S+$/.test(address) || !URL.canParse(address)) return false;
  if (!isDecodable(address)) return false;
  const { pathname, searchParams } = new URL(address);
  const names = [...searchParams.keys()];
  if (new Set(names).size < names.length) return false;
  return hostsOf(address)[0] !== '' && !hasSeveralHosts(address) && /^\/[^/@]+$/.test(pathname);
}

/** Returns whether an address names several hosts, as `libpq` takes them and `pg` does not. */
export function hasSeveralHosts(address: string): boolean {
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(address) ?? [];
  const hosts = [authority.split('@').at(-1)!, URL.parse(address)?.searchParams.get('host') ?? ''];
  return hosts.some((host) => host.includes(',') || /%2c/i.test(host));
}

/** Parameters that name a schema in the addresses of Prisma and of Java, and that `pg` ignores. */
const SCHEMA_NAMES = ['schema', 'currentSchema', 'search_path'] as const;

/** Returns the schema that such a parameter of an address names. */
export function findNamedSchema(address: string): { name: string; schema: string } | undefined {
  const parameters = URL.parse(address)?.searchParams;
  for (const name of SCHEMA_NAMES) {
    const [schema] = parameters?.get(name)?.split(',') ?? [];
    if (schema) return { name, schema };
  }
  return undefined;
}

/** Returns the hosts of a valid address, the one that `pg` prefers first. */
export function hostsOf(address: string): [string, ...string[]] {
  const { hostname, searchParams } = new URL(address);
  const written = decodeURIComponent(hostname).replace(/^\[(.+)\]$/, '$1');
  return [searchParams.get('host') || written, ...searchParams.getAll('hostaddr')];
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
