import type { Database } from '../database/database.ts';
import { startDatabaseClock } from '../database/shared-clock.ts';
import { PaymentsError } from '../errors.ts';
import { buildLog } from '../observe/log.ts';
import { Metrics } from '../observe/metrics.ts';
import { buildConfirm } from '../payments/confirm.ts';
import { PaymentFeed } from '../payments/payment-feed.ts';
import { PollPlan } from '../payments/poll-plan.ts';
import { PaymentStore } from '../payments/store.ts';
import { buildServiceClient } from '../service/client.ts';
import { type Call, type Command, formatTable, NO_PAYMENT, UsageError } from './command-line.ts';
import { selectDeliveries } from './records.ts';

const MOST_LISTED = 20;
const USAGE = `Usage: npx --no -- service-pay replay [<words>]

  without words            list the newest webhooks
  <delivery>               verify the payment of the webhook whose id starts with this
  --reference <reference>  verify a payment`;

export const replay: Command = {
  usage: USAGE,
  options: { reference: { type: 'string' } },
  run(call) {
    const [id, ...more] = call.positionals;
    const given = call.values.reference as string | undefined;
    if (more.length || (id !== undefined && given !== undefined)) throw new UsageError(USAGE);
    const isList = id === undefined && given === undefined;
    const use = isList ? call.useShop : call.useOwnShop;
    return use(async (database, name) => {
      const reference = id === undefined ? given : await findReference(database, id);
      if (reference !== undefined) {
        call.writeError(`The database is ${name}.\n`);
        call.print(await verify(call, database, reference));
        return 0;
      }
      const webhooks = await selectDeliveries(database.db).limit(MOST_LISTED).execute();
      const list = webhooks.length ? formatTable(webhooks) : 'No webhook has arrived yet.';
      call.print(`${list}\n\nRead from ${name}.`);
      return 0;
    });
  },
};

async function findReference({ db }: Database, id: string): Promise<string> {
  const [webhook, another] = await selectDeliveries(db)
    .where('id', '>=', id)
    .where('id', '<', `${id}g`)
    .limit(2)
    .execute();
  if (!webhook || another)
    throw new UsageError(
      `${webhook ? 'Several webhooks have' : 'No webhook has'} an id that starts with this. To list the newest: npx --no -- service-pay replay`,
    );
  if (webhook.reference === null)
    throw new UsageError('That webhook names no payment, so there is nothing to verify.');
  return webhook.reference;
}

/** Confirms a payment as the shop does, and describes its state afterwards. */
async function verify(call: Call, database: Database, reference: string): Promise<string> {
  const config = call.loadConfig(
    'DATABASE_URL',
    'SERVICE_PAY_API_URL',
    'SANDBOX_PORT',
    'SERVICE_PAY_API_TOKEN',
    'SERVICE_PAY_API_TOKEN_PREVIOUS',
  );
  const log = buildLog({ ...config, logLevel: 'info' }, { write: call.writeError });
  const store = new PaymentStore(database);
  const before = await store.findPayment(reference);
  if (!before) throw new UsageError(NO_PAYMENT);
  const { clock, stop } = await startDatabaseClock(database, call.clock, log);
  await stop();
  const service = buildServiceClient(config);
  const [feed, metrics] = [new PaymentFeed(), new Metrics()];
  const confirm = buildConfirm({
    store,
    polls: new PollPlan(database),
    service,
    feed,
    metrics,
    clock,
    log,
  });
  try {
    const { state, reason } = (await confirm(reference, 'webhook')) ?? before;
    const change =
      state === before.state ? `stays in ${state}` : `was ${before.state} and is now ${state}`;
    const why = reason ? ` (${reason})` : '';
    return `${reference} ${change}${why}. Its history: npx --no -- service-pay orders show ${reference}`;
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
    throw new UsageError(
      `${reference} stays in ${before.state}, because its result is not known yet: ${(error.cause as Error).message}`,
    );
  } finally {
    await service.close();
  }
}
