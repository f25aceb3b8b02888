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
       service-pay replay <delivery>               ask the service about the payment of the webhook whose id starts with this
       service-pay replay --reference <reference>  ask the service about a payment`;

export const replay: Command = {
  usage: USAGE,
  options: { reference: { type: 'string' } },
  async run(call) {
    const [id, ...more] = call.positionals;
    const given = call.values.reference as string | undefined;
    if (more.length || (id !== undefined && given !== undefined)) throw new UsageError(USAGE);
    const name = printable(nameDatabase(call.loadConfig('databaseUrl').databaseUrl));
    const database = await call.openShop();
    try {
      const store = new OperatorStore(database);
      if (id === undefined && given === undefined) {
        const deliveries = await store.findDeliveries(MOST_LISTED);
        const text = formatDeliveries(deliveries);
        call.print(
          `${deliveries.length ? text : 'No webhook has arrived yet.'}\n\nRead from ${name}.`,
        );
        return 0;
      }
      const reference = given ?? (await findReference(store, id!));
      if (reference === null) {
        call.print('That webhook names no payment, so there is nothing to ask.');
        return 0;
      }
      call.writeError(`The database is ${name}.\n`);
      return await ask(call, database, reference);
    } finally {
      await database.close();
    }
  },
};

async function findReference(store: OperatorStore, id: string): Promise<string | null> {
  const [delivery, another] = await store.findDeliveriesById(id);
  if (!delivery)
    throw new UsageError(
      'No webhook has an id that starts with this. To list the newest: npx service-pay replay',
    );
  if (another)
    throw new UsageError('Several webhooks have an id that starts with this. Enter more of it.');
  return delivery.reference;
}

async function ask(call: Call, database: Database, reference: string): Promise<number> {
  const config = call.loadConfig('databaseUrl', 'apiUrl', 'apiToken', 'previousApiToken');
  const log = buildLog({ ...config, logLevel: 'info' }, { write: call.writeError });
  const store = new ShopStore(database);
  const before = await store.findPayment(reference);
  if (!before) throw new UsageError('No payment of this shop has that reference.');
  const { clock, stop } = await startDatabaseClock(database, call.clock, log);
  const service = buildServiceClient(config);
  const [feed, metrics] = [new PaymentFeed(), new Metrics()];
  try {
    const confirm = buildConfirm({ store, service, feed, metrics, clock, log });
    call.print(describeChange(before, (await confirm(reference, 'webhook')) ?? before));
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
    : `${reference} stays in ${state}: the service has no news of it.`;
}
