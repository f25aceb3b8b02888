/**
 * Does what is asked for in one turn of the event loop together: a round trip to the database costs
 * more than what it carries. `run` gives a result for each, in their order, and begins after the
 * last of them was asked for.
 */
export function gather<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  let waiting: Item[] = [];
  let results: Promise<readonly Result[]> | undefined;

  return async (item) => {
    const at = waiting.push(item) - 1;
    results ??= new Promise((resolve) => setImmediate(() => resolve(runAll())));
    return (await results)[at]!;
  };

  function runAll(): Promise<readonly Result[]> {
    const items = waiting;
    waiting = [];
    results = undefined;
    return run(items);
  }
}
