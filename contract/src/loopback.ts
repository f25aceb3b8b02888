/** Returns true if a host is this machine. An IPv6 address comes without its brackets. */
export function isLoopbackHost(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    /^127(?:\.[0-9]{1,3}){3}$/.test(host)
  );
}
