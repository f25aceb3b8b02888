import { createHash, createHmac } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export const TOKEN = 'sec_sandbox_demo';

/** Signs a webhook without the rule under test (D41). */
export function signatureOf(body: string | Buffer, token = TOKEN): string {
  return createHmac('sha512', createHash('sha256').update(token).digest('hex'))
    .update(body)
    .digest('hex');
}

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
