import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';

import { type FetchHandler, toNodeListener } from '../src/fetch/index.ts';

type Body = (req: Readable) => unknown;

/** How frameworks turn Node's request into a `Request`. */
export const FETCH_HOSTS: Record<string, (handle: FetchHandler) => RequestListener> = {
  'a Node listener': toNodeListener,
  "a host that gives Node's own request, as Hono": passing(() => null, true),
  'a host of Readable.toWeb': passing((req) => Readable.toWeb(req)),
  'a host that writes whenever data arrives, as h3': passing(
    (req) =>
      new ReadableStream({
        start(controller) {
          req.on('data', (chunk) => controller.enqueue(chunk));
          req.on('end', () => controller.close());
          req.on('error', (error) => controller.error(error));
        },
      }),
  ),
  'a host of iterables, as Next.js': passing((req) => req),
};

function passing(toBody: Body, givesIncoming = false) {
  return (handle: FetchHandler): RequestListener =>
    async (req, res) => {
      const init = { method: req.method, headers: req.headers, body: toBody(req), duplex: 'half' };
      const request = new Request(`http://x${req.url}`, init as RequestInit);
      const { status, headers, body } = await handle(
        request,
        givesIncoming ? { incoming: req } : {},
      );
      res.setHeaders(headers).writeHead(status);
      if (body) Readable.fromWeb(body as never).pipe(res);
      else res.end();
    };
}
