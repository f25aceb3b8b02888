/** Returns whether a text is exactly an http(s) origin as browsers write it, and safe in a CSP. */
export function isOrigin(text: string): boolean {
  return (
    /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?$/.test(text) &&
    URL.parse(text)?.origin === text
  );
}
