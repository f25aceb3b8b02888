/** Matches a host that is this machine. An IPv6 address may be in brackets. */
export const LOOPBACK_HOST = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[?::1]?)$/i;

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}

/**
 * Checks that an address can be a server's (specification 5.4): https, or http on this machine,
 * without user, query or fragment.
 */
export function isServerAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(address);
  if (username || password || search || hash) return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
