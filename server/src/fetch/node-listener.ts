import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';

import { isFailure, PaymentsError, toPaymentsError } from '../errors.ts';
import { discardNodeBody, readNodeBody } from '../transport/node-body.ts';
import { errorResponse } from './error-response.ts';
import type { FetchHost } from './host-body.ts';

/** Express and Connect keep the whole path here, also below the path that a listener is mounted at. */
type Mounted = IncomingMessage & { originalUrl?: string };

/**
 * Turns a function of `Request` and `Response` into a listener for Node's `createServer`, and for
 * every framework that has Node's own request and response. A body may have 64 kB. If the function
 * fails, prints the error and responds with 500.
 */
export function toNodeListener(
  handle: (request: Request, host: FetchHost) => Response | Promise<Response>,
): RequestListener {
  return async (incoming, outgoing) => {
    const body = await begin(incoming, outgoing);
    discardNodeBody(incoming);
    const source = body ? Readable.fromWeb(body as NodeStream) : Readable.from([]);
    // fails if the client has left, or reads too slowly
    await pipeline(source, outgoing).catch(() => source.destroy());
  };

  /** Writes status and headers, and returns the body to send. */
  async function begin(incoming: IncomingMessage, outgoing: ServerResponse) {
    try {
      return writeHead(await handle(toRequest(incoming, outgoing), { incoming }), outgoing);
    } catch (thrown) {
      if (isFailure(toPaymentsError(thrown))) console.error(thrown);
      return outgoing.headersSent ? null : writeHead(errorResponse(thrown), outgoing);
    }
  }
}

function writeHead({ status, statusText, headers, body }: Response, outgoing: ServerResponse) {
  outgoing.setHeaders(headers).writeHead(status, statusText || undefined);
  return body;
}

function toRequest(incoming: Mounted, outgoing: ServerResponse): Request {
  const { method = 'GET', rawHeaders } = incoming;
  const leaving = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) leaving.abort();
  });
  try {
    const headers = new Headers();
    for (let at = 0; at < rawHeaders.length; at += 2)
      headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const body = hasBody ? bodyOf(incoming) : null;
    const init = { method, headers, body, duplex: 'half', signal: leaving.signal } as const;
    return new Request(urlOf(incoming), init);
  } catch (cause) {
    const message = 'The method, the address or a header of the request cannot be read.';
    throw new PaymentsError('invalid_request', message, { cause });
  }
}

function urlOf({ url: path = '/', originalUrl = path, headers, socket }: Mounted): URL {
  if (!originalUrl.startsWith('/')) return new URL(originalUrl);
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  const url = new URL(`${scheme}://localhost${originalUrl}`);
  url.host = headers.host ?? ''; // takes no more than a host, and leaves the path alone
  return url;
}

/** Reads the body once something wants it, and not before. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const bytes = await readNodeBody(incoming);
        if (bytes.length) controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
