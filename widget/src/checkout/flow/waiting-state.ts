import { isStuck, type Known, screenOf, timeOf } from './payment-state.ts';

/** How long a wait may last before it is called long (look and words: "Still waiting"). */
const LONG_WAIT_MS = 30_000;

/** How long a prompt must be out before it may be sent again. */
const REPEAT_AFTER_MS = { prompt: 20_000, code: 30_000 } as const;

/**
 * What a customer may still do about the prompt that is out. `change` takes it back for another
 * number or a card, `repeat` sends it again: neither without another attempt to come. `busy` while
 * it is being taken back, `stuck` where the network cannot.
 */
export function promptActions(known: Known): {
  change: boolean;
  repeat: boolean;
  busy: boolean;
  stuck: boolean;
} {
  const { session, withdrawing } = known;
  const attempt = session?.attempt;
  const isYours = screenOf(known) === 'prompt' && attempt?.isYours === true;
  const stuck = isStuck(known);
  const mayChange = isYours && !stuck && session!.attemptsLeft > 0;
  return {
    change: mayChange,
    repeat: mayChange && waitedMs(known) >= REPEAT_AFTER_MS.prompt,
    busy: isYours && withdrawing === attempt.id,
    stuck,
  };
}

/** Whether a customer who waits for a one-time code may ask for another. */
export function mayRepeatCode(known: Known): boolean {
  return (
    screenOf(known) === 'code' &&
    known.session!.attemptsLeft > 0 &&
    waitedMs(known) >= REPEAT_AFTER_MS.code
  );
}

/**
 * Whole seconds until a prompt or challenge gives up by itself, by the service's clock; undefined
 * where nobody knows.
 */
export function secondsLeft(known: Known): number | undefined {
  const expiresAt = known.session?.attempt?.expiresAt;
  if (!expiresAt) return undefined;
  return Math.max(0, Math.ceil((Date.parse(expiresAt) - timeOf(known)) / 1000));
}

/** How much of a wait is left, from 1 down to 0; undefined where nobody knows. */
export function partLeft(known: Known): number | undefined {
  const expiresAt = known.session?.attempt?.expiresAt;
  if (!expiresAt || !known.waitingSince) return undefined;
  const end = Date.parse(expiresAt);
  const whole = end - Date.parse(known.waitingSince);
  return whole > 0 ? Math.min(1, Math.max(0, (end - timeOf(known)) / whole)) : 0;
}

/** Whether this wait has lasted so long that the customer should hear what else can be done. */
export function isLongWait(known: Known): boolean {
  return waitedMs(known) >= LONG_WAIT_MS;
}

function waitedMs(known: Known): number {
  return known.session && known.waitingSince ? timeOf(known) - Date.parse(known.waitingSince) : 0;
}
