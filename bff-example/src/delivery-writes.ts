import type { buildAskingStatements } from './asking-statements.ts';
import type { buildShopStatements } from './shop-statements.ts';
import type { Tables } from './tables.ts';
import type { WriteGroup } from './write-batch.ts';

/** A delivery to store, whose payment is asked about at `checkAt` at the latest. */
export interface NewDelivery {
  delivery: Omit<Tables['webhook_deliveries'], 'handled_at'>;
  checkAt: number;
}

/** Deliveries that arrive at the same time are stored by a few statements for all of them. */
export function buildDeliveryWrites(
  { addDeliveries, findWaiting }: ReturnType<typeof buildShopStatements>,
  { askBy }: ReturnType<typeof buildAskingStatements>,
): WriteGroup<NewDelivery, boolean> {
  return {
    async run(trx, items) {
      const rows = new Map<string, Tables['webhook_deliveries']>();
      for (const { delivery } of items) {
        // PostgreSQL keeps no text with this character in it, and nothing is done with the name of
        // an event.
        const event = delivery.event.replaceAll('\u0000', '\ufffd');
        rows.set(delivery.id, {
          ...delivery,
          event,
          handled_at: delivery.reference === null ? delivery.received_at : null,
        });
      }
      // Everybody takes rows in one order, so that two instances with the same deliveries do not
      // wait for each other in a circle.
      const sorted = [...rows.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
      const stored = new Set((await addDeliveries(trx, sorted, {})).map(({ id }) => id));
      const again = sorted.filter(({ id }) => !stored.has(id));
      const waiting = new Set((await findWaiting(trx, again, {})).map(({ id }) => id));
      const references = new Set(
        sorted
          .filter(({ id, reference }) => reference !== null && (stored.has(id) || waiting.has(id)))
          .map(({ reference }) => reference!),
      );
      if (references.size) {
        const checkAt = Math.min(...items.map((item) => item.checkAt));
        const pauseMs = Math.min(...items.map((item) => item.checkAt - item.delivery.received_at));
        await askBy(
          trx,
          [...references].sort().map((reference) => ({ reference })),
          { checkAt, pauseMs },
        );
      }
      return items.map(({ delivery: { id } }) => stored.delete(id));
    },
  };
}
