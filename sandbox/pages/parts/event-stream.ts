// The sandbox's event stream, read by fetch because EventSource cannot send a token.

import {
  parseServerSentEvent,
  type ServerSentEvent,
} from '@service-pay/contract/server-sent-event';
import { setToken, tokenHeader } from './sandbox-client.ts';

interface Follower {
  onEvent: (event: ServerSentEvent) => void;
  onState: (state: StreamState) => void;
  signal: AbortSignal;
  last?: number;
}

export type StreamState = 'live' | 'gone' | 'locked' | 'rejected';

/** The sandbox sends something every 15 s. */
const LONGEST_SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

/**
 * Follows the stream and reconnects until `signal` aborts or the sandbox needs its token. A hidden
 * page disconnects: a browser has six connections to one origin, and the payments under test need
 * them. The stream starts with the `last` events if there is no position to resume from.
 */
export async function followEvents({ onEvent, onState, signal, last = 0 }: Follower) {
  let lastId = '';
  let failures = 0;
  while (!signal.aborted) {
    await untilVisible(signal);
    const cut = new AbortController();
    const cutWhenHidden = () => document.hidden && cut.abort();
    document.addEventListener('visibilitychange', cutWhenHidden, { signal });
    try {
      const stream = fetch(`/_sandbox/events${last ? `?last=${last}` : ''}`, {
        headers: {
          accept: 'text/event-stream',
          ...tokenHeader(),
          ...(lastId && { 'last-event-id': lastId }),
        },
        cache: 'no-store',
        signal: AbortSignal.any([signal, cut.signal]),
      });
      const response = await cutIfSilent(stream, cut);
      if (response.status === 401) {
        setToken('');
        return onState('locked');
      }
      if (response.ok && response.body) {
        failures = 0;
        onState('live');
        await readEvents(response.body, cut, (event) => {
          if (event.id) lastId = event.id;
          onEvent(event);
        });
        if (!document.hidden) onState('gone');
      } else {
        onState('rejected');
      }
    } catch {
      if (!signal.aborted && !document.hidden) onState('gone');
    } finally {
      document.removeEventListener('visibilitychange', cutWhenHidden);
    }
    if (!document.hidden)
      await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++), signal);
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  cut: AbortController,
  onEvent: (event: ServerSentEvent) => void,
) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await cutIfSilent(reader.read(), cut);
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseServerSentEvent(block);
      if (event) onEvent(event);
    }
  }
}

/** Waits for the next sign of the sandbox; cuts the stream if none comes. */
function cutIfSilent<Sign>(sign: Promise<Sign>, cut: AbortController) {
  const silence = setTimeout(() => cut.abort(), LONGEST_SILENCE_MS);
  return sign.finally(() => clearTimeout(silence));
}

async function untilVisible(signal: AbortSignal) {
  while (document.hidden && !signal.aborted) {
    await new Promise((resolve) => {
      document.addEventListener('visibilitychange', resolve, { once: true });
      signal.addEventListener('abort', resolve, { once: true });
    });
  }
}

function pause(ms: number, signal: AbortSignal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve(undefined);
      },
      { once: true },
    );
  });
}
