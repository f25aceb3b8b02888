// YOURS: hands over the goods of a paid order. Replace the body of `fulfil`.
import type { Fulfil } from '@service-pay/server/fulfilment/fulfil';
import type { Cart } from './orders.ts';

export const fulfil: Fulfil<Cart> = async (order, { log }) => {
  log.info({ reference: order.reference, lines: order.data.lines.length }, 'order handed over');
};
