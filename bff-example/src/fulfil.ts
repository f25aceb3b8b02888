// YOURS: hands over the goods of a paid order. Replace the body of `fulfil`.
import type { Fulfil } from '@service-pay/server/fulfilment/fulfil';

export const fulfil: Fulfil = async (order, { log }) => {
  log.info({ reference: order.reference, lines: order.lines.length }, 'order handed over');
};
