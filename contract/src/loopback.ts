/** Matches a host that is this machine. An IPv6 address may stand in brackets. */
export const LOOPBACK_HOST = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[?::1]?)$/i;

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}
