import { type Database, nameDatabase } from '../database/open.ts';
import { startDatabaseClock } from '../database/shared-clock.ts';
import { PaymentFeed } from '../events/bus.ts';
import { buildLog } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { buildConfirm } from '../payments/confirm.ts';
import { isOver, type Payment } from '../payments/payment.ts';
import { ShopStore } from '../payments/store.ts';
import { buildServiceClient, ServiceCallError } from '../service/client.ts';
import {
  type Call,
  type Command,
  formatDeliveries,
  printable,
  UsageError,
} from './command-line.ts';
import { OperatorStore } from './operator-store.ts';

const MOST_LISTED = 20;
const USAGE = `Usage: service-pay replay                          list the newest webhooks
       service-pay replay <delivery>               ask the service about the payment of one: its id, or the first characters
       service-pay replay --reference <reference>  ask the service about a payment`;

/** `service-pay replay`: lists webhook deliveries, and handles one again. */
export const replay: Command = {
  usage: USAGE,
  options: { reference: { type: 'string' } },
  async run(call) {
    const [id, ...more] = call.positionals;
    const given = call.values.reference as string | undefined;
    if (more.length || (id !== undefined && given !== undefined)) throw new UsageError(USAGE);
    const name = printable(nameDatabase(call.loadConfig().databaseUrl));
    const database = await call.openShop();
    try {
      if (id === undefined && given === undefined) {
        const deliveries = await new OperatorStore(database).findDeliveries(MOST_LISTED);
        const text = deliveries.length
          ? formatDeliveries(deliveries)
          : 'No webhook has arrived yet.';
        call.print(`${text}\n\nRead from ${name}.`);
        return 0;
      }
      const reference = given ?? (await findReference(database, id!));
      if (reference === null) {
        call.print('That delivery names no payment of a shop, so there is nothing to do.');
        return 0;
      }
      call.writeError(`The database is ${name}.\n`);
      return await ask(call, database, reference);
    } finally {
      await database.close();
    }
  },
};

/** The reference a stored delivery names, or null if it names none. */
async function findReference(database: Database, id: string): Promise<string | null> {
  const delivery = await new OperatorStore(database).findDelivery(id);
  if (delivery === 'none')
    throw new UsageError(
      'No delivery has an id that begins so. To list the newest: npx service-pay replay',
    );
  if (delivery === 'several')
    throw new UsageError('Several deliveries have an id that begins so. Enter more of it.');
  return delivery.reference;
}

/**
 * Does what the shop does when such news arrives: asks the service, and moves the payment if the
 * answer says so (D54).
 */
async function ask(call: Call, database: Database, reference: string): Promise<number> {
  const config = call.loadConfig();
  const log = buildLog(config, { write: call.writeError });
  const store = new ShopStore(database);
  const before = await store.findPayment(reference);
  if (!before) throw new UsageError('No payment of this shop has that reference.');
  const { clock, stop } = await startDatabaseClock(database, call.clock, log);
  const service = buildServiceClient(config);
  const [feed, metrics] = [new PaymentFeed(), new Metrics()];
  try {
    const confirm = buildConfirm({ store, service, feed, metrics, clock, log });
    const after = await confirm(reference, 'webhook');
    call.print(describeChange(before, after ?? before));
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceCallError)) throw error;
    call.writeError(
      `${reference} stays in ${before.state}, because the answer is not known yet: ${error.message}\n`,
    );
    return 1;
  } finally {
    stop();
    await service.close();
  }
}

function describeChange(before: Payment, { reference, state, reviewReason }: Payment): string {
  const why = reviewReason ? ` (${reviewReason})` : '';
  if (isOver(before)) return `${reference} is already ${state}. The service is not asked again.`;
  if (before.state !== state) return `${reference} was ${before.state} and is now ${state}${why}.`;
  return state === 'needs-review'
    ? `${reference} stays in needs-review${why}. To decide: npx service-pay orders accept ${reference}, or refuse ${reference}`
    : `${reference} stays in ${state}: the service knows nothing that changes it.`;
}
