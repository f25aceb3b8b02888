import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { request } from 'undici';
import { findOtherAccess } from '../database/access.ts';
import type { Database } from '../database/database.ts';
import { MOUNT_FIRST, type PaymentsError } from '../errors.ts';
import { PaymentStore } from '../payments/store.ts';
import { selectUnknownReferences } from '../payments/unknown-references.ts';
import { buildServiceClient } from '../service/client.ts';
import { buildConnections, describeConnectionFailure } from '../service/outgoing.ts';
import { realClock } from '../support/clock.ts';
import { type Call, type Command, printable, UsageError } from './command-line.ts';
import { COMPARED_SETTINGS, compareSettings } from './compare-settings.ts';
import { checkDelivery } from './doctor-delivery.ts';
import type { Finding } from './finding.ts';
import { selectDeliveriesOf, selectUnfulfilled } from './records.ts';
import { type Config, isLoopback } from './settings.ts';

const ANSWER_WITHIN_MS = 8_000;
/** A webhook should have arrived for one of the newest paid payments, if they are old enough. */
const NEWEST_PAID = 5;
const WEBHOOK_WITHIN_MS = 60_000;

/** Prints a result under the name of its check. */
type Report = (check: string, result: Finding) => void;

type Settings = Pick<Config, 'apiUrl' | 'apiToken' | 'publicUrl'>;

const USAGE = `Usage: npx --no -- service-pay doctor [--delivery <file>]

  without options    find what keeps the shop from working
  --delivery <file>  explain why the shop rejected a webhook; the file holds its headers, an empty line and its exact body`;

export const doctor: Command = {
  usage: USAGE,
  options: { delivery: { type: 'string' } },
  async run(call) {
    if (call.positionals.length) throw new UsageError(USAGE);
    const file = call.values.delivery as string | undefined;
    let exitCode = 0;
    const report: Report = (check, [found, todo]) => {
      call.print(`${(todo ? 'problem' : 'ok').padEnd(9)}${check.padEnd(14)}${printable(found)}`);
      if (!todo) return;
      call.print(`${' '.repeat(23)}→ ${todo}`);
      exitCode = 1;
    };
    if (file === undefined) await checkShop(call, report);
    else report('Signature', checkFile(call, file));
    return exitCode;
  },
};

function checkFile(call: Call, file: string): Finding {
  const config = call.loadConfig('SERVICE_PAY_API_TOKEN', 'SERVICE_PAY_API_TOKEN_PREVIOUS');
  try {
    return checkDelivery(readFileSync(file), config);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`The file of --delivery cannot be read (${code}).`);
  }
}

async function checkShop(call: Call, report: Report): Promise<void> {
  const settings = call.loadConfig(
    ...COMPARED_SETTINGS,
    'SERVICE_PAY_API_TOKEN',
    'PUBLIC_URL',
    'PORT',
    'DATABASE_URL',
  );
  report('Service', await checkService(settings));
  const { scriptUrl } = call.loadConfig('SERVICE_PAY_SCRIPT_URL', 'SANDBOX_PORT');
  // only the template has this setting, so elsewhere its default is the sandbox's
  if (isLoopback(settings.apiUrl) || !isLoopback(scriptUrl))
    report('Popup script', await checkScript(scriptUrl));
  await call.useShop(async (database, name) => {
    report('Database', [`It opens: ${name}.`]);
    const { isOther, found, todo } = await compareSettings(database, settings);
    if (isOther) report('Environment', [`The database is not of these settings: ${found}.`, todo]);
    else {
      report('Environment', [`The database may be used with these settings: ${found}.`]);
      await new PaymentStore(database).ping();
      report('Writing', ['The database accepts writes.']);
      report('Webhook', await checkWebhook(database, settings));
    }
    report('Access', await checkAccess(database));
    report('Deliveries', await checkDeliveries(database));
    report('Review', await checkReview(database));
    report('Unknown', await checkUnknown(database));
    report('Fulfilment', await checkFulfilment(database));
  });
}

async function checkService({ apiUrl, apiToken, publicUrl }: Settings): Promise<Finding> {
  const service = buildServiceClient({ apiUrl, apiToken });
  try {
    await service.verify(`doctor-${randomUUID()}`);
    return ['It responds and accepts the API token.'];
  } catch (error) {
    const { reason, cause } = error as PaymentsError;
    if (reason === 'token_refused')
      return [
        'It rejects the API token, so no payment can be confirmed.',
        'Set SERVICE_PAY_API_TOKEN to the one for this environment, and restart the shop.',
      ];
    const isElsewhere = reason === 'garbled' || reason === 'unreachable';
    const todo = isElsewhere
      ? `Check SERVICE_PAY_API_URL: the base address of the API, without /access.${isLoopback(apiUrl) ? ` To start the sandbox: ${sandboxAt(apiUrl, publicUrl)}` : ''}`
      : 'Payments are confirmed once it recovers. If it does not, contact the provider.';
    return [`${apiUrl}: ${(cause as Error).message}`, todo];
  } finally {
    await service.close();
  }
}

function sandboxAt(apiUrl: string, publicUrl: string | undefined): string {
  const { port } = new URL(apiUrl);
  const webhooks = publicUrl ? ` --webhook-url ${publicUrl}/webhooks/service-pay` : '';
  return `npx --no -- service-pay-sandbox --port ${port || 80}${webhooks}`;
}

async function checkScript(scriptUrl: string): Promise<Finding> {
  const { status, type, answer } = await ask(scriptUrl);
  if (status === 200 && /javascript/i.test(type)) return ['It loads.'];
  return [
    `${scriptUrl} does not return a script: ${answer}.`,
    'Set SERVICE_PAY_SCRIPT_URL to the script address of the service.',
  ];
}

/** Posts a signed event without effect, and deletes it from the stored webhooks. */
async function checkWebhook(
  database: Database,
  { publicUrl, apiToken }: Settings,
): Promise<Finding> {
  if (!publicUrl) return ['PORT is 0, so its address is unknown.', 'Set PUBLIC_URL.'];
  const url = `${publicUrl}/webhooks/service-pay`;
  const body = JSON.stringify({ event: 'doctor.check', data: { id: randomUUID() } });
  const headers = {
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: signWebhook(body, apiToken),
  };
  const { status, answer, text } = await ask(url, { method: 'POST', headers, body });
  if (status === 200)
    return (await removeDelivery(database, body))
      ? ['A signed event arrives and is stored.']
      : [
          'A signed event is accepted, but stored in another database.',
          'Run this with the settings of the running shop.',
        ];
  if (status === 401)
    return [
      'The running shop rejects a signature made with SERVICE_PAY_API_TOKEN.',
      'Restart the shop with this token. If it still rejects it, look for a proxy that changes bodies.',
    ];
  if (text.includes(MOUNT_FIRST))
    return [
      'The running shop cannot verify webhooks: something reads their body first.',
      MOUNT_FIRST,
    ];
  return [
    `${url}: ${answer}.`,
    'Start the shop, and set PUBLIC_URL (or PORT) to its address. If it runs, read its log, and look for a redirect, login or firewall before it.',
  ];
}

async function checkAccess({ kind, db }: Database): Promise<Finding> {
  if (kind === 'sqlite') return ['Who may read the file may read its records.'];
  const { roles, readers, fix } = await findOtherAccess(db);
  if (roles.length)
    return [
      `Other roles can read or write the tables: ${roles.join(', ')}.`,
      `If one of them should not, ${fix}`,
    ];
  const ofView = readers.length
    ? ` The view service_pay_orders can be read by: ${readers.join(', ')}.`
    : '';
  return [`No other role can read or write the tables.${ofView}`];
}

async function removeDelivery({ write }: Database, body: string): Promise<boolean> {
  return write(async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('service_pay_webhook_deliveries')
      .where('id', '=', createHash('sha256').update(body).digest('hex'))
      .executeTakeFirst();
    return numDeletedRows > 0n;
  });
}

async function checkDeliveries(database: Database): Promise<Finding> {
  const paid = await new PaymentStore(database).findPaymentsIn('paid', NEWEST_PAID);
  const since = paid.at(-1)?.createdAt ?? 0;
  if (!paid.length || realClock.now() - since < WEBHOOK_WITHIN_MS)
    return ['No webhook is missing yet.'];
  const references = paid.map(({ reference }) => reference);
  const webhooks = await selectDeliveriesOf(database.db, references, since).execute();
  const reported = new Set(webhooks.map(({ reference }) => reference)).size;
  if (reported)
    return [`Webhooks arrived for ${reported} of the ${paid.length} most recent paid payments.`];
  return [
    `No webhook arrived for any of the ${paid.length} most recent paid payments.`,
    'Give the provider your address: <PUBLIC_URL>/webhooks/service-pay',
  ];
}

async function checkReview(database: Database): Promise<Finding> {
  const [newest] = await new PaymentStore(database).findPaymentsIn('needs-review', 1);
  if (!newest) return ['No payment waits for a decision.'];
  return [
    `A payment was made, but not as ordered: ${newest.reference}, ${newest.reason}.`,
    'Decide about each: npx --no -- service-pay orders needs-review',
  ];
}

async function checkUnknown({ db }: Database): Promise<Finding> {
  const [unknown, ...more] = await selectUnknownReferences(db, realClock.now()).execute();
  if (!unknown) return ['No money was received for an unknown reference.'];
  const others = more.length ? ` and ${more.length} more` : '';
  return [
    `Money was received in the last day for unknown references: ${unknown.reference}${others}.`,
    'Look each up at the service, then refund it or fulfil it yourself. A transaction was rolled back, a backup was restored, or the order is in another database. If another shop of yours made it, ignore it.',
  ];
}

/** Warns from the first failure on, before an order is parked after the tenth. */
async function checkFulfilment({ db }: Database): Promise<Finding> {
  const [failing] = await selectUnfulfilled(db, 'waiting')
    .where('last_error', 'is not', null)
    .limit(1)
    .execute();
  const [parked] = await selectUnfulfilled(db, 'parked').limit(1).execute();
  if (!failing && !parked) return ['No paid order waits because fulfil failed.'];
  return [
    `Paid orders ${parked ? 'are parked: fulfil failed ten times, and is not tried again' : 'wait, because fulfil fails'}. The last error: ${(failing ?? parked)?.lastError ?? 'not known'}`,
    'Fix the cause. To list the orders, and what to do about each: npx --no -- service-pay orders waiting',
  ];
}

async function ask(
  url: string,
  options: Parameters<typeof request>[1] = {},
): Promise<{ status: number; type: string; answer: string; text: string }> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const dispatcher = buildConnections(new URL(url).origin);
    const sent = request(url, { ...options, signal, dispatcher });
    const { statusCode: status, headers, body } = await sent.finally(() => void dispatcher.close());
    const text = status === 500 ? await body.text() : '';
    await body.dump();
    return {
      status,
      type: String(headers['content-type']),
      answer: `it responds with ${status}`,
      text,
    };
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    const answer = isLate
      ? `no response within ${ANSWER_WITHIN_MS / 1_000} s`
      : describeConnectionFailure(error).replace(/\.$/, '');
    return { status: 0, type: '', answer, text: '' };
  }
}
