import type { CourseEvent } from './course/course.ts';
import type { PopupCallbacks } from './options.ts';
import { type Page, pause } from './page.ts';

/** A script of a tag manager or a consent dialog may come after the first press. */
const SCRIPT_WITHIN_MS = 5_000;
const SCRIPT_EVERY_MS = 100;

/** A popup that the page's `<service-pay>` opens. */
export interface ElementPopup {
  readonly ending: AbortController;
  reference: string | undefined;
}

/** Returns callbacks of `getPaid` that report how a popup ends. */
export function callbacksOf(
  reference: string,
  report: (event: CourseEvent) => void,
): PopupCallbacks {
  const end = (on: 'sent' | 'closed') => () => report({ on, reference });
  return { onSuccess: end('sent'), onConfirmationPending: end('sent'), onClose: end('closed') };
}

/**
 * Reports how the element's popup ends, perhaps before its order is placed. A page has one popup at
 * a time, and its events bubble.
 */
export function listenToElement(page: Page, report: (event: CourseEvent) => void): ElementPopup {
  const popup: ElementPopup = { ending: new AbortController(), reference: undefined };
  const on = (name: string, what: 'sent' | 'closed') => {
    const end = () => {
      popup.ending.abort();
      const { reference } = popup;
      if (reference !== undefined) report({ on: what, reference });
      else if (what === 'closed') report({ on: what });
    };
    page.listen(`service-pay-${name}`, end, popup.ending.signal);
  };
  on('success', 'sent');
  on('confirmation-pending', 'sent');
  on('close', 'closed');
  return popup;
}

/** Waits for the script, which a tag manager or a consent dialog may load after the press. */
export async function findScript(
  page: Page,
  signal: AbortSignal,
): Promise<(options: object) => unknown> {
  for (
    let waitedMs = 0;
    waitedMs <= SCRIPT_WITHIN_MS && !signal.aborted;
    waitedMs += SCRIPT_EVERY_MS
  ) {
    const { ServicePay } = globalThis as {
      ServicePay?: { getPaid(options: object): unknown };
    };
    if (ServicePay) return (options) => ServicePay.getPaid(options);
    await pause(page, SCRIPT_EVERY_MS, signal);
  }
  throw new Error('The script of the payment service is not loaded.');
}
