const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.[0-9]{1,3}){3}|::1|\[::1\])$/i;

/** Returns true if a host is this machine. An IPv6 address may stand in brackets. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}
