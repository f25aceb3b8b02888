import {
  createPaymentFlow,
  type FlowOptions,
  type FlowState,
  type PlaceOrder,
} from '@service-pay/widget/flow';

/**
 * The address of the payment service: the sandbox on this machine, unless the build sets another.
 */
export const serviceUrl: string = import.meta.env.VITE_SERVICE_URL ?? 'http://localhost:4010';

export const PRODUCTS = [
  { sku: 'coffee-250', name: 'Coffee' },
  { sku: 'honey-500', name: 'Honey' },
];

const WORDS: Record<string, string> = {
  unfinished: 'You have an unfinished payment.',
  checking: 'We are checking your payment.',
  pending: 'Payment pending. Do not pay again.',
  review: 'We are checking your payment. Do not pay again.',
  paid: 'Order paid.',
  failed: 'Payment failed. You can try again.',
  refused: 'Payment failed. Ask the shop before you pay again.',
  // why a press failed
  offline: 'You are offline. Nothing was sent.',
  place_failed: 'The shop could not take the order. No payment was started.',
  popup_failed: 'The payment window did not open. Reload this page.',
  order_closed: 'Do not pay again: this order is paid, or we are checking it.',
};

interface Item {
  sku: string;
  quantity: number;
}

export type Shop = ReturnType<typeof openShop>;

export function describe({ screen, problem }: FlowState): string {
  const failed = 'The shop cannot do this now. Try again in a moment.';
  return problem ? (WORDS[problem.code] ?? failed) : (WORDS[screen] ?? '');
}

/** Opens the shop of a page. `getPaid` is that of the script tag by default. */
export function openShop(getPaid?: FlowOptions['getPaid']) {
  const flow = createPaymentFlow({ api: '/api', ...(getPaid && { getPaid }) });
  let cart: { items: Item[]; customer: { email: string } };
  const fill = (...items: Item[]) => {
    cart = { items, customer: { email: 'mary@example.com' } };
  };
  const pay = () => flow.pay(place(cart), { cart });
  return {
    flow,
    /** Returns a function for `prepare` of `<service-pay>`. */
    order:
      (...items: Item[]) =>
      () => {
        fill(...items);
        return flow.prepare(place(cart), { cart })();
      },
    buyBoth() {
      if (!flow.state.can.pay) return; // an order is being placed, or a payment is pending
      fill(...PRODUCTS.map(({ sku }) => ({ sku, quantity: 1 })));
      void pay();
    },
    buyAnother() {
      flow.payAnother();
      void pay();
    },
  };
}

/** Orders a cart, or finds its order: the server makes one for each key. */
function place(cart: object): PlaceOrder {
  return async (key) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const body = JSON.stringify(cart);
    const response = await fetch('/api/orders', { method: 'POST', headers, body });
    const { data, message } = await response.json();
    if (!response.ok) throw new Error(message);
    return data;
  };
}
