import type { FrameMessage } from '@service-pay/contract/frame-messages';
import type { LitElement, ReactiveController } from 'lit';

import type { Clock } from './clock.ts';

const SHOWN_S = 5;

type Host = LitElement & { deps: { clock: Clock; send: (message: FrameMessage) => unknown } };

/**
 * Counts down while success is shown, and then closes the popup. The first touch, key press,
 * selection or focus that the customer moves stops it for good; pointer movement does not (D2).
 */
export class SuccessCount implements ReactiveController {
  /** 0 once it is stopped. */
  secondsLeft: number = SHOWN_S;
  readonly #host: Host;
  readonly #life = new AbortController();
  #cancel = () => {};

  constructor(host: Host, screen: LitElement) {
    this.#host = host;
    host.addController(this);
    this.#count();
    // A focus that moves within a shadow root does not leave it.
    const places = [document, host.renderRoot, screen.renderRoot];
    for (const type of ['pointerdown', 'keydown', 'focusin', 'selectionchange'])
      for (const place of places)
        place.addEventListener(type, this.#keep, { signal: this.#life.signal });
  }

  hostDisconnected(): void {
    this.#stop();
  }

  #stop(): void {
    this.#cancel();
    this.#life.abort();
  }

  readonly #keep = (event: Event & { repeat?: boolean }): void => {
    const [target] = event.composedPath();
    // A key held down since before, the heading that the screen itself focuses, a caret.
    if (
      event.repeat ||
      (target instanceof Element && event.type === 'focusin' && target.matches('h1'))
    )
      return;
    if (event.type === 'selectionchange' && getSelection()?.type !== 'Range') return;
    this.#stop();
    this.secondsLeft = 0;
    this.#host.requestUpdate();
    this.#host.deps.send({ type: 'stay' });
  };

  #count(): void {
    this.#host.requestUpdate();
    this.#cancel = this.#host.deps.clock.after(1_000, () => {
      this.secondsLeft -= 1;
      if (this.secondsLeft) return this.#count();
      this.#stop();
      this.#host.deps.send({ type: 'close' });
    });
  }
}
