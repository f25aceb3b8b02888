import fc from 'fast-check';
import { describe, test } from 'vitest';

import { playShopping } from './customer.ts';
import { KNOWN_SHOPPINGS } from './known-shoppings.ts';
import { shoppings } from './steps.ts';

const { SHOPPINGS, DRAW_ANEW } = process.env;
const HISTORIES = Number(SHOPPINGS ?? (DRAW_ANEW ? 20_000 : 1_000));

describe('the flow, with a customer who wants one cart once', () => {
  test.each(Object.entries(KNOWN_SHOPPINGS))(
    'the flow charges once after %s',
    async (_name, shopping) => {
      await playShopping(shopping);
    },
  );

  test(
    'the flow charges once for each order that the customer chose, tells the truth, and ends every screen (T115, T116, T136)',
    async () => {
      await fc.assert(fc.asyncProperty(shoppings, playShopping), { numRuns: HISTORIES });
    },
    60_000 + 60 * HISTORIES,
  );
});
