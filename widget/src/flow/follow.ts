import type { PaymentAnswer } from './flow-state.ts';
import type { Page, PageNews } from './page.ts';
import { type ShopApi, statusOf } from './shop-api.ts';

const ASK_EVERY_MS = 3_000;
const LONGEST_PAUSE_MS = 15_000;

export type News = { answer: PaymentAnswer } | { status: number };

/** Reports how a payment is until it is stopped. */
export interface Follower {
  /** The page may have missed something. */
  catchUp(news: PageNews): void;
  stop(): void;
}

/**
 * Asks about a payment every three seconds, at once unless the answer is known, and listens to its
 * events. Only a visible page does: six streams of hidden tabs would take every connection of the
 * browser (T145).
 */
export function follow(
  reference: string,
  { api, page, isKnown }: { api: ShopApi; page: Page; isKnown: boolean },
  report: (news: News) => void,
): Follower {
  let isStopped = false;
  let isAsking = false;
  let pauseMs = ASK_EVERY_MS;
  let stream: { close(): void } | undefined;
  let cancel: (() => void) | undefined;

  begin(isKnown);
  return {
    catchUp(news) {
      if (news === 'hidden') rest();
      else if (news === 'offline') report({ status: 0 });
      else begin();
    },
    stop() {
      isStopped = true;
      rest();
    },
  };

  function begin(isKnown = false): void {
    if (isStopped || !page.isVisible()) return;
    pauseMs = ASK_EVERY_MS;
    // an open payment's first event is what the shop has stored: `verify` knows more
    stream ??= api.events?.(reference, (answer) => {
      if (!isStopped && answer.status !== 'pending') report({ answer });
    });
    if (isKnown) askLater();
    else void ask();
  }

  function askLater(): void {
    cancel?.();
    if (page.isVisible()) cancel = page.after(pauseMs, () => void ask());
  }

  function rest(): void {
    stream?.close();
    stream = undefined;
    cancel?.();
  }

  async function ask(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    cancel?.();
    const news: News = await api.verify(reference).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ status: statusOf(error) }),
    );
    isAsking = false;
    if (isStopped) return;
    pauseMs = 'answer' in news ? ASK_EVERY_MS : Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
    askLater();
    report(news);
  }
}
