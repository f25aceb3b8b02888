import type { Response } from 'express';

import { pauseInRealTime } from '../time/clock.ts';

/**
 * How an answer may reach its caller spoiled: cut off halfway, as other bytes of the same length,
 * or one byte at a time.
 */
export type Spoilage = 'truncate' | 'garbage' | 'drip';

/**
 * Lets an answer be made as ever, status and headers included, and spoils its body on the way;
 * `pauseMs` stands between the bytes of a drip.
 */
export function spoilAnswer(res: Response, spoilage: Spoilage, pauseMs: number): void {
  const end = res.end.bind(res) as (body?: Uint8Array) => void;
  res.end = ((body: string | Uint8Array = '', encoding?: BufferEncoding) => {
    const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body;
    if (spoilage === 'garbage') end(bytes.map((byte) => byte ^ 0xaa));
    else if (spoilage === 'truncate') sendHalf(res, bytes);
    else void drip(res, bytes, pauseMs).then(() => end());
    return res;
  }) as Response['end'];
}

function sendHalf(res: Response, bytes: Uint8Array): void {
  res.flushHeaders();
  res.write(bytes.subarray(0, bytes.length >> 1), () => res.destroy());
}

async function drip(res: Response, bytes: Uint8Array, pauseMs: number): Promise<void> {
  for (let at = 0; at < bytes.length && !res.destroyed; at++) {
    res.write(bytes.subarray(at, at + 1));
    await pauseInRealTime(pauseMs);
  }
}
