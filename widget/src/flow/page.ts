/** The parts of a page that the flow needs. Tests stand in for it. */
export interface Page {
  isVisible(): boolean;
  /** Calls `task` after a while, and returns a function that calls it off. */
  after(ms: number, task: () => void): () => void;
  /**
   * Calls `listener` when the page may have missed something: it is visible again, was restored by
   * the back button, is online or offline, or another tab wrote to the storage.
   */
  watch(listener: (news: PageNews) => void): () => void;
  /** Listens to an event that bubbles to the document. */
  listen(name: string, hear: () => void, signal: AbortSignal): void;
  /** Runs one task at a time over all tabs of the browser, where the browser can do that. */
  lock<Result>(task: () => Promise<Result>): Promise<Result>;
  storage: FlowStorage | undefined;
}

export type PageNews = 'visible' | 'hidden' | 'online' | 'offline' | 'storage';

/** The part of the browser's `Storage` that the flow uses. */
export type FlowStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The name of the stored order, and of the lock. */
export const NAME = 'service-pay-flow';

/** The page around this script; in Node one that is always visible. */
export function findPage(): Page {
  const { document, navigator } = globalThis as Partial<typeof globalThis>;
  return {
    isVisible: () => document?.visibilityState !== 'hidden',
    after(ms, task) {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
    watch(listener) {
      const life = new AbortController();
      const on = (target: EventTarget | undefined, name: string, hear: (event: Event) => void) =>
        target?.addEventListener(name, hear, { signal: life.signal });
      const page = document && globalThis;
      on(document, 'visibilitychange', () =>
        listener(document?.visibilityState === 'hidden' ? 'hidden' : 'visible'),
      );
      on(page, 'focus', () => listener('visible'));
      on(page, 'pageshow', (event) => {
        if ((event as PageTransitionEvent).persisted) listener('visible');
      });
      on(page, 'storage', (event) => {
        const { key } = event as StorageEvent;
        if (key === null || key === NAME) listener('storage'); // null: it was cleared
      });
      for (const name of ['online', 'offline'] as const) on(page, name, () => listener(name));
      return () => life.abort();
    },
    listen: (name, hear, signal) => document?.addEventListener(name, hear, { signal }),
    async lock(task) {
      if (!navigator?.locks) return task();
      let hasTurn = false;
      try {
        return await navigator.locks.request(NAME, () => {
          hasTurn = true;
          return task();
        });
      } catch (error) {
        if (hasTurn) throw error;
        return task(); // locks are refused where storage is blocked
      }
    },
    get storage() {
      try {
        return globalThis.localStorage;
      } catch {
        return undefined; // blocked
      }
    },
  };
}
