import type { FrameLocator } from '@playwright/test';

/** How often the page looks: success is shown for 1.2 s (D2). */
const LOOK_EVERY_MS = 50;

/**
 * Sees that a frame said “successful”, which it shows for a moment before the popup goes by itself.
 * The page looks, from before it can come: on a busy machine it would be gone by the time a test
 * asks.
 */
export class SuccessWatch {
  readonly #frame: FrameLocator;
  readonly #titles: () => readonly string[];
  #isWatching = false;
  #hasSucceeded = false;

  constructor(frame: FrameLocator, titles: () => readonly string[]) {
    this.#frame = frame;
    this.#titles = titles;
  }

  /** Whether it was said since the watch began anew. */
  get hasSucceeded(): boolean {
    return this.#hasSucceeded;
  }

  /** Forgets what was said before, and watches. */
  beginAnew(): void {
    this.#hasSucceeded = false;
    this.watch();
  }

  /** Sees to it that somebody watches: a frame that was loaded anew has to be told again. */
  watch(): void {
    if (this.#isWatching || this.#hasSucceeded) return;
    this.#isWatching = true;
    void this.#look();
  }

  async #look(): Promise<void> {
    const what = { titles: [...this.#titles()], everyMs: LOOK_EVERY_MS };
    try {
      await this.#frame.locator(':root').evaluate(waitForHeading, what, { timeout: 0 });
      this.#hasSucceeded = true;
    } catch {
      // The frame has gone or was loaded anew: whoever still waits watches again.
    } finally {
      this.#isWatching = false;
    }
  }
}

/** As much of a node as is searched: this room has no types of the page's. */
interface SearchedNode {
  localName?: string;
  textContent: string | null;
  shadowRoot?: SearchedNode | null;
  querySelectorAll(selector: string): Iterable<SearchedNode>;
}

/**
 * Runs in the page: waits for a heading with one of these titles, in whatever shadow tree it is.
 */
function waitForHeading(
  root: SearchedNode,
  { titles, everyMs }: { titles: string[]; everyMs: number },
): Promise<void> {
  const isIn = (tree: SearchedNode): boolean =>
    [...tree.querySelectorAll('*')].some(
      (node) =>
        (node.localName === 'h1' && titles.includes(`${node.textContent}`.trim())) ||
        (node.shadowRoot && isIn(node.shadowRoot)),
    );
  return new Promise((resolve) => {
    // biome-ignore lint/plugin: the time of the page, not that of a server
    const look = (): unknown => (isIn(root) ? resolve() : setTimeout(look, everyMs));
    look();
  });
}
