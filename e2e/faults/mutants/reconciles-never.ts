import type { startReconciler as sound } from '@service-pay/server/internal/payments/reconciler';

export const insteadOf = '@service-pay/server/internal/payments/reconciler';
export * from '@service-pay/server/internal/payments/reconciler';

/** Relies on webhooks. */
export const startReconciler: typeof sound = () => () => {};
