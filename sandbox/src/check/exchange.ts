import { must, RuleBroken } from './must.ts';
import { describeCause, NoResponse } from './no-response.ts';
import type { CheckedResponse } from './responses.ts';
import { readJson } from './responses.ts';

export interface Limits {
  readonly withinMs: number;
  readonly mostBytes: number;
}

/** Sends one request, and reads its response up to `limits`. Throws `RuleBroken` beyond them. */
export async function exchange(
  url: URL,
  request: RequestInit,
  { withinMs, mostBytes }: Limits,
  deadline: (ms: number) => AbortSignal,
): Promise<CheckedResponse> {
  const call = `${request.method} ${url.pathname}`;
  const signal = deadline(withinMs);
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal });
    const { status, headers } = response;
    const what = `The response to ${call} (HTTP ${status})`;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      must(bytes <= mostBytes, `${what} is larger than ${Math.round(mostBytes / 1024)} kB.`);
      chunks.push(chunk);
    }
    const text = new TextDecoder().decode(Buffer.concat(chunks));
    return { what, status, headers, text, json: readJson(text) };
  } catch (error) {
    if (error instanceof RuleBroken) throw error;
    if (signal.aborted)
      throw new NoResponse(`${call} got no whole response within ${withinMs / 1_000} s.`);
    throw new NoResponse(`${call} got no response: ${describeCause(error as Error, url)}.`);
  }
}
