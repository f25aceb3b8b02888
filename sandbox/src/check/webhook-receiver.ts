import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Receives the service's webhooks while rules are checked. */
export interface WebhookReceiver {
  readonly port: number;
  /** The webhooks about this reference, oldest first. */
  about(reference: string): readonly Received[];
  /** Answers the next webhook with 500, which acknowledges nothing. */
  rejectNext(): void;
  close(): Promise<void>;
}

export async function startWebhookReceiver(port: number): Promise<WebhookReceiver> {
  const all: Received[] = [];
  let isNextRejected = false;
  const server = createServer(async (req, res) => {
    all.push({ headers: req.headers, body: await buffer(req) });
    res.writeHead(isNextRejected ? 500 : 200).end();
    isNextRejected = false;
  });
  server.listen(port);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    about: (reference) => all.filter(({ body }) => body.includes(reference)),
    rejectNext() {
      isNextRejected = true;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
