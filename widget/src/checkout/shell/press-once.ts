import type { ReactiveControllerHost } from 'lit';

import { whileConnected } from '../parts/while-connected.ts';

interface Presses {
  /** Returns another value for each view. */
  view: () => unknown;
  /** Gets the time of the press in epoch milliseconds. */
  onEscape: (at: number) => void;
}

/**
 * Lets each press act once: not again while a key is held down, and not on the screen that the first
 * click of a double click led to.
 */
export function pressOnce(host: ReactiveControllerHost, { view, onEscape }: Presses): void {
  let pressed: unknown;
  whileConnected(host, (signal) => {
    const handleKey = (event: KeyboardEvent): void => {
      const isEscape = event.key === 'Escape';
      if (event.isComposing || !(isEscape || (event.key === 'Enter' && event.repeat))) return;
      event.preventDefault();
      if (isEscape && !event.repeat) onEscape(Date.now() - performance.now() + event.timeStamp);
    };
    const dropRepeated = (event: MouseEvent): void => {
      if (event.detail < 2) pressed = view();
      if (pressed === view()) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', handleKey, { signal });
    window.addEventListener('click', dropRepeated, { signal, capture: true });
  });
}
