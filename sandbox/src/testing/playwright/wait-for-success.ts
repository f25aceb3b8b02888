import type { FrameLocator } from '@playwright/test';

const LOOK_EVERY_MS = 50;

/**
 * Notices success, which the popup shows only briefly. An observer in the page waits for it from
 * the start, because on a busy machine the popup is gone before a test can look.
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

  get hasSucceeded(): boolean {
    return this.#hasSucceeded;
  }

  beginAnew(): void {
    this.#hasSucceeded = false;
    this.watch();
  }

  /** Watches the frame; call it again when the frame has reloaded. */
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
      // The frame has gone or reloaded; a caller that still waits watches again.
    } finally {
      this.#isWatching = false;
    }
  }
}

interface SearchedNode {
  localName?: string;
  textContent: string | null;
  shadowRoot?: SearchedNode | null;
  querySelectorAll(selector: string): Iterable<SearchedNode>;
}

/** Runs in the page: waits for a heading with one of these titles in any shadow tree. */
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
