import type { Response } from 'express';

import { pauseWhileRunning } from '../time/real-time.ts';

export type Spoilage = 'truncate' | 'garbage' | 'drip';

/** Damages the body of the route's response; `pauseMs` separates the bytes of a drip. */
export function spoilResponse(res: Response, spoilage: Spoilage, pauseMs: number): void {
  const end = res.end.bind(res) as (body?: Uint8Array) => void;
  res.end = ((body: string | Uint8Array = '', encoding?: BufferEncoding) => {
    const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body;
    const spoil: Record<Spoilage, () => void> = {
      garbage: () => end(bytes.map((byte) => byte ^ 0xaa)),
      truncate: () => sendHalf(res, bytes),
      drip: () => void drip(res, bytes, pauseMs).then(() => end()),
    };
    spoil[spoilage]();
    return res;
  }) as Response['end'];
}

/** Replaces fields of what the route responds about a collection, or about each in a list. */
export function changeResponse(res: Response, changes: object): void {
  const send = res.json.bind(res);
  const change = (one: object) => ({ ...one, ...changes });
  res.json = (body: { data?: object | null }) => {
    const { data } = body;
    if (!data) return send(body);
    return send({ ...body, data: Array.isArray(data) ? data.map(change) : change(data) });
  };
}

function sendHalf(res: Response, bytes: Uint8Array): void {
  res.flushHeaders();
  res.write(bytes.subarray(0, bytes.length >> 1), () => res.destroy());
}

async function drip(res: Response, bytes: Uint8Array, pauseMs: number): Promise<void> {
  for (let at = 0; at < bytes.length && !res.destroyed; at++) {
    res.write(bytes.subarray(at, at + 1));
    await pauseWhileRunning(pauseMs);
  }
}
