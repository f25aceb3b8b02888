// Times that go on by themselves: how long ago something was, and how long it has left, in the
// sandbox's time.

import { make, setText } from './elements.js';
import { dateTime, relative } from './formats.js';
import { sandboxNow } from './sandbox-time.js';

const EVERY_MS = 1_000;

/**
 * A time as people read it, both ways.
 * @param {string} iso
 */
export function buildTime(iso) {
  return make(
    'span',
    { class: 'moment' },
    make('time', { datetime: iso }, `${dateTime(iso)} UTC`),
    ' ',
    buildAgo(iso),
  );
}

/**
 * How far a time is from now.
 * @param {string} iso
 */
export function buildAgo(iso) {
  return make(
    'time',
    { class: 'quiet', datetime: iso, title: `${dateTime(iso)} UTC`, 'data-ago': true },
    relative(iso, sandboxNow()),
  );
}

/** Writes every such time anew. */
export function refreshTimes() {
  const now = sandboxNow();
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (
    document.querySelectorAll('time[data-ago]')
  )) {
    setText(time, relative(time.dateTime, now));
  }
}

/**
 * Runs `tick` now and every second in which somebody can see it.
 * @param {() => void} tick
 */
export function everySecond(tick) {
  tick();
  setInterval(() => document.hidden || tick(), EVERY_MS);
  document.addEventListener('visibilitychange', () => document.hidden || tick());
}
