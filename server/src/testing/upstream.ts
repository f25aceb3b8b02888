import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signWebhook } from '@service-pay/contract/webhook-signature';

import { envelope } from '../errors.ts';

/** The API token of the sandbox. */
export const TOKEN = 'sec_sandbox_demo';

export function signatureOf(body: string | Uint8Array, token = TOKEN): string {
  return signWebhook(body, token);
}

/** Builds a signed webhook like the service's, with the id that its delivery is stored under. */
export function signedWebhook(
  event: string,
  data: unknown,
): { id: string; body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ event, data });
  return {
    id: createHash('sha256').update(body).digest('hex'),
    body,
    headers: { 'x-servicepay-signature': signatureOf(body) },
  };
}

/** Starts a stand-in for the service, and lists the requested paths. */
export async function startUpstream(
  respond: RequestListener,
): Promise<{ url: string; calls: string[]; close(): Promise<void> }> {
  const calls: string[] = [];
  const server = createServer((req, res) => {
    calls.push(req.url ?? '');
    respond(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Builds the response for a successful payment of 92.50 kwacha, or with other `members`. */
export function collectionResponse(path: string, members: Record<string, unknown> = {}): string {
  const data = {
    reference: path.split('/').at(-1),
    status: 'successful',
    amount: '92.50',
    currency: 'ZMW',
    ...members,
  };
  return JSON.stringify(envelope(data));
}
