import type { Browser } from '@playwright/test';

import { type StepMotion, watchStep } from '../../lab/step-motion.ts';
import type { Figure } from '../support/figures.ts';
import { freshOptions } from './merchant-pages.ts';

const FRAME = 'iframe[title="Secure payment"]';

const SLOWED = 4;

/** Every picture is drawn in the same way, so that a few runs show what there is. */
const MOST_RUNS = 3;

/** The instrument of a step, or the press of Close, and the part that the next step shows. */
const STEPS: Record<string, { card?: string; phone?: string; leaves?: boolean; shows: string }> = {
  errors: { shows: '[aria-invalid=true]' },
  decline: { card: '4000000000000002', shows: '[role=alert]' },
  prompt: { phone: '0960000000', shows: 'waiting-screen h1' },
  code: { phone: '0969999999', shows: 'code-form input' },
  challenge: { card: '4000000000003220', shows: 'waiting-screen iframe' },
  question: { card: '4000000000003220', leaves: true, shows: 'end-screen h1' },
  success: { card: '4242424242424242', shows: 'success-screen h1' },
};

const SIZES = {
  '360×740': { width: 360, height: 740 },
  '1280×800': { width: 1280, height: 800 },
} as const;

/** What a step showed. `belowPx` is the space that was left below the sheet. */
type Step = StepMotion & { belowPx: number };

type Length = { [Member in keyof Step]: Step[Member] extends number ? Member : never }[keyof Step];

/**
 * B12 and B13: what a customer sees between two steps, on a phone and on a larger screen, with and
 * without a slowed processor.
 */
export async function measureSteps(
  browser: Browser,
  pagesUrl: string,
  runs: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [size, viewport] of Object.entries(SIZES))
    for (const rate of [1, SLOWED]) {
      const seen: [string, Step][] = [];
      for (let run = 0; run < Math.min(runs, MOST_RUNS); run++)
        for (const step of Object.keys(STEPS))
          seen.push([step, await watch(browser, pagesUrl, step, viewport, rate)]);
      figures.push(...toFigures(seen, size, rate === 1 ? 'CPU' : `CPU ÷ ${rate}`));
    }
  return figures;
}

/** Every run must hold the budget, so each figure is the worst of all. */
function toFigures(seen: readonly [string, Step][], size: string, cpu: string): Figure[] {
  const figure = (
    id: string,
    name: string,
    unit: string,
    direction: 'at least' | 'at most',
    budget: number,
    member: Length,
  ): Figure => {
    const sorted = seen.toSorted(([, one], [, other]) => one[member] - other[member]);
    const [step, motion] = sorted.at(direction === 'at least' ? 0 : -1)!;
    return {
      id,
      name: `between steps, ${name}, ${size}, ${cpu}`,
      unit,
      direction,
      budget,
      runs: [motion[member]],
      compared: `worst at ${step}`,
    };
  };
  const figures = [
    figure('B12', 'lowest opacity of what is shown', '', 'at least', 0.4, 'lowestOpacity'),
    figure('B12', 'empty frames', '', 'at most', 0, 'emptyFrames'),
    figure('B13', "head from the sheet's edge", 'px', 'at most', 2, 'headOffPx'),
    figure('B13', "foot from the sheet's edge", 'px', 'at most', 2, 'footOffPx'),
  ];
  return size === '360×740'
    ? figures
    : [...figures, figure('B13', 'space below the sheet', 'px', 'at least', 24, 'belowPx')];
}

async function watch(
  browser: Browser,
  pagesUrl: string,
  step: string,
  viewport: { width: number; height: number },
  rate: number,
): Promise<Step> {
  const { card, phone, leaves, shows } = STEPS[step]!;
  const context = await browser.newContext({ viewport });
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
  const pay = popup.getByRole('button', { name: /^Pay / });
  if (leaves) {
    await pay.click();
    await popup.locator('waiting-screen iframe').waitFor();
  }
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
  const motion = await watchStep(page, async () => {
    await (leaves ? page.getByRole('button', { name: 'Close' }) : pay).click();
    await popup.locator(shows).first().waitFor();
  });
  const { y, height } = (await page.getByRole('dialog').boundingBox())!;
  await context.close();
  return { ...motion, belowPx: Math.round(viewport.height - y - height) };
}
