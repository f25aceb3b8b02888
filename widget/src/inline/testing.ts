import { isServicePayError, ServicePayError } from './errors.ts';
import { getPaid, preload, stubPayments } from './get-paid.ts';
import type { Outcome } from './outcome.ts';
import type { PaymentHandle, PaymentResult, UnopenedPlan } from './payment.ts';
import { configure, findService } from './service.ts';

/**
 * For unit tests of your page, also in jsdom and happy-dom: until the returned function is called,
 * each payment ends with `outcome` without a popup. Works for `getPaid`, `<service-pay>` with its
 * events, and `window.ServicePay`, which it defines. Options are checked and `prepare` is called as
 * usual. Call it again to change the outcome.
 */
export function stubPayment(outcome: Outcome): () => void {
  const page = globalThis as { ServicePay?: unknown };
  const earlier = page.ServicePay;
  const stopStub = stubPayments((plan) => pay(plan, outcome));
  page.ServicePay = { getPaid, preload, isServicePayError };
  try {
    findService();
  } catch {
    configure({ serviceUrl: 'https://service-pay.invalid' });
  }
  return () => {
    stopStub();
    if (earlier) page.ServicePay = earlier;
    else delete page.ServicePay;
  };
}

function pay({ source, settled, failed }: UnopenedPlan, outcome: Outcome): PaymentHandle {
  let reference = typeof source === 'function' ? undefined : source.reference;
  const { promise: closed, resolve: close } = Promise.withResolvers<Outcome>();
  const ended = (async (): Promise<Outcome> => {
    // A caller may close it in the same task.
    await undefined;
    try {
      if (typeof source === 'function') ({ reference } = await source());
      return outcome;
    } catch (cause) {
      if (Object(cause).name === 'AbortError') return 'closed';
      failed(
        isServicePayError(cause)
          ? cause
          : new ServicePayError('prepare_failed', 'prepare() rejected or threw', { cause }),
      );
      return 'closed';
    }
  })();
  const result = Promise.race([closed, ended]).then((reached): PaymentResult => {
    const payment = { outcome: reached, reference };
    settled(payment);
    return payment;
  });
  return {
    get reference() {
      return reference;
    },
    close: () => close('closed'),
    result,
  };
}
