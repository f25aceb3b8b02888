import { parseArgs } from 'node:util';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import * as v from 'valibot';
import { type Database, nameDatabase } from '../database/open.ts';
import { startDatabaseClock } from '../database/shared-clock.ts';
import { PaymentFeed } from '../events/bus.ts';
import { buildLog } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { buildConfirm } from '../payments/confirm.ts';
import type { Payment } from '../payments/payment.ts';
import { ShopStore } from '../payments/store.ts';
import { buildServiceClient, ServiceCallError } from '../service/client.ts';
import { formatTable, formatTime, printable, type Terminal, UsageError } from './command-line.ts';
import { openShop } from './open-shop.ts';
import { OperatorStore } from './operator-store.ts';
import type { Config } from './settings.ts';

const MOST_LISTED = 20;
const SHOWN_OF_ID = 12;
const USAGE = `Usage: npm run replay                        the latest deliveries
       npm run replay -- <delivery>          the id of one, or its first characters
       npm run replay -- --reference <reference>`;

/** `npm run replay`: lists webhook deliveries, and handles one again. */
export async function replay(terminal: Terminal): Promise<number> {
  const { words, loadConfig } = terminal;
  const { positionals, values } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { reference: { type: 'string' } },
  });
  const [id, ...more] = positionals;
  if (more.length || (id !== undefined && values.reference !== undefined))
    throw new UsageError(USAGE);
  if (id !== undefined && !/^[0-9a-f]{4,64}$/.test(id)) {
    throw new UsageError(
      `A delivery's id is 64 hex digits, of which the first 4 or more are enough.\n${USAGE}`,
    );
  }
  if (values.reference !== undefined && !v.is(referenceSchema, values.reference)) {
    throw new UsageError(
      `That is no reference: letters, digits, dash, dot and underscore.\n${USAGE}`,
    );
  }

  const config = loadConfig();
  const database = await openShop(config, terminal.databaseOptions);
  try {
    if (id === undefined && values.reference === undefined)
      return await list(database, nameDatabase(config.databaseUrl), terminal);
    const reference = values.reference ?? (await findReference(database, id!, terminal));
    return reference === null ? 0 : await ask(config, database, reference, terminal);
  } finally {
    await database.close();
  }
}

async function list(database: Database, from: string, { print }: Terminal): Promise<number> {
  const store = new OperatorStore(database);
  const deliveries = await store.findDeliveries(MOST_LISTED);
  const rows = deliveries.map(({ id, event, reference, received_at, handled_at }) => [
    id.slice(0, SHOWN_OF_ID),
    event.slice(0, 40),
    reference ?? '(none)',
    formatTime(received_at),
    handled_at === null ? 'not yet' : formatTime(handled_at),
  ]);
  const text = rows.length
    ? formatTable(['DELIVERY', 'EVENT', 'REFERENCE', 'RECEIVED', 'HANDLED'], rows)
    : 'No webhook has arrived yet.';
  print(`${text}\n\nRead from ${printable(from)}.`);
  return 0;
}

/** The reference a stored delivery names, or null where it names none. */
async function findReference(
  database: Database,
  id: string,
  { print }: Terminal,
): Promise<string | null> {
  const [delivery, another] = await new OperatorStore(database).findDeliveriesFrom(id);
  if (!delivery)
    throw new UsageError('No delivery has an id that begins so: npm run replay lists the latest.');
  if (another)
    throw new UsageError('More than one delivery has an id that begins so: give more of it.');
  if (delivery.reference === null)
    print('That delivery names no payment of a shop: there is nothing to do, as when it arrived.');
  return delivery.reference;
}

/**
 * Does what the shop does when such news arrives: asks the service, and moves the payment where the
 * answer says so (D54).
 */
async function ask(
  config: Config,
  database: Database,
  reference: string,
  { clock: machine, print, writeError }: Terminal,
): Promise<number> {
  const log = buildLog(config, { write: writeError });
  writeError(`The database is ${printable(nameDatabase(config.databaseUrl))}.\n`);
  const store = new ShopStore(database);
  const before = await store.findPayment(reference);
  if (!before) {
    throw new UsageError(
      `No payment of this shop has the reference ${reference}: a delivery for it is kept until one does.`,
    );
  }
  const { clock, stop } = await startDatabaseClock(database, machine, log);
  const service = buildServiceClient(config);
  try {
    const confirm = buildConfirm({
      store,
      service,
      feed: new PaymentFeed(),
      metrics: new Metrics(),
      clock,
      log,
    });
    const after = await confirm(reference, 'webhook', before);
    print(tell(before, after ?? before));
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceCallError)) throw error;
    writeError(
      `${reference} stays in ${before.state}, since the answer is not known yet: ${error.message}\n`,
    );
    return 1;
  } finally {
    stop();
    await service.close();
  }
}

function tell(before: Payment, { reference, state, reviewReason }: Payment): string {
  if (before.state === 'paid' || before.state === 'refused')
    return `${reference} is ${state} already: nobody is asked about it again.`;
  if (before.state !== state)
    return `${reference} was ${before.state} and is ${state} now${reviewReason ? ` (${reviewReason})` : ''}.`;
  return state === 'needs-review'
    ? `${reference} stays in needs-review${reviewReason ? ` (${reviewReason})` : ''}: npm run orders -- accept ${reference}, or refuse.`
    : `${reference} stays in ${state}: the service was asked and knows nothing that would move it.`;
}
