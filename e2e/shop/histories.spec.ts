import { PaymentPopup } from '@service-pay/sandbox/playwright';
import fc from 'fast-check';
import { anyHistory } from '../model/history.ts';
import { expect, test } from '../stack.ts';
import { BrowserTab } from '../support/browser-tab.ts';

/** The same ones each time: chance is for the model, which plays thousands. */
const SAMPLE = fc.sample(anyHistory(), { seed: 20_261_120, numRuns: 12 });

/**
 * The longest real wait between two steps. The service's clock, which moves with the steps alone,
 * takes all of it.
 */
const WAITED_MS = 400;

test.describe('histories of the model, in a real browser (F9)', () => {
  for (const [at, { steps }] of SAMPLE.entries()) {
    const names = steps.map(({ act, tab }) => (tab ? `${act} in the second tab` : act));
    test(`${at + 1}: ${names.join(', ')}: one outcome each, at most one charge, never closed on it (D1, D14)`, async ({
      context,
      page,
      purchase,
      service,
      site,
    }) => {
      const tabs = [page, await context.newPage()].map(
        (one) => new BrowserTab(one, site, service, purchase.order),
      ) as [BrowserTab, BrowserTab];
      await service.stopClock();
      for (const tab of tabs) await tab.start();
      await tabs[0].act({ act: 'open', luck: 0 });
      await expect(new PaymentPopup(page).payButton, 'the form of the first popup').toBeEnabled();

      for (const { afterMs, tab, act, luck } of steps) {
        await new Promise((passed) => setTimeout(passed, Math.min(afterMs, WAITED_MS)));
        if (afterMs >= 1_000) await service.advance(Math.floor(afterMs / 1_000));
        await tabs[tab].act({ act, luck });
      }
      await context.setOffline(false);
      await service.advance(60);
      for (const tab of tabs) await tab.end();
      await service.advance(45 * 60);

      const openings = tabs.flatMap((tab) => tab.openings);
      const left = tabs.flatMap((tab) => tab.opening ?? []);
      await expect
        .poll(() => left.filter(({ outcomes }) => !outcomes.length), 'a popup without an outcome')
        .toEqual([]);
      for (const { outcomes } of openings)
        expect(outcomes.length, 'outcomes of one popup').toBeLessThanOrEqual(1);
      const isPaid = (await purchase.collection())?.status === 'successful';
      const closedOnIt = tabs.map(
        ({ openings }) =>
          openings.filter(({ hasPaid, outcomes }) => hasPaid && outcomes[0] === 'closed').length,
      );
      for (const { outcomes } of openings)
        if (outcomes[0] === 'success')
          expect(isPaid, 'success without the word of the service').toBe(true);
      const payers = openings.filter(({ hasPaid }) => hasPaid);
      if (isPaid && payers.length === 1)
        expect(closedOnIt, 'closed by the only popup that paid').toEqual([0, 0]);
      expect((await purchase.deliveries()).length, 'charges').toBe(isPaid ? 1 : 0);
    });
  }
});
