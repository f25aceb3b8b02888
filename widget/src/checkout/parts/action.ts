/** A button below a screen's words. */
export interface Action {
  name: string;
  act: () => void;
  /** Shown below it, and not announced as it changes. */
  note?: string | undefined;
}
