/** Parsers would also decode UTF-7, UTF-16 and UTF-32. */
const OTHER_CHARSET = /;\s*charset\s*=(?!\s*"?utf-8"?\s*(?:;|$))/i;

/**
 * Returns whether a request has a JSON body in UTF-8, or none. A call without a body needs no
 * content type.
 */
export function isJsonOrEmpty(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean {
  const type = `${headers['content-type'] ?? ''}`;
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return !hasBody || (/^application\/json\s*(?:;|$)/i.test(type) && !OTHER_CHARSET.test(type));
}
