// Calls as shell commands, quoted so that any reference or URL stays one word.

/** @typedef {{ method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown }} Call */

/**
 * Quotes a text as one word of a POSIX shell.
 * @param {string} text
 */
export function quoteForShell(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The command for a call of the control API. It names the token and never contains it.
 * @param {Call} call
 * @param {{ origin: string, needsToken: boolean }} sandbox
 */
export function curlFor({ method, path, body }, { origin, needsToken }) {
  // Print a stream as it arrives.
  const words = [path.startsWith('/events') ? 'curl -sSN' : 'curl -sS'];
  if (method !== 'GET') words.push(`-X ${method}`);
  words.push(quoteForShell(`${origin}/_sandbox${path}`));
  if (needsToken) words.push('-H "X-Sandbox-Token: $SANDBOX_TOKEN"');
  if (body !== undefined)
    words.push(`-H 'Content-Type: application/json'`, `-d ${quoteForShell(JSON.stringify(body))}`);
  return words.join(' ');
}
