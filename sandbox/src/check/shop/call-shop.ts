import { request } from 'undici';
import { realTimeMs } from '../../time/real-time.ts';
import { describeCause, NoResponse } from '../no-response.ts';
import { readJson } from '../responses.ts';

/** A response of the shop. */
export interface ShopResponse {
  /** The call and its status, such as `The response to GET /x (HTTP 200)`. */
  readonly what: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
  readonly tookMs: number;
}

export interface ShopCall {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Reads a response that does not end until its text satisfies this. */
  readonly isEnough?: (text: string) => boolean;
}

/** Longer than a shop may take that waits 10 s for the service. */
const RESPONDS_WITHIN_MS = 20_000;
const LARGEST_RESPONSE = 256 * 1024;

/** Sends a request to the shop as it is. Throws `NoResponse` if none comes. */
export async function callShop(
  shopUrl: string,
  { method, path, headers = {}, body, isEnough = () => false }: ShopCall,
): Promise<ShopResponse> {
  const call = `${method} ${path.replace(/\?.*/, '')}`;
  const url = new URL(path, shopUrl);
  const startedAt = realTimeMs();
  try {
    const response = await request(url, {
      method: method as 'GET',
      headers,
      ...(body !== undefined && { body: body as string }),
      signal: AbortSignal.timeout(RESPONDS_WITHIN_MS),
      reset: true, // a shop may close an idle connection just as it is used again
    });
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length > LARGEST_RESPONSE || isEnough(text)) break;
    }
    return {
      what: `The response to ${call} (HTTP ${response.statusCode})`,
      status: response.statusCode,
      headers: toHeaders(response.headers),
      text,
      json: readJson(text),
      tookMs: realTimeMs() - startedAt,
    };
  } catch (error) {
    throw new NoResponse(`${call} got no response: ${describeFailure(error as Error, url)}.`);
  }
}

function toHeaders(given: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given))
    for (const value of [values ?? []].flat()) headers.append(name, value);
  return headers;
}

function describeFailure(error: Error, url: URL): string {
  if (error.name === 'TimeoutError') return `none within ${RESPONDS_WITHIN_MS / 1_000} s`;
  return describeCause(error, url);
}
