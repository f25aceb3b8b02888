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

import { buildNode } from './build-node.ts';
import type { LoadFailure } from './load-failure.ts';
import { pageOrigin } from './service.ts';
import { after, every } from './timers.ts';

/** How long a frame may be silent. */
const PATIENCE = {
  /** Until it counts as not there; with the probe's time, the 15 s of D13. */
  silenceMs: 12_000,
  /** The same once the frame's page has loaded: a page that loaded and says nothing is not ours. */
  silenceAfterLoadMs: 3_000,
  beatMs: HEARTBEAT.everyMs as number,
};

/** What a link tells the popup. */
export interface LinkListener {
  /** A port leads to the frame, a first or a new one. */
  ready(): void;
  said(message: FrameMessage): void;
  /** The frame is not there, or no longer. Should it speak again, `said` is called all the same. */
  failed(failure: LoadFailure): void;
}

/**
 * One checkout frame and the private channel to it. Nothing is read from a window other than that
 * frame's, of exactly the service's origin (T23, T24), and nothing is posted but to exactly that
 * origin. All of it is given back by `end`.
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
  #hasLoaded = false;
  #opening: (() => Omit<Opening, 'type' | 'notes'>) | undefined;
  #port: MessagePort | undefined;
  #missedBeats = 0;
  #stopBeat: (() => void) | undefined;
  #stopWatch: (() => void) | undefined;

  /**
   * Makes the frame; it loads once it is put into the document. The key and the page's origin are
   * all its address tells.
   */
  constructor(service: string, key: string, patience = PATIENCE) {
    this.service = service;
    this.key = key;
    this.#patience = patience;
    this.frame = buildNode('iframe', {
      referrerpolicy: 'origin',
      src: `${service}/checkout/v1/?key=${encodeURIComponent(key)}&origin=${encodeURIComponent(pageOrigin())}`,
    });
    // Without a prototype: another script may have put a `once` or a `capture` there.
    const options = { __proto__: null, signal: this.#life.signal };
    window.addEventListener('message', (event) => this.#hear(event), options);
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

  /** Whether the frame has last been found silent. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Begins to count the frame's silence. Called once the frame stands in the document. */
  watch(listener: LinkListener): void {
    this.#listener = listener;
    if (!this.#hasGreeted && !this.#hasLoaded) this.#watch(this.#patience.silenceMs, 'slow');
  }

  /**
   * Hands over what `opening` returns, now or as soon as the frame greets, and again should the
   * frame load anew (T28).
   */
  open(opening: () => Omit<Opening, 'type' | 'notes'>): void {
    this.#opening = opening;
    if (this.#hasGreeted) this.#connect();
  }

  /** Says something to the frame; without a port it goes nowhere. */
  send(message: PageMessage): void {
    this.#port?.postMessage(message);
  }

  /** Takes the frame out of the document and gives back everything. May be called twice. */
  end(): void {
    this.#life.abort();
    this.#port?.close();
    this.#listener = undefined;
    this.frame.remove();
  }

  /**
   * Our page greets while it loads. One that stays silent is another: the browser's own words about
   * a dead service, or a refusal.
   */
  #handleLoad(): void {
    if (this.#hasGreeted) return;
    this.#hasLoaded = true;
    this.#watch(this.#patience.silenceAfterLoadMs, 'refused');
  }

  #hear(event: MessageEvent): void {
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
    this.#stopBeat?.();
    this.#stopBeat = every(this.#patience.beatMs, this.#life.signal, () => this.#beat());
    this.#listener?.ready();
  }

  /**
   * A dead port raises no error and no event: only a missing answer tells (T29). Beats go on, in
   * case the frame was only asleep.
   */
  #beat(): void {
    if (this.#missedBeats === HEARTBEAT.missedAtMost)
      this.#fail(navigator.onLine ? 'stopped' : 'offline');
    this.#missedBeats++;
    this.send({ type: 'ping' });
  }

  #watch(ms: number, failure: LoadFailure): void {
    this.#stopWatch?.();
    this.#stopWatch = after(ms, this.#life.signal, () => this.#fail(failure));
  }

  #fail(failure: LoadFailure): void {
    this.#stopWatch?.();
    this.#isSilent = true;
    this.#listener?.failed(failure);
  }
}
