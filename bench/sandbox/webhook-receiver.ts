import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WebhookReceiver {
  readonly url: string;
  hasTaken(count: number): Promise<void>;
  close(): void;
}

export async function receiveWebhooks(status: number): Promise<WebhookReceiver> {
  let taken = 0;
  const server = createServer(async (req, res) => {
    await req.toArray();
    res.writeHead(status).end();
    taken += 1;
    server.emit('taken');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async hasTaken(count) {
      while (taken < count) await once(server, 'taken');
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
