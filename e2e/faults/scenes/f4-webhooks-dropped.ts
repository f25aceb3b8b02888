import { percentile } from '../../lab/percentile.ts';
import { Findings, type Harness, type HarnessOptions, type HarnessResult } from '../harness.ts';
import { countLosses, untilSettled } from '../shop/losses.ts';
import { MovedTime } from '../shop/moved-time.ts';
import { Scene } from '../shop/scene.ts';
import { PUBLIC_KEY, pay, Shopping, WEBHOOK_PATH } from '../shop/shopping.ts';

const SCALES = {
  short: { orders: 40, overSeconds: 20, p50Ms: 30_000 },
  full: { orders: 2_000, overSeconds: 400, p50Ms: 15_000 },
};
const PASSES_AFTERWARDS_S = 150;
const SETTLES_WITHIN_MS = 10_000;

/** The time from order to payment: most within half a minute, few after two. */
const PAYS_AFTER_MS = { atLeast: 4_000, onAverageMore: 20_000 };

const P99_MS = 120_000;

export const F4: Harness = {
  id: 'F4',
  what: 'every webhook dropped',
  databases: ['sqlite', 'postgres'],
  run: runF4,
  broken: [{ name: 'reconciles-never' }],
};

export async function runF4(options: HarnessOptions): Promise<HarnessResult> {
  const { orders, overSeconds, p50Ms } = SCALES[options.scale];
  const findings = new Findings('F4', options);
  const { random } = findings;
  const scene = await Scene.open(options);
  const settings = await scene.settings();
  const shopping = new Shopping(settings.port, random);
  const { control } = scene.sandbox;
  try {
    await control.putMerchant(PUBLIC_KEY, {
      webhookUrl: `http://localhost:${settings.port}${WEBHOOK_PATH}`,
    });
    await control.setFaults({ webhooks: { drop: 1 } });
    const time = await MovedTime.begin(scene);
    const shop = await scene.start({ ...settings, startAt: time.now });
    const paidAt = new Map<string, number>();
    const began = time.now;

    const customers = Array.from({ length: orders }, () => {
      const ordersAt = began + random.below(overSeconds * 1_000);
      return {
        ordersAt,
        paysAt:
          ordersAt +
          PAYS_AFTER_MS.atLeast -
          PAYS_AFTER_MS.onAverageMore * Math.log(1 - random.draw()),
        reference: '',
      };
    });
    const act = async (now: number) => {
      for (const customer of customers.filter((one) => !one.reference && one.ordersAt <= now)) {
        customer.reference = (await shopping.order()).reference;
      }
      for (const { reference } of customers.filter(
        (one) => one.reference && one.paysAt <= now && !paidAt.has(one.reference),
      )) {
        await pay(scene.sandbox, reference, { notify: true });
        paidAt.set(reference, now);
      }
    };
    while (paidAt.size < orders) await time.pass(1, shop, act);
    await time.pass(PASSES_AFTERWARDS_S, shop);

    const traffic = { paid: customers.map(({ reference }) => [reference]), deliveries: [] };
    await untilSettled(scene, traffic, SETTLES_WITHIN_MS, () => time.pass(1, shop));
    await countLosses(scene, findings, traffic);
    const moved = await scene.database.rows<{ reference: string; moved_at: number }>(
      "select reference, moved_at from service_pay_payments where state = 'paid'",
    );
    const afterMs = moved.map(({ reference, moved_at }) => moved_at - paidAt.get(reference)!);
    findings.limit(
      'webhooks that still arrived',
      (await scene.database.rows('select id from service_pay_webhook_deliveries')).length,
      0,
    );
    findings.limit('confirmed p50 ms after payment', Math.round(percentile(afterMs, 0.5)), p50Ms);
    findings.limit('confirmed p99 ms after payment', Math.round(percentile(afterMs, 0.99)), P99_MS);
    return findings.result();
  } finally {
    await shopping.close();
    await scene.close();
  }
}
