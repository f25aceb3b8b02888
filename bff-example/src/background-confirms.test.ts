import { expect, test, vi } from 'vitest';

import { BackgroundConfirms } from './background-confirms.ts';
import { ConfirmPace } from './confirm-pace.ts';
import { buildLog } from './log.ts';
import { PATIENT } from './test-shop.ts';

/** Confirms that each end a turn after they began, and the references in the order they did. */
function setUp(mostAtOnce: number) {
  const begun: string[] = [];
  const pace = new ConfirmPace();
  vi.spyOn(pace, 'findMostAtOnce').mockReturnValue(mostAtOnce);
  const log = buildLog({
    logLevel: 'silent',
    apiToken: 'sec_sandbox_demo',
    previousApiToken: undefined,
    sessionSecret: 'x'.repeat(32),
  });
  const confirm = async (reference: string) => {
    begun.push(reference);
    await new Promise(setImmediate);
    return undefined;
  };
  return { begun, confirms: new BackgroundConfirms(confirm, log, pace) };
}

test.each([2, 10, 50])(
  'with %i at once neither what is due nor news waits for the end of the other',
  async (mostAtOnce) => {
    const { begun, confirms } = setUp(mostAtOnce);
    for (let at = 0; at < 200; at++) confirms.addDue(`due-${at}`, async () => {});
    for (let at = 0; at < 200; at++) confirms.add(`news-${at}`);

    await vi.waitFor(() => expect(begun).toHaveLength(400), PATIENT);

    expect(begun.indexOf('news-0')).toBeLessThanOrEqual(mostAtOnce);
    const half = begun.slice(0, 200);
    expect(half.filter((reference) => reference.startsWith('due')).length).toBeGreaterThan(20);
    expect(half.filter((reference) => reference.startsWith('news')).length).toBeGreaterThan(20);
  },
);
