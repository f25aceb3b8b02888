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
  return hostsOf(address)[0] !== '' && /^\/[^/@]+$/.test(pathname);
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
