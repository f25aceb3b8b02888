import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

export interface Served {
  url: string;
  close(): Promise<void>;
}

/** Serves an app on loopback. Port 0 picks a free one. */
export async function serve(app: Express, port: number): Promise<Served> {
  const server = app.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
