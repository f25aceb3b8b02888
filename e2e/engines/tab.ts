/** The titles of the frames on the way to something; none for the page itself. */
export type Place = readonly string[];

export type Key = 'Tab' | 'Shift+Tab' | 'Enter' | 'Escape' | 'ArrowRight';

/** Finds an element in the document it runs in. It sees nothing but its argument. */
export type Finder<Argument> = (argument: Argument) => Element | undefined;

/** One tab, as far as a driver reaches into it. `customer.ts` builds on it what a person does. */
export interface Tab {
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  run<Result>(act: (argument: any) => Result, argument: unknown): Promise<Awaited<Result>>;
  /**
   * Returns what `read` makes of the element found, or undefined if there is none. Rejects if the
   * place is not there yet.
   */
  read<Argument, Result>(
    place: Place,
    find: Finder<Argument>,
    argument: Argument,
    read: (element: Element, argument: Argument) => Result,
  ): Promise<Result | undefined>;
  /** Presses the middle of the element found, scrolled into sight. Rejects if there is none. */
  press<Argument>(place: Place, find: Finder<Argument>, argument: Argument): Promise<void>;
  pressAt(point: { x: number; y: number }): Promise<void>;
  type(text: string): Promise<void>;
  pressKey(key: Key): Promise<void>;
  screenshot(file: string): Promise<void>;
  close(): Promise<void>;
}

/** A running browser. Its tabs share no storage. */
export interface EngineBrowser {
  openTab(): Promise<Tab>;
  close(): Promise<void>;
}
