/** Titles of the frames that lead from the page to where something is; none is the page itself. */
export type Place = readonly string[];

/** Keys a person presses by themselves, named as in `KeyboardEvent.key`. */
export type Key = 'Tab' | 'Shift+Tab' | 'Enter' | 'Escape' | 'ArrowRight';

/** What finds an element in a document: it is run there, and sees nothing but its argument. */
export type Finder<Argument> = (argument: Argument) => Element | undefined;

/**
 * One tab, as far as a driver must reach into it; what a person does is built from this alone
 * (`customer.ts`).
 */
export interface Tab {
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Runs a function in the page; it sees nothing but its argument. */
  run<Result>(act: (argument: any) => Result, argument: unknown): Promise<Awaited<Result>>;
  /**
   * Reads off what is found what `read` gives; undefined where nothing is. Rejects where there is
   * no such place yet.
   */
  read<Argument, Result>(
    place: Place,
    find: Finder<Argument>,
    argument: Argument,
    read: (element: Element, argument: Argument) => Result,
  ): Promise<Result | undefined>;
  /**
   * Presses the mouse in the middle of what is found, scrolled into sight. Rejects where nothing
   * is.
   */
  press<Argument>(place: Place, find: Finder<Argument>, argument: Argument): Promise<void>;
  /** Presses the mouse at a point of the page's window. */
  pressAt(point: { x: number; y: number }): Promise<void>;
  /** Types a text into whatever has the focus, in whichever document. */
  type(text: string): Promise<void>;
  pressKey(key: Key): Promise<void>;
  screenshot(file: string): Promise<void>;
  close(): Promise<void>;
}

/** A browser that runs; each tab it opens knows nothing of those before. */
export interface EngineBrowser {
  openTab(): Promise<Tab>;
  close(): Promise<void>;
}
