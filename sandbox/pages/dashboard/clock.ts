// The sandbox's clock: in the bar, and the dialog that moves, stops and starts it.

import type { ClockState } from '../../src/control/outputs.ts';
import { action, wireForm } from '../parts/actions.ts';
import { find, setText } from '../parts/elements.ts';
import { dateTime } from '../parts/formats.ts';
import { html, render } from '../parts/lit.ts';
import { clockState, sandboxNow, setClock } from '../parts/sandbox-time.ts';
import { ago, refreshTimes } from '../parts/times.ts';

const STEPS = [
  ['30 s', 30],
  ['3 min', 180],
  ['30 min', 1_800],
  ['24 h', 86_400],
] as const;

export function showClock() {
  const clock = clockState();
  if (!clock) return;
  const { mode, nextDueAt } = clock;
  showTime();
  setText(find('clock-mode'), mode === 'real' ? 'UTC' : 'UTC, stopped');
  const due = nextDueAt
    ? html`Next due: <time datetime=${nextDueAt}>${dateTime(nextDueAt)} UTC</time>, ${ago(nextDueAt)}`
    : nextDueAt === null && 'Nothing is due.';
  render(due || '', find('clock-due'));
}

export function showTime() {
  const now = sandboxNow();
  if (!Number.isNaN(now)) setText(find('clock-now'), dateTime(new Date(now).toISOString()));
  refreshTimes();
}

/** Payments change what is due, so the page reads it again while the dialog is open. */
export function isClockOpen() {
  return find<HTMLDialogElement>('clock').open;
}

/** Returns what to do when its dialog opens. */
export function startClock(readAgain: () => void) {
  const said = (clock: ClockState) => `It is ${dateTime(clock.now)} UTC in the sandbox.`;
  const after = (clock: ClockState) => {
    setClock(clock);
    showClock();
  };
  render(
    STEPS.map(([name, seconds]) =>
      action({
        label: `+${name}`,
        call: () => ({ method: 'POST', path: '/clock/advance', body: { seconds } }),
        said,
        after,
      }),
    ),
    find('clock-steps'),
  );
  const stop = find<HTMLFormElement>('clock-stop');
  stop.addEventListener('submit', (event) => event.preventDefault());
  const readStop = () => {
    const now = `${new FormData(stop).get('now')}`;
    return { mode: 'virtual', ...(now && { now: toTimestamp(now) }) };
  };
  render(
    [
      action({
        label: 'Stop the clock',
        call: () => ({ method: 'PUT', path: '/clock', body: readStop() }),
        said,
        after,
      }),
      action({
        label: 'Let it run',
        call: () => ({ method: 'PUT', path: '/clock', body: { mode: 'real' } }),
        said,
        after,
      }),
    ],
    find('clock-modes'),
  );
  const { refresh } = wireForm('clock', {
    call: (form) => {
      const data = new FormData(form);
      return {
        method: 'POST',
        path: '/clock/advance',
        body: { seconds: Number(data.get('number')) * Number(data.get('unit')) },
      };
    },
    said,
    after,
  });
  return () => {
    refresh();
    readAgain();
  };
}

/** Returns a time that is none as it is, so that the sandbox says what it should be. */
function toTimestamp(local: string) {
  const time = new Date(`${local}Z`);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}
