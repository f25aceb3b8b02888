import { isStuck, type Known, screenOf, timeOf } from './payment-state.ts';

const LONG_WAIT_MS = 30_000;

/** The time of a prompt (D37), of which a reloaded frame has not seen the start. */
const PROMPT_MS = 180_000;

const REPEAT_AFTER_MS = { prompt: 20_000, code: 30_000 } as const;

/**
 * Returns what the customer can do about the prompt: `change` withdraws it for another number or a
 * card, `repeat` sends it again; `busy` while either runs, `stuck` if the network cannot.
 */
export function promptActions(known: Known): {
  change: boolean;
  repeat: boolean;
  busy: boolean;
  stuck: boolean;
} {
  const { session, withdrawing } = known;
  const isRepeating = known.repeating === 'prompt';
  const attempt = session?.attempt;
  const isYours = screenOf(known) === 'prompt' && attempt?.isYours === true;
  const stuck = isStuck(known);
  const mayChange = isYours && !stuck && session!.attemptsLeft > 0;
  return {
    change: mayChange && !isRepeating,
    repeat: isRepeating || (mayChange && waitedMs(known) >= REPEAT_AFTER_MS.prompt),
    busy: isRepeating || (isYours && withdrawing === attempt.id),
    stuck,
  };
}

export function mayRepeatCode(known: Known): boolean {
  return (
    screenOf(known) === 'code' &&
    known.session!.attemptsLeft > 0 &&
    waitedMs(known) >= REPEAT_AFTER_MS.code
  );
}

/** Returns the seconds until the prompt or challenge expires, by the service's clock. */
export function secondsLeft(known: Known): number | undefined {
  const expiresAt = known.session?.attempt?.expiresAt;
  if (!expiresAt) return undefined;
  return Math.max(0, Math.ceil((Date.parse(expiresAt) - timeOf(known)) / 1000));
}

/** Returns the remaining part of a prompt's time, from 1 down to 0. */
export function partLeft(known: Known): number | undefined {
  const expiresAt = known.session?.attempt?.expiresAt;
  if (!expiresAt || !known.waitingSince) return undefined;
  const end = Date.parse(expiresAt);
  const whole = Math.max(PROMPT_MS, end - Date.parse(known.waitingSince));
  return Math.min(1, Math.max(0, (end - timeOf(known)) / whole));
}

export function isLongWait(known: Known): boolean {
  return waitedMs(known) >= LONG_WAIT_MS;
}

function waitedMs(known: Known): number {
  return known.session && known.waitingSince ? timeOf(known) - Date.parse(known.waitingSince) : 0;
}
