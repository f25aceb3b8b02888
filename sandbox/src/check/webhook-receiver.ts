import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { readJson } from './responses.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** True if the response was 200. */
  readonly isAcknowledged: boolean;
}

/** Receives the service's webhooks while rules are checked. */
export interface WebhookReceiver {
  readonly port: number;
  /** Every webhook, oldest first. */
  all(): readonly Received[];
  /** Responds to the next webhook with 500, which acknowledges nothing. */
  rejectNext(): void;
  close(): Promise<void>;
}

const MOST_BYTES = 2 * 1024 * 1024;

export async function startWebhookReceiver(port: number): Promise<WebhookReceiver> {
  const all: Received[] = [];
  let isNextRejected = false;
  const server = createServer(async (req, res) => {
    const body = await readBody(req);
    if (body === undefined) return void res.destroy();
    const isAcknowledged = !isNextRejected;
    isNextRejected = false;
    all.push({ headers: req.headers, body, isAcknowledged });
    res.writeHead(isAcknowledged ? 200 : 500).end();
  });
  server.listen(port);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    all: () => all,
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

/** Returns undefined if the body breaks off or is too large. */
async function readBody(req: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of req) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Returns whether a webhook announces that something was paid; others may be switched on. */
export function isAboutPaid({ body }: Received): boolean {
  const { event } = (readJson(`${body}`) ?? {}) as { event?: unknown };
  return event !== 'collection.failed' && event !== 'collection.settled';
}

export function referenceOf({ body }: Received): string {
  const { data } = (readJson(`${body}`) ?? {}) as { data?: { reference?: unknown } };
  return `${data?.reference}`;
}
