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

/** A page's request to the frame, validated here: a page is not trusted. */
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
  origin: string;
  /** The public key of this frame; a request with any other is dropped. */
  publicKey: string | null;
  onOpen: (opening: PageOpening) => void;
  onMessage: (message: Exclude<PageMessage, { type: 'ping' | 'noted' }>) => void;
}

export interface PageLink {
  /**
   * Sends the page a message; does nothing before the page has opened the channel. Returns for
   * `money` a promise of the page's `noted`, over this channel or a later one; undefined for a page
   * too old to send it.
   */
  send(message: FrameMessage): Promise<void> | undefined;
}

/**
 * Greets the page at exactly `origin`, and accepts an opening from the parent window at that origin
 * only: a port from any other window is ignored (T25), and an invalid request is dropped. A second
 * opening replaces the first port. Responds to heartbeats.
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
  window.addEventListener('message', (event) => {
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
  });
  const send = (message: FrameMessage) => {
    port?.postMessage(message.type === 'money' ? { ...message, turn: ++turn } : message);
    if (message.type !== 'money' || !isNoting) return undefined;
    return new Promise<void>((resolve) => waiting.push(resolve));
  };
  const note = (noted: number) => {
    if (noted === turn) for (const resolve of waiting.splice(0)) resolve();
  };
  window.parent.postMessage({ type: 'service-pay:ready', versions: [PROTOCOL_VERSION] }, origin);
  return { send };
}

/**
 * Returns the origin named in a frame's address, if there is exactly one and it is spelled as
 * browsers spell origins (T27).
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
