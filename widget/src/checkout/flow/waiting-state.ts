import { isActing, type Known, screenOf, sentOf } from './payment-state.ts';

const LONG_WAIT_MS = 30_000;

/** The time of a prompt (D37), of which a reloaded frame has not seen the start. */
const PROMPT_MS = 180_000;

const JUST_NOW_MS = 10_000;

const REPEAT_AFTER_MS = { prompt: 20_000, code: 30_000 } as const;

/**
 * Returns what may be pressed: `change` withdraws the prompt, `repeat` withdraws it and sends it
 * again. `isEarly`: repeat is shown but not pressable yet. `busy`: one of them runs. `stuck`: the
 * network cannot withdraw.
 */
export function promptActions(
  known: Known,
): Record<'change' | 'repeat' | 'isEarly' | 'busy' | 'stuck', boolean> {
  const { session } = known.service;
  const isRepeating = known.action?.repeats === 'prompt';
  const attempt = session?.attempt;
  const isYours = screenOf(known) === 'prompt' && attempt?.isYours === true;
  const stuck = isStuck(known);
  const mayChange = isYours && !stuck && session!.attemptsLeft > 0;
  const isEarly = waitedMs(known) < REPEAT_AFTER_MS.prompt;
  return {
    change: mayChange || isRepeating,
    repeat: isRepeating || (mayChange && (!isEarly || isActing(known, 'repeated'))),
    isEarly,
    busy: isRepeating || (isYours && isActing(known, 'withdrawing')),
    stuck,
  };
}

/** Checks if this customer's prompt is open and the network cannot withdraw it (D47). */
export function isStuck(known: Known): boolean {
  const { attempt } = known.service.session ?? {};
  return (
    screenOf(known) === 'prompt' &&
    attempt?.isYours === true &&
    (attempt.withdrawable === false || isActing(known, 'not-withdrawn'))
  );
}

/**
 * Checks if a new code may be sent: `isOffered` once that was so, `isEarly` while the last one is
 * on its way.
 */
export function codeActions(known: Known): Record<'isOffered' | 'isEarly', boolean> {
  const isEarly = waitedMs(known) < REPEAT_AFTER_MS.code;
  const hasTries = screenOf(known) === 'code' && known.service.session!.attemptsLeft > 0;
  return { isOffered: hasTries && (!isEarly || isActing(known, 'repeated')), isEarly };
}

/** Checks if this prompt or code was sent again a moment ago. */
export function isSentAgain(known: Known): boolean {
  return isActing(known, 'repeated') && waitedMs(known) < JUST_NOW_MS;
}

/**
 * Returns the seconds until the attempt expires, by the service's clock; the time of the whole
 * payment if it was made elsewhere and has no end of its own, or if it has no response.
 */
export function secondsLeft(known: Known): number | undefined {
  const { session } = known.service;
  if (session && sentOf(known)) return secondsUntil(session.expiresAt, known);
  if (!session?.attempt) return undefined;
  const end = session.attempt.expiresAt ?? (session.attempt.isYours ? null : session.expiresAt);
  return end ? secondsUntil(end, known) : undefined;
}

function secondsUntil(end: string, { service }: Known): number {
  return Math.max(0, Math.ceil((Date.parse(end) - (service.session ? service.time : 0)) / 1000));
}

/** Returns the remaining part of a prompt's time, from 1 down to 0. */
export function partLeft({ service }: Known): number | undefined {
  const { session } = service;
  if (!session?.attempt?.expiresAt) return undefined;
  const end = Date.parse(session.attempt.expiresAt);
  const whole = Math.max(PROMPT_MS, end - service.waitingSince);
  return Math.min(1, Math.max(0, (end - service.time) / whole));
}

export function isLongWait(known: Known): boolean {
  return waitedMs(known) >= LONG_WAIT_MS;
}

function waitedMs({ service }: Known): number {
  return service.session ? service.time - service.waitingSince : 0;
}
