/** A button below a screen's words. */
export interface Action {
  name: string;
  act: () => void;
  secondsLeft?: number | undefined;
}
