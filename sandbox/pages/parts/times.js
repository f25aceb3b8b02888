// Relative times that update themselves, in the sandbox's time.

import { setText } from './elements.js';
import { dateTime, relative } from './formats.js';
import { html } from './lit.js';
import { sandboxNow } from './sandbox-time.js';

const EVERY_MS = 1_000;

/** @param {string} iso */
export function moment(iso) {
  return html`<span class="moment"
    ><time datetime=${iso}>${dateTime(iso)} UTC</time> ${ago(iso)}</span
  >`;
}

/**
 * `refreshTimes` updates the text, so Lit sets it as a property.
 * @param {string} iso
 */
export function ago(iso) {
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
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (
    document.querySelectorAll('time[data-ago]')
  )) {
    setText(time, relative(time.dateTime, now));
  }
}

/**
 * Runs `tick` now and every second while the page is visible.
 * @param {() => void} tick
 */
export function everySecond(tick) {
  tick();
  setInterval(() => document.hidden || tick(), EVERY_MS);
  document.addEventListener('visibilitychange', () => document.hidden || tick());
}
