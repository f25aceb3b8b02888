/**
 * Returns whether `pg` and the programs of PostgreSQL read an address in the same way, and it names
 * a server and a database.
 */
export function isPostgresAddress(address: string): boolean {
  if (!/^postgres(?:ql)?:\/\/\S+$/.test(address) || !URL.canParse(address)) return false;
  if (!isDecodable(address)) return false;
  const { pathname, searchParams } = new URL(address);
  const names = [...searchParams.keys()];
  if (new Set(names).size < names.length) return false;
  return hostsOf(address)[0] !== '' && /^\/[^/@]+$/.test(pathname);
}

/** Returns the hosts that a sound address leads to, the one that `pg` takes first. */
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
