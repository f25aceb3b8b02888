import {
  type FrameMessage,
  type FrameTheme,
  OPENING,
  PAGE_MESSAGES,
  type PageMessage,
  PROTOCOL_VERSION,
  readMessage,
  readWindowMessage,
} from '@service-pay/contract/frame-messages';
import {
  type PaymentRequest,
  paymentRequestSchema,
} from '@service-pay/contract/payment-request-schema';
import { safeParse } from 'valibot';

/** What a page asks a frame to do, read anew here: a page is believed nothing. */
export interface PageOpening {
  request: PaymentRequest;
  theme: FrameTheme;
  /**
   * Money may move already: an earlier popup of the tab, or an earlier frame of this one, left the
   * payment so (D13).
   */
  isUnconfirmed: boolean;
}

export interface PageLinkDeps {
  window: Window;
  /** The only origin that is greeted and listened to. */
  origin: string;
  /** The public key this frame was made for; a request with any other is not taken. */
  publicKey: string | null;
  /** Called for each opening that the page sends; the newest port is the one in use. */
  onOpen: (opening: PageOpening) => void;
  onMessage: (message: Exclude<PageMessage, { type: 'ping' | 'noted' }>) => void;
}

/** The frame's end of what page and frame say to each other. */
export interface PageLink {
  /**
   * Says something to the page; nothing happens before it has opened. For `money` it gives a
   * promise that is kept once the page has taken that in, over this channel or a later one, and at
   * once where the page's script is older than that.
   */
  send(message: FrameMessage): Promise<void> | undefined;
  /** Lets go of window and port. */
  close(): void;
}

/**
 * Greets the page at exactly `origin` and takes an opening from the parent window at that origin
 * alone: a port handed over by any other window is never looked at (T25), and a request that breaks
 * a rule is dropped. A second opening replaces the port of the first. Answers heartbeats by itself.
 */
export function greetPage({
  window,
  origin,
  publicKey,
  onOpen,
  onMessage,
}: PageLinkDeps): PageLink {
  let port: MessagePort | undefined;
  let isNoting = false;
  let turn = 0;
  const waiting: (() => void)[] = [];
  const receive = (event: MessageEvent) => {
    const opening = readWindowMessage(event, { origin, source: window.parent }, OPENING);
    const given = opening && event.ports[0];
    if (!given) return;
    const request = safeParse(paymentRequestSchema, opening.request);
    if (!request.success || request.output.key !== publicKey) return;
    port?.close();
    port = given;
    isNoting = opening.notes === true;
    port.onmessage = ({ data }) => {
      const message = readMessage(data, PAGE_MESSAGES);
      if (message?.type === 'ping') void send({ type: 'pong' });
      else if (message?.type === 'noted') note(message.turn);
      else if (message) onMessage(message);
    };
    onOpen({
      request: request.output,
      theme: opening.theme,
      isUnconfirmed: opening.unconfirmed === true,
    });
  };
  const send = (message: FrameMessage) => {
    port?.postMessage(message.type === 'money' ? { ...message, turn: ++turn } : message);
    if (message.type !== 'money' || !isNoting) return undefined;
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  const note = (noted: number) => {
    if (noted === turn) for (const resolve of waiting.splice(0)) resolve();
  };
  window.addEventListener('message', receive);
  window.parent.postMessage({ type: 'service-pay:ready', versions: [PROTOCOL_VERSION] }, origin);
  return {
    send,
    close() {
      window.removeEventListener('message', receive);
      port?.close();
    },
  };
}

/**
 * The origin a frame's address names, if it names exactly one and it is spelled as browsers spell
 * origins (T27).
 */
export function findPageOrigin(search: string): string | undefined {
  const named = new URLSearchParams(search).getAll('origin');
  try {
    const [origin = ''] = named;
    return named.length === 1 &&
      /^https?:$/.test(new URL(origin).protocol) &&
      new URL(origin).origin === origin
      ? origin
      : undefined;
  } catch {
    return undefined;
  }
}
