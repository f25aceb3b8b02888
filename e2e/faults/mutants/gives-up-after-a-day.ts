import { type DuePayment, ShopStore as Sound } from '@service-pay/server/internal/payments/store';

export const insteadOf = '@service-pay/server/internal/payments/store';
export * from '@service-pay/server/internal/payments/store';

const DAY_MS = 24 * 60 * 60_000;
const YEARS_MS = 1_000 * DAY_MS;

/** Asks no more about a payment that is a day old, whatever was planned. */
export class ShopStore extends Sound {
  override async claimDue(
    ...[now, limit, plan]: Parameters<Sound['claimDue']>
  ): Promise<DuePayment[]> {
    const due = await super.claimDue(now, limit, (ageMs, pauseMs) =>
      ageMs >= DAY_MS ? { claimMs: YEARS_MS, pauseMs } : plan(ageMs, pauseMs),
    );
    return due.filter(({ ageMs }) => ageMs < DAY_MS);
  }
}
