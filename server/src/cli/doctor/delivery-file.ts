import type { ReceivedDelivery } from './signature.ts';

/** A delivery as somebody wrote it down, and what had to be put right to read it. */
export interface ReadDelivery extends ReceivedDelivery {
  notes: string[];
}

/**
 * Reads one request as it stands in a file: headers, an empty line, the body. A request line before
 * it and `> ` before each header are left out.
 */
export function readRawRequest(file: Buffer): ReadDelivery {
  const end = /\r?\n\r?\n/.exec(file.toString('latin1'));
  if (!end) return readParts(file, Buffer.alloc(0));
  return readParts(file.subarray(0, end.index), file.subarray(end.index + end[0].length));
}

/** Reads headers, one on each line, and a body from two files. */
export function readParts(head: Buffer, received: Buffer): ReadDelivery {
  const headers = head
    .toString('latin1')
    .split(/\r?\n/)
    .map((line) => /^(?:> )?([^\s:]+)\s*:\s*(.*)$/.exec(line))
    .filter((line) => line !== null)
    .map(([, name, value]): [string, string] => [name!, value!.trim()]);
  const notes: string[] = [];
  const headerOf = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

  let body = received;
  if (headerOf('transfer-encoding')?.toLowerCase() === 'chunked') {
    const whole = joinChunks(body);
    if (whole) notes.push('Its body stood there in chunks, which were put together.');
    body = whole ?? body;
  }
  const length = Number(headerOf('content-length') ?? Number.NaN);
  if (body.length > length && body.subarray(length).toString('latin1').trim() === '') {
    notes.push('Line ends after the body were left out, since Content-Length does not count them.');
    body = body.subarray(0, length);
  }
  return { headers, body, notes };
}

function joinChunks(body: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const line = body.indexOf('\n', at);
    const size = line < 0 ? Number.NaN : Number.parseInt(body.toString('latin1', at, line), 16);
    if (!(size >= 0) || line + 1 + size > body.length) return undefined;
    if (size === 0) break;
    chunks.push(body.subarray(line + 1, line + 1 + size));
    at = line + 1 + size;
    while (body[at] === 0x0d || body[at] === 0x0a) at += 1;
  }
  return Buffer.concat(chunks);
}
