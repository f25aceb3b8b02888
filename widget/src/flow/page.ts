/** The parts of a page that the flow needs. Tests replace it. */
export interface Page {
  isVisible(): boolean;
  /** Returns whether the browser says that it has no network. */
  isOffline(): boolean;
  /** The page is in a frame of another window. */
  readonly isFramed: boolean;
  /** Calls `task` after a while, and returns a function that cancels this. */
  after(ms: number, task: () => void): () => void;
  /**
   * Calls `listener` when the page may have missed something: it is visible again, was restored by
   * the back button, is online or offline, or another tab wrote to the storage.
   */
  watch(listener: (news: PageNews) => void): () => void;
  /** Listens to an event that bubbles to the document. */
  listen(name: string, receive: () => void, signal: AbortSignal): void;
  /**
   * Runs one task at a time over all tabs of the browser, if it can do that. Once the signal aborts,
   * the task waits no longer and runs beside the others.
   */
  lock(task: () => Promise<void>, signal: AbortSignal): Promise<void>;
  readonly storage: FlowStorage | undefined;
  /** Reports an error of the page's own code to its developer. */
  report(error: unknown): void;
  /** Prints what a developer should correct. */
  print(text: string): void;
}

export type PageNews = 'visible' | 'hidden' | 'online' | 'offline' | 'storage';

/** The part of the browser's `Storage` that the flow uses. */
export type FlowStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** The name of the stored order, and of the lock. */
export const NAME = 'service-pay-flow';

/** The page around this script; in Node one that is always visible. */
export function findPage(): Page {
  const { document, navigator, top, self, reportError } = globalThis as Partial<typeof globalThis>;
  return {
    isVisible: () => document?.visibilityState !== 'hidden',
    isOffline: () => navigator?.onLine === false,
    isFramed: top !== self,
    after(ms, task) {
      const timer = setTimeout(task, ms);
      return () => clearTimeout(timer);
    },
    watch(listener) {
      const life = new AbortController();
      const on = (target: EventTarget | undefined, name: string, receive: (event: Event) => void) =>
        target?.addEventListener(name, receive, { signal: life.signal });
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
    listen: (name, receive, signal) => document?.addEventListener(name, receive, { signal }),
    async lock(task, signal) {
      if (!navigator?.locks || signal.aborted) return task();
      let hasTurn = false;
      try {
        await navigator.locks.request(NAME, { signal }, () => {
          hasTurn = true;
          return task();
        });
      } catch (error) {
        if (hasTurn) throw error;
        return task(); // waited for too long, or blocked together with storage
      }
    },
    get storage() {
      try {
        return globalThis.localStorage;
      } catch {
        return undefined; // blocked
      }
    },
    report: (error) => (reportError ?? console.error)(error),
    print: (text) => console.error(text),
  };
}

/** Resolves after a while, or at once when the signal aborts. */
export function pause(page: Page, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = page.after(ms, end);
    signal.addEventListener('abort', end);
  });
}
