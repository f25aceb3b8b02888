import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { countLosses, untilSettled } from '../shop/losses.ts';
import { MovedTime } from '../shop/moved-time.ts';
import { Scene } from '../shop/scene.ts';
import { pay, Shopping } from '../shop/shopping.ts';

const ORDERS = { short: 60, full: 1_000 };
const HOUR_MS = 60 * 60_000;
const AWAY_HOURS = { '0 h': 0, '73 h': 73, '29 d': 29 * 24 };
const POLLED_BEFORE_S = 20;
const CONFIRMED_WITHIN_S = 60;
const MORE_TRIES = 2;

/**
 * The shop gives its calls seconds and its database less, in real time: a busy machine may take
 * longer within a moment of moved time.
 */
const TOO_LATE =
  /"code":"timeout".*verify failed|confirm failed, will retry|due (fulfilments|payments) not read/;
const SETTLES_WITHIN_MS = 10_000;

/**
 * F5: everyone pays while the shop is away, until the service has given up posting the webhooks.
 */
export const F5: Harness = {
  id: 'F5',
  what: 'away for 0 h, 73 h, 29 days',
  databases: ['sqlite', 'postgres'],
  run: runF5,
  broken: [{ name: 'gives-up-after-a-day' }],
};

export async function runF5(options: HarnessOptions): Promise<HarnessResult> {
  const findings = new Findings('F5', options);
  for (const [name, hours] of Object.entries(AWAY_HOURS)) {
    await beAway(options, findings, name, hours);
    if (findings.failures.length) break;
  }
  return findings.result();
}

/**
 * A machine that is too busy for the shop to keep its minute gets another try. Losses count in
 * each.
 */
async function beAway(
  options: HarnessOptions,
  findings: Findings,
  name: string,
  hours: number,
  moreTries = MORE_TRIES,
): Promise<void> {
  const scene = await Scene.open(options);
  const settings = await scene.settings();
  const shopping = new Shopping(settings.port, findings.random);
  try {
    const time = await MovedTime.begin(scene);
    const before = await scene.start({ ...settings, startAt: time.now });
    const placed = await Promise.all(
      Array.from({ length: ORDERS[options.scale] }, () => shopping.order()),
    );
    await time.pass(POLLED_BEFORE_S, before); // in vain, more than once
    await before.stop();
    await Promise.all(placed.map(({ reference }) => pay(scene.sandbox, reference)));
    await time.passWithoutShop(hours * HOUR_MS);

    const startedAt = time.now;
    const shop = await scene.start({ ...settings, startAt: startedAt });
    let tooLate = 0;
    shop.onLine = (line) => void (TOO_LATE.test(line) && tooLate++);
    await time.pass(CONFIRMED_WITHIN_S, shop);
    const traffic = { paid: placed.map(({ reference }) => [reference]), deliveries: [] };
    await untilSettled(scene, traffic, SETTLES_WITHIN_MS, () => time.pass(1, shop));
    await countLosses(scene, findings, traffic);
    const moved = await scene.database.rows<{ moved_at: number }>(
      "select moved_at from service_pay_payments where state = 'paid'",
    );
    const isMissing = moved.length < placed.length;
    const longest = isMissing
      ? Number.POSITIVE_INFINITY
      : Math.max(...moved.map(({ moved_at }) => moved_at - startedAt)) / 1_000;
    if (longest > CONFIRMED_WITHIN_S && tooLate && moreTries && !findings.failures.length) {
      findings.figures[`away ${name}: tried again`] = `${tooLate} calls found the machine too busy`;
      return await beAway(options, findings, name, hours, moreTries - 1);
    }
    findings.limit(`away ${name}: confirmed after s, longest`, longest, CONFIRMED_WITHIN_S);
  } finally {
    await shopping.close();
    await scene.close();
  }
}
