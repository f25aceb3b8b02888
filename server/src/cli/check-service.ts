import { randomUUID } from 'node:crypto';
import type { PaymentsError } from '../errors.ts';
import { buildServiceClient } from '../service/client.ts';
import type { Finding } from './finding.ts';
import { type Config, isLoopback } from './settings.ts';

/** Verifies a payment that does not exist, as the shop verifies others. */
export async function checkService({
  apiUrl,
  apiToken,
  publicUrl,
}: Pick<Config, 'apiUrl' | 'apiToken' | 'publicUrl'>): Promise<Finding> {
  const service = buildServiceClient({ apiUrl, apiToken });
  try {
    await service.verify(`doctor-${randomUUID()}`);
    return ['It responds and accepts the API token.'];
  } catch (error) {
    const { reason, cause } = error as PaymentsError;
    if (reason === 'token_refused')
      return [
        'The service rejects the API token, so no payment can be confirmed.',
        'Set SERVICE_PAY_API_TOKEN to the one for this environment, and restart the shop.',
      ];
    const isElsewhere = reason === 'garbled' || reason === 'unreachable';
    const todo = isElsewhere
      ? `Check SERVICE_PAY_API_URL: the base address of the API, without /access.${isLoopback(apiUrl) ? ` To start the sandbox: ${sandboxAt(apiUrl, publicUrl)}` : ''}`
      : 'Payments are confirmed once it recovers. If it does not, contact the provider.';
    return [`${apiUrl}: ${(cause as Error).message}`, todo];
  } finally {
    await service.close();
  }
}

function sandboxAt(apiUrl: string, publicUrl: string | undefined): string {
  const { port } = new URL(apiUrl);
  const webhooks = publicUrl ? ` --webhook-url ${publicUrl}/webhooks/service-pay` : '';
  return `npx --no -- service-pay-sandbox --port ${port || 80}${webhooks}`;
}
