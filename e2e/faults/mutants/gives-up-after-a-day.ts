import { type DuePayment, ShopStore as Sound } from '@service-pay/server/internal/payments/store';

export const insteadOf = '@service-pay/server/internal/payments/store';
export * from '@service-pay/server/internal/payments/store';

const DAY_MS = 24 * 60 * 60_000;

/** Asks no more about a payment that is a day old, whatever was planned. */
export class ShopStore extends Sound {
  override async claimDue(
    ...[now, limit, plan]: Parameters<Sound['claimDue']>
  ): Promise<DuePayment[]> {
    return super.claimDue(now, limit, (ageMs, lastPauseMs) =>
      ageMs >= DAY_MS ? undefined : plan(ageMs, lastPauseMs),
    );
  }
}
