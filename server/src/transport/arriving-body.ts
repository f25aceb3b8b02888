import { PaymentsError } from '../errors.ts';
import type { Clock } from '../support/clock.ts';

const LARGEST_BODY = 64 * 1024;

/** The bodies that may arrive at a time, which take 8 MB together. */
const MOST_ARRIVING = 128;

/** Longer than the limit of `buildHttpServer`, which responds with 408. */
const ARRIVES_WITHIN_MS = 12_000;

/** The limit of pieces, each of which costs CPU time however small. Honest clients send few. */
const MOST_PIECES = 1_024;

export interface BodySource {
  encoding: string | null | undefined;
  length: string | null | undefined;
  /** Calls `take` with each piece, and settles once the body has ended, broken off or was stopped. */
  read(take: (piece: Uint8Array) => void): Promise<unknown>;
  /** Stops reading at once, so that `read` settles. */
  stop(): void;
}

const arriving = new Set<() => void>();

/**
 * Reads a body of at most 64 kB into one buffer, because many small chunks would take more memory.
 * If too many bodies are arriving, stops the slowest one: an honest one takes milliseconds (T120,
 * T142). Does not touch one that is encoded, or longer by its own account.
 */
export async function collectBody(source: BodySource, clock: Clock): Promise<Buffer> {
  const { encoding, length } = source;
  if (encoding && encoding !== 'identity')
    throw new PaymentsError('body_type_unsupported', 'Send the body without Content-Encoding.');
  if (Number(length) > LARGEST_BODY) throw tooLarge();

  const expected = Number(length ?? LARGEST_BODY);
  const body = Buffer.allocUnsafe(expected >= 0 ? expected : LARGEST_BODY);
  let size = 0;
  let pieces = 0;
  let isStopped = false;
  const stop = () => {
    isStopped = true;
    source.stop();
  };
  const [longest] = arriving;
  if (longest && arriving.size >= MOST_ARRIVING) {
    arriving.delete(longest);
    longest();
  }
  arriving.add(stop);
  const cancelTimer = clock.after(ARRIVES_WITHIN_MS, stop);
  try {
    await source.read((piece) => {
      if (size < body.length) body.set(piece.subarray(0, body.length - size), size);
      size += piece.length;
      pieces += 1;
      if (size > body.length || pieces > MOST_PIECES) stop();
    });
  } catch {
    isStopped = true;
  } finally {
    cancelTimer();
    arriving.delete(stop);
  }
  if (size > body.length) throw tooLarge();
  if (isStopped)
    throw new PaymentsError('invalid_request', 'The body broke off or arrived too slowly.');
  return body.subarray(0, size);
}

function tooLarge(): PaymentsError {
  return new PaymentsError('body_too_large', 'The body is larger than 64 kB.');
}
