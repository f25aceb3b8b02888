/** The headers of a `Request` or of Node's request, or a plain object. */
export type RequestHeaders =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the values of a header, whose name may be in any case. */
export function readHeader(headers: RequestHeaders, name: string): string[] {
  const all = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return all
    .filter(([other]) => other.toLowerCase() === name.toLowerCase())
    .flatMap(([, value]) => value ?? []);
}
