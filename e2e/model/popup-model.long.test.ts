import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { anyHistory, play } from './history.ts';
import { BROKEN, REAL } from './parts.ts';

const HISTORIES = { shipped: 3_000, broken: 3_000 };

/** The same in each run; `MODEL_SEED` plays others, and again those of a failure. */
const SEED = Number(process.env['MODEL_SEED'] ?? 1);

/** Never another: these histories are known to tell right from wrong. */
const SEED_OF_MISTAKES = 1;

/**
 * Both sides decide with the shipped code, imported as it is, and the service is the sandbox's own:
 * a model of them would prove nothing. Only their surroundings are played here: windows, ports,
 * network, time and people.
 */
describe('a model of the popup: page, frame, network, service and customer', {
  timeout: 180_000,
}, () => {
  test('in every history one outcome, at most one charge, never closed while money may move (D1, D14, T14, F9)', async () => {
    console.log(`MODEL_SEED=${SEED}, ${HISTORIES.shipped} histories`);
    await fc.assert(
      fc.asyncProperty(anyHistory(), (history) => play(history, REAL)),
      { seed: SEED, numRuns: HISTORIES.shipped },
    );
  });

  for (const [mistake, parts] of Object.entries(BROKEN)) {
    test(`the model of the popup notices that ${mistake} (F10)`, async () => {
      const { failed } = await fc.check(
        fc.asyncProperty(anyHistory(), (history) => play(history, parts)),
        { seed: SEED_OF_MISTAKES, numRuns: HISTORIES.broken, endOnFailure: true },
      );

      expect(
        failed,
        `no history of ${HISTORIES.broken} distinguishes it from the shipped code`,
      ).toBe(true);
    });
  }
});
