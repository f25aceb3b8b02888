import type { Clock } from './clock.ts';

const FIRST_AFTER_MS = 5_000;

/** A poll without a response is silence once the next one is due. */
const EVERY_MS = 3_000;

/** Silent polls in a row before the customer is informed. */
const SILENT_AFTER = 2;

export interface AttemptWatchDeps {
  clock: Clock;
  /** Polls the state. Rejects without a response. */
  look: () => Promise<unknown>;
  onSilence: () => void;
  /**
   * The service responds again after silence. What it was sent meanwhile may never get a response.
   */
  onReturn: () => void;
}

/**
 * Polls the state while an attempt has no response: the service may have taken it, be silent, or
 * be back. Returns a function that ends this.
 */
export function watchAttempt({ clock, look, onSilence, onReturn }: AttemptWatchDeps): () => void {
  let turn = 0;
  let isOpen = false;
  let silent = 0;
  const miss = () => {
    isOpen = false;
    silent += 1;
    if (silent === SILENT_AFTER) onSilence();
  };
  const poll = () => {
    if (isOpen) miss();
    isOpen = true;
    turn += 1;
    const mine = turn;
    cancel = clock.after(EVERY_MS, poll);
    look().then(
      () => {
        const wasSilent = silent > 0;
        silent = 0;
        if (mine !== turn) return;
        isOpen = false;
        if (wasSilent) onReturn();
      },
      () => {
        if (mine === turn && isOpen) miss();
      },
    );
  };
  let cancel = clock.after(FIRST_AFTER_MS, poll);
  return () => {
    turn += 1;
    cancel();
  };
}
