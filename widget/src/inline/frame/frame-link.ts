import {
  FRAME_MESSAGES,
  type FrameMessage,
  GREETING,
  HEARTBEAT,
  type Opening,
  type PageMessage,
  PROTOCOL_VERSION,
  readMessage,
  readWindowMessage,
} from '@service-pay/contract/frame-messages';

import { buildNode } from '../dom/build-node.ts';
import { after } from '../dom/timers.ts';
import { pageOrigin } from '../service.ts';
import type { LoadFailure } from './load-failure.ts';

const PATIENCE = {
  /** Silence before the frame counts as missing; with the probe's time, 15 s. */
  silenceMs: 12_000,
  /** Silence after its page has loaded: a page that then says nothing is not the checkout page. */
  silenceAfterLoadMs: 3_000,
  beatMs: HEARTBEAT.everyMs as number,
};

export interface LinkListener {
  ready(): void;
  said(message: FrameMessage): void;
  /** The frame does not respond. If it speaks again, `said` is called. */
  failed(failure: LoadFailure): void;
}

/**
 * One checkout frame and its private channel. Accepts messages only from that frame's window at
 * exactly the service's origin (T23, T24), and posts to exactly that origin.
 */
export class FrameLink {
  readonly frame: HTMLIFrameElement;
  readonly service: string;
  readonly key: string;

  readonly #patience: typeof PATIENCE;
  readonly #life = new AbortController();
  #listener: LinkListener | undefined;
  #isSilent = false;
  #hasGreeted = false;
  #opening: (() => Omit<Opening, 'type' | 'notes'>) | undefined;
  #port: MessagePort | undefined;
  #missedBeats = 0;
  #stopBeat: (() => void) | undefined;
  #stopWatch: (() => void) | undefined;

  /**
   * Builds the frame; it loads once it is in the document. Its address contains only the key and
   * the page's origin.
   */
  constructor(service: string, key: string, patience = PATIENCE) {
    this.service = service;
    this.key = key;
    this.#patience = patience;
    this.frame = buildNode('iframe', {
      // A bank's challenge may request a passkey or a payment credential, and the receipt copies.
      allow: `payment ${service}; publickey-credentials-get ${service}; clipboard-write ${service}`,
      referrerpolicy: 'origin',
      src: `${service}/checkout/v1/?key=${encodeURIComponent(key)}&origin=${encodeURIComponent(pageOrigin())}`,
    });
    // Without a prototype: another script may have put a `once` or a `capture` there.
    const options = { __proto__: null, signal: this.#life.signal };
    window.addEventListener('message', (event) => this.#receive(event), options);
    this.frame.addEventListener('load', () => this.#handleLoad(), options);
    document.addEventListener(
      'securitypolicyviolation',
      ({ effectiveDirective, disposition, blockedURI }) => {
        const isOurs =
          effectiveDirective === 'frame-src' && blockedURI.split('/', 3).join('/') === service;
        if (isOurs && disposition === 'enforce') this.#fail('policy');
      },
      options,
    );
  }

  get isSilent(): boolean {
    return this.#isSilent;
  }

  watch(listener: LinkListener): void {
    this.#listener = listener;
    if (!this.#hasGreeted) this.#watch(this.#patience.silenceMs, 'slow');
  }

  /**
   * Sends what `opening` returns, now or when the frame greets, and again if the frame reloads
   * (T28).
   */
  open(opening: () => Omit<Opening, 'type' | 'notes'>): void {
    this.#opening = opening;
    if (this.#hasGreeted) this.#connect();
  }

  send(message: PageMessage): void {
    this.#port?.postMessage(message);
  }

  /** Closes the channel. The frame itself stays in the document. May be called twice. */
  end(): void {
    this.#life.abort();
    this.#port?.close();
    this.#listener = undefined;
  }

  /**
   * The checkout page greets while it loads. A page that does not is another one, the browser's error
   * page or a rejection: loaded ahead, it is not used.
   */
  #handleLoad(): void {
    if (this.#hasGreeted) return;
    this.#isSilent = true;
    this.#watch(this.#patience.silenceAfterLoadMs, 'refused');
  }

  #receive(event: MessageEvent): void {
    const greeting = readWindowMessage(
      event,
      { origin: this.service, source: this.frame.contentWindow },
      GREETING,
    );
    if (!greeting) return;
    this.#stopWatch?.();
    if (!greeting.versions.includes(PROTOCOL_VERSION)) {
      this.#fail('outdated');
      return;
    }
    this.#hasGreeted = true;
    this.#isSilent = false;
    if (this.#opening) this.#connect();
  }

  #connect(): void {
    this.#port?.close();
    const { port1: port, port2 } = new MessageChannel();
    this.#port = port;
    this.#missedBeats = 0;
    port.onmessage = ({ data }) => {
      const message = port === this.#port && readMessage(data, FRAME_MESSAGES);
      if (!message) return;
      this.#missedBeats = 0;
      this.#isSilent = false;
      if (message.type === 'shown') this.#stopWatch?.();
      this.#listener?.said(message);
      if (message.type === 'money' && message.turn)
        this.send({ type: 'noted', turn: message.turn });
    };
    this.frame.contentWindow?.postMessage(
      { type: 'service-pay:open', notes: true, ...this.#opening!() },
      this.service,
      [port2],
    );
    this.#watch(this.#patience.silenceMs, 'slow');
    this.#beatLater();
    this.#listener?.ready();
  }

  /**
   * Checks that the frame responds: a dead port raises no error and no event (T29). Continues after
   * a failure, since the frame may only have been asleep.
   */
  #beat(): void {
    this.#beatLater();
    if (this.#missedBeats === HEARTBEAT.missedAtMost) this.#fail('stopped');
    this.#missedBeats++;
    this.send({ type: 'ping' });
  }

  #beatLater(): void {
    this.#stopBeat?.();
    this.#stopBeat = after(this.#patience.beatMs, this.#life.signal, () => this.#beat());
  }

  #watch(ms: number, failure: LoadFailure): void {
    this.#stopWatch?.();
    // Nothing loads without a network, which the browser knows at once.
    this.#stopWatch = after(navigator.onLine ? ms : 0, this.#life.signal, () =>
      this.#fail(failure),
    );
  }

  #fail(failure: LoadFailure): void {
    this.#stopWatch?.();
    this.#isSilent = true;
    this.#listener?.failed(failure);
  }
}
