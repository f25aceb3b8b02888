import { createHash, createHmac } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export const TOKEN = 'sec_sandbox_demo';

/**
 * How the service signs a webhook, spelled out here so that it shares nothing with the shop's own
 * check (D41).
 */
export function signatureOf(body: string | Buffer, token = TOKEN): string {
  return createHmac('sha512', createHash('sha256').update(token).digest('hex'))
    .update(body)
    .digest('hex');
}

/** A signed webhook, and the id of the row that the shop makes of it. */
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

/**
 * Something in the place of the service that answers as a test says. `calls` are the paths it was
 * asked.
 */
export async function startUpstream(
  answer: RequestListener,
): Promise<{ url: string; calls: string[]; close(): Promise<void> }> {
  const calls: string[] = [];
  const server = createServer((req, res) => {
    calls.push(req.url ?? '');
    answer(req, res);
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

/** A verify answer for the reference of a path, as the service gives it. */
export function collectionAnswer(path: string, members: Record<string, unknown> = {}): string {
  const data = {
    reference: path.split('/').at(-1),
    status: 'successful',
    amount: '92.50',
    currency: 'ZMW',
    ...members,
  };
  return JSON.stringify({ status: true, message: '', data });
}
