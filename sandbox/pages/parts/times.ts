// Relative times that update themselves, in the sandbox's time.

import { setText } from './elements.ts';
import { dateTime, relative } from './formats.ts';
import { html } from './lit.ts';
import { sandboxNow } from './sandbox-time.ts';

const EVERY_MS = 1_000;

export function moment(iso: string) {
  return html`<span class="moment"
    ><time datetime=${iso}>${dateTime(iso)} UTC</time> ${ago(iso)}</span
  >`;
}

/** `refreshTimes` updates the text, so Lit sets it as a property. */
export function ago(iso: string) {
  return html`<time
    class="quiet"
    datetime=${iso}
    title=${`${dateTime(iso)} UTC`}
    data-ago
    .textContent=${relative(iso, sandboxNow())}
  ></time>`;
}

export function refreshTimes() {
  const now = sandboxNow();
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-ago]')) {
    setText(time, relative(time.dateTime, now));
  }
}

/** Runs `tick` now and every second while the page is visible. */
export function everySecond(tick: () => void) {
  tick();
  setInterval(() => document.hidden || tick(), EVERY_MS);
  document.addEventListener('visibilitychange', () => document.hidden || tick());
}
