import { isJsonOrEmpty } from '@service-pay/contract/json-body';

import { PaymentsError } from '../errors.ts';

/**
 * Reads a JSON body. Fails for other types, without reading them. A call without a body needs no
 * type, and gets undefined.
 */
export async function readJsonBody(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  read: () => Promise<Buffer>,
): Promise<unknown> {
  if (!isJsonOrEmpty(headers))
    throw new PaymentsError(
      'body_type_unsupported',
      'Send the body as application/json, in UTF-8.',
    );
  const text = (await read()).toString('utf8');
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    throw new PaymentsError('invalid_request', 'The body must be well-formed JSON.');
  }
}
