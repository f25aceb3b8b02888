import fc from 'fast-check';
import { beforeAll, describe, test } from 'vitest';

import { buildPageScripts, type PageScript } from '../pages.ts';
import { KNOWN_SHOPPINGS, playShopping, shoppings } from '../shopping.ts';

const HISTORIES = Number(process.env.SHOPPINGS ?? (process.env.DRAW_ANEW ? 100 : 6));
const LONGEST_MS = 60_000;

describe("the shop's pages, with a customer who wants one cart once", () => {
  let scripts: ReadonlyMap<string, PageScript>;

  beforeAll(async () => {
    scripts = await buildPageScripts(['shop.js', 'result.js']);
  });

  test.each(Object.entries(KNOWN_SHOPPINGS))(
    'do not charge twice after %s (T115)',
    async (_name, shopping) => {
      await playShopping(shopping, scripts);
    },
  );

  test(
    'charge once for each order the customer chose, and tell the truth in the end, whatever is reloaded, opened and lost (T115, T116)',
    async () => {
      await fc.assert(
        fc.asyncProperty(shoppings, (shopping) => playShopping(shopping, scripts)),
        { numRuns: HISTORIES, interruptAfterTimeLimit: LONGEST_MS },
      );
    },
    2 * LONGEST_MS,
  );
});
