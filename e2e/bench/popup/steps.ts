import type { Browser } from '@playwright/test';

import { type StepMotion, watchStep } from '../../lab/step-motion.ts';
import type { Figure } from '../support/figures.ts';
import { freshOptions } from './merchant-pages.ts';

const FRAME = 'iframe[title="Secure payment"]';

const SLOWED = 4;

/** Every picture is drawn in the same way, so that a few runs show what there is. */
const MOST_RUNS = 3;

/** The instrument of a step, and the part that the next step shows. */
const STEPS: Record<string, { card?: string; phone?: string; shows: string }> = {
  errors: { shows: '[aria-invalid=true]' },
  decline: { card: '4000000000000002', shows: '[role=alert]' },
  prompt: { phone: '0960000000', shows: 'waiting-screen h1' },
  code: { phone: '0969999999', shows: 'code-form input' },
  challenge: { card: '4000000000003220', shows: 'waiting-screen iframe' },
  success: { card: '4242424242424242', shows: 'success-screen h1' },
};

/** B12: what a customer sees between two steps on a phone, with and without a slowed processor. */
export async function measureSteps(
  browser: Browser,
  pagesUrl: string,
  runs: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const rate of [1, SLOWED]) {
    const worst: Record<string, StepMotion>[] = [];
    for (let run = 0; run < Math.min(runs, MOST_RUNS); run++) {
      const motions: Record<string, StepMotion> = {};
      for (const step of Object.keys(STEPS))
        motions[step] = await watch(browser, pagesUrl, step, rate);
      worst.push(motions);
    }
    figures.push(...toFigures(worst, rate === 1 ? 'CPU' : `CPU ÷ ${rate}`));
  }
  return figures;
}

/** Every run must hold the budget, so each figure is the worst of all. */
function toFigures(runs: readonly Record<string, StepMotion>[], conditions: string): Figure[] {
  const all = runs.flatMap((motions) => Object.entries(motions));
  const figure = (
    name: string,
    unit: string,
    direction: 'at least' | 'at most',
    budget: number,
    member: keyof StepMotion,
  ): Figure => {
    const sorted = all.toSorted(([, one], [, other]) => one[member] - other[member]);
    const [step, motion] = sorted.at(direction === 'at least' ? 0 : -1)!;
    return {
      id: 'B12',
      name: `between steps, ${name}, ${conditions}`,
      unit,
      direction,
      budget,
      runs: [motion[member]],
      compared: `worst at ${step}`,
    };
  };
  return [
    figure('lowest opacity of what is shown', '', 'at least', 0.4, 'lowestOpacity'),
    figure('empty frames', '', 'at most', 0, 'emptyFrames'),
    figure("foot below the sheet's edge", 'px', 'at most', 0, 'footBelowPx'),
  ];
}

async function watch(
  browser: Browser,
  pagesUrl: string,
  step: string,
  rate: number,
): Promise<StepMotion> {
  const { card, phone, shows } = STEPS[step]!;
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.goto(`${pagesUrl}/popup`);
  await page.evaluate(`void ServicePay.getPaid(${JSON.stringify(freshOptions())})`);
  const popup = page.frameLocator(FRAME);
  await popup.getByLabel('Card number').waitFor();
  if (card) {
    await popup.getByLabel('Card number').fill(card);
    await popup.getByLabel('Expiry date').fill('12/30');
    await popup.getByLabel('Security code').fill('123');
    await popup.getByLabel('Name on card').fill('Mary Banda');
  } else if (phone) {
    await popup.getByLabel('Mobile money').check();
    await popup.getByLabel('Phone number').fill(phone);
  }
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
  const motion = await watchStep(page, async () => {
    await popup.getByRole('button', { name: /^Pay / }).click();
    await popup.locator(shows).first().waitFor();
  });
  await context.close();
  return motion;
}
