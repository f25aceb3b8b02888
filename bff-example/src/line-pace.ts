import { type Clock, hasPassed } from './clock.ts';

/**
 * Gives a function that lets `most` lines of each key through per `ms`, and says with each how many
 * it left out since the one before; undefined is no line. Each key is remembered for ever: make
 * none of what a stranger sends.
 */
export function buildLinePace(
  clock: Clock,
  ms: number,
  most: number,
): (key: string) => number | undefined {
  const kinds = new Map<string, { since: number; told: number; leftOut: number }>();
  return (key) => {
    let kind = kinds.get(key);
    if (!kind || hasPassed(clock, kind.since, ms)) {
      kind = { since: clock.now(), told: 0, leftOut: kind?.leftOut ?? 0 };
      kinds.set(key, kind);
    }
    if (kind.told >= most) {
      kind.leftOut += 1;
      return undefined;
    }
    const { leftOut } = kind;
    kind.told += 1;
    kind.leftOut = 0;
    return leftOut;
  };
}
