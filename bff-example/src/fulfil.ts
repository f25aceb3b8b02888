// YOURS: fulfils a paid order. Replace the two steps with your own.
import type { Fulfil } from '@service-pay/server';
import type { Cart } from './orders.ts';

type Context = Parameters<Fulfil>[1];

/**
 * Runs until it returns. After an error or a crash it runs again from the top, so a step may begin
 * twice: each passes on a key of its own, made from `order.id`, and does its work once per key.
 */
export const fulfil: Fulfil<Cart> = async (order, context) => {
  await reserveGoods(`${order.id}-goods`, order.data.lines, context);
  await sendReceipt(`${order.id}-receipt`, order.data.customer.email, context);
};

/** Once per key because the warehouse ignores a key that it has seen. */
async function reserveGoods(key: string, lines: Cart['lines'], context: Context): Promise<void> {
  // const response = await fetch('https://warehouse.example/reservations', {
  //   method: 'POST',
  //   headers: { 'Idempotency-Key': key, 'Content-Type': 'application/json' },
  //   body: JSON.stringify(lines),
  //   signal: context.signal, // aborts after a minute, and when the shop stops
  // });
  // if (!response.ok) throw new Error(`The warehouse responded with ${response.status}.`);
  context.log.info({ key, lines: lines.length }, 'goods reserved');
}

/** Once per key because `key` is unique in a table of mails, from which another program sends. */
async function sendReceipt(key: string, _to: string, { log }: Context): Promise<void> {
  // insert into mails (key, recipient) values ($1, $2) on conflict do nothing
  log.info({ key }, 'receipt sent');
}
