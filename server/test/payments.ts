import { createPayments, type Payments } from '../src/create-payments.ts';
import type { PaymentsOptions } from '../src/options.ts';
import { TOKEN } from '../src/testing/upstream.ts';
import { buildTestLog } from './parts.ts';
import { PATIENT_PAYMENTS } from './patience.ts';

/** Opens payments that call a service where nobody listens and fulfil nothing, or as `options` say. */
export function openPayments<Data = unknown>(
  options: Partial<PaymentsOptions<Data>> & Pick<PaymentsOptions<Data>, 'database'>,
): Promise<Payments<Data>> {
  return createPayments<Data>({
    apiUrl: 'http://127.0.0.1:9',
    apiToken: TOKEN,
    publicKey: 'pub_test',
    fulfil: async () => {},
    log: buildTestLog(),
    ...PATIENT_PAYMENTS,
    ...options,
  });
}
