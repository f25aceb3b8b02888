import type { Page, PageNews } from './page.ts';
import { type ShopApi, type ShopPayment, statusOf } from './shop-api.ts';

const POLL_EVERY_MS = 3_000;
const LONGEST_PAUSE_MS = 15_000;

export type News = { payment: ShopPayment } | { status: number };

/** Reports how a payment is until it is stopped. */
export interface Follower {
  /** The page may have missed something. */
  catchUp(news: PageNews): void;
  stop(): void;
}

/**
 * Polls a payment every three seconds, at once unless its state is known, and listens to its
 * events. Only a visible page does: six streams of hidden tabs would take every connection of the
 * browser (T145).
 */
export function follow(
  reference: string,
  {
    verify,
    events,
    page,
    isKnown,
  }: {
    verify(): Promise<ShopPayment>;
    events: ShopApi['events'];
    page: Page;
    isKnown: boolean;
  },
  report: (news: News) => void,
): Follower {
  let isStopped = false;
  let isPolling = false;
  let pauseMs = POLL_EVERY_MS;
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

  function begin(isFresh = false): void {
    if (isStopped || !page.isVisible()) return;
    pauseMs = POLL_EVERY_MS;
    stream ??= listen();
    if (isFresh) pollLater();
    else void poll();
  }

  function listen(): typeof stream {
    try {
      // The stream's first event repeats the stored state, which may be older than verify's: only
      // final statuses count.
      return events?.(reference, (payment) => {
        if (payment.status !== 'pending') report({ payment });
      });
    } catch (error) {
      page.report(error);
      return { close() {} };
    }
  }

  function pollLater(): void {
    cancel?.();
    if (page.isVisible()) cancel = page.after(pauseMs, () => void poll());
  }

  function rest(): void {
    try {
      stream?.close();
    } catch (error) {
      page.report(error);
    }
    stream = undefined;
    cancel?.();
  }

  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    cancel?.();
    const news: News = await verify().then(
      (payment) => ({ payment }),
      (error: unknown) => ({ status: statusOf(error) }),
    );
    isPolling = false;
    if (isStopped) return;
    pauseMs = 'payment' in news ? POLL_EVERY_MS : Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS);
    pollLater();
    report(news);
  }
}
