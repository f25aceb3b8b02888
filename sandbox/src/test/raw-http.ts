import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Sends raw bytes and reads one response, undefined if the connection closes first. `isCut`
 * half-closes the connection after sending. Of an event stream only the head is read.
 */
export async function sendBytes(
  port: number,
  bytes: Uint8Array,
  { isHead = false, isCut = false } = {},
): Promise<RawResponse | undefined> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let got = Buffer.alloc(0);
  let response: RawResponse | undefined;
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk]);
      response = readResponse(got, isHead);
      if (response) resolve();
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.on('end', () => resolve());
  });
  await Promise.race([once(socket, 'connect'), done]);
  if (isCut) socket.end(bytes);
  else socket.write(bytes);
  await done;
  socket.destroy();
  return response;
}

function readResponse(got: Buffer, isHead: boolean): RawResponse | undefined {
  const end = got.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = got.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(first)?.[1]);
  if (status === 100) return readResponse(got.subarray(end + 4), isHead);
  const headers = new Map(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 2),
    ]),
  );
  const length = Number(headers.get('content-length') ?? 0);
  const isStream = headers.get('content-type')?.startsWith('text/event-stream');
  const body = got.subarray(end + 4);
  if (isHead || isStream || status === 304) return { status, headers, body: '' };
  return body.length < length
    ? undefined
    : { status, headers, body: body.subarray(0, length).toString() };
}
