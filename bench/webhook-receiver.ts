import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Somebody who takes webhooks. */
export interface WebhookReceiver {
  readonly url: string;
  /** What is answered from now on. Counting starts anew. */
  answer(status: number): void;
  /** Resolves once so many webhooks were taken since the last `answer`. */
  hasTaken(count: number): Promise<void>;
  close(): void;
}

/**
 * Takes webhooks and acknowledges each, unless told to answer otherwise, or `judge` gives a status
 * for its body.
 */
export async function receiveWebhooks(judge?: (body: string) => number): Promise<WebhookReceiver> {
  let [status, taken] = [200, 0];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    res.writeHead(judge?.(body) ?? status).end();
    taken += 1;
    server.emit('taken');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answer(next) {
      [status, taken] = [next, 0];
    },
    async hasTaken(count) {
      while (taken < count) await once(server, 'taken');
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
