// Calls as shell commands, quoted so that any reference or URL stays one word.

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  body?: unknown;
}

/** How the sandbox is reached. */
interface Reached {
  origin: string;
  needsToken: boolean;
}

/** Quotes a text as one word of a POSIX shell. */
export function quoteForShell(text: string) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The command for a call of the control API. It names the token and never contains it. */
export function curlFor({ method, path, body }: Call, { origin, needsToken }: Reached) {
  // Print a stream as it arrives.
  const words = [path.startsWith('/events') ? 'curl -sSN' : 'curl -sS'];
  if (method !== 'GET') words.push(`-X ${method}`);
  words.push(quoteForShell(`${origin}/_sandbox${path}`));
  if (needsToken) words.push('-H "X-Sandbox-Token: $SANDBOX_TOKEN"');
  if (body !== undefined)
    words.push(`-H 'Content-Type: application/json'`, `-d ${quoteForShell(JSON.stringify(body))}`);
  return words.join(' ');
}
