// The same call for a shell. Whatever a merchant or a test wrote into a reference or an address
// stays one word there.

/** @typedef {{ method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown }} Call */

/**
 * A text as one word of a POSIX shell.
 * @param {string} text
 */
export function quoteForShell(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The command that makes a call of the control API. A token is named and never written out: the
 * shell puts it there.
 * @param {Call} call
 * @param {{ origin: string, needsToken: boolean }} sandbox
 */
export function curlFor({ method, path, body }, { origin, needsToken }) {
  // A stream is shown as it comes.
  const words = [path.startsWith('/events') ? 'curl -sSN' : 'curl -sS'];
  if (method !== 'GET') words.push(`-X ${method}`);
  words.push(quoteForShell(`${origin}/_sandbox${path}`));
  if (needsToken) words.push('-H "X-Sandbox-Token: $SANDBOX_TOKEN"');
  if (body !== undefined)
    words.push(`-H 'Content-Type: application/json'`, `-d ${quoteForShell(JSON.stringify(body))}`);
  return words.join(' ');
}
