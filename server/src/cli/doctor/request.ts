import { Agent, request } from 'undici';
import { realClock } from '../../support/clock.ts';

const DEADLINE_MS = 8_000;
const LARGEST_BODY = 256 * 1024;

/** What an address answered, or why nothing did. Redirects are not followed. */
export type Tried =
  | {
      httpStatus: number;
      type: string;
      text: string;
      date: string | undefined;
      tookMs: number;
      askedAt: number;
    }
  | { failure: string; todo: string };

/** Asks an address once. What fails is a sentence, with what to do. */
export async function tryAddress(
  url: string,
  options: { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: Buffer } = {},
): Promise<Tried> {
  const dispatcher = new Agent({ allowH2: false, maxResponseSize: LARGEST_BODY });
  const askedAt = realClock.now();
  try {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    const { statusCode, headers, body } = await request(url, {
      method: 'GET',
      ...options,
      signal,
      dispatcher,
    });
    const text = await body.text();
    return {
      httpStatus: statusCode,
      type: String(headers['content-type'] ?? ''),
      text,
      date: typeof headers.date === 'string' ? headers.date : undefined,
      tookMs: realClock.now() - askedAt,
      askedAt,
    };
  } catch (error) {
    return explain(error);
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Says for a failed connection what is known of it. The error's own text may hold anything, and is
 * not shown.
 */
function explain(error: unknown): { failure: string; todo: string } {
  const { code = '', name = '' } = error as { code?: string; name?: string };
  if (name === 'TimeoutError')
    return {
      failure: `no answer within ${DEADLINE_MS / 1000} s`,
      todo: 'Look for a firewall on the way.',
    };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { failure: 'its name is not known', todo: 'Check its spelling and the DNS.' };
  if (code === 'ECONNREFUSED')
    return {
      failure: 'nothing listens there',
      todo: 'Check the port, and whether the program runs.',
    };
  if (/CERT|SELF_SIGNED|UNABLE_TO|TLS|SSL/.test(code)) {
    return {
      failure: `its certificate is not trusted (${code})`,
      todo: 'Renew it, or name your own authority with NODE_EXTRA_CA_CERTS.',
    };
  }
  return {
    failure: `the connection broke${code ? ` (${code})` : ''}`,
    todo: 'Try again, then look for what stands between.',
  };
}
