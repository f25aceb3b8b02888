import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { request } from 'undici';
import type { Database } from '../database/database.ts';
import { findOtherAccess } from '../database/other-access.ts';
import { MOUNT_FIRST, PaymentsError } from '../errors.ts';
import { ping } from '../payments/ping.ts';
import { describeConnectionFailure } from '../service/connection-failure.ts';
import { buildConnections } from '../service/outgoing.ts';
import { checkDeliveries, checkFulfilment, checkReview, checkUnknown } from './check-records.ts';
import { checkService } from './check-service.ts';
import { type Call, type Command, printable, UsageError } from './command-line.ts';
import { COMPARED_SETTINGS, compareSettings } from './compare-settings.ts';
import { checkDelivery } from './doctor-delivery.ts';
import type { Finding } from './finding.ts';
import { type Config, isLoopback } from './settings.ts';

const RESPOND_WITHIN_MS = 8_000;
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
    throw new UsageError(
      `The file of --delivery cannot be read (${code}). Pass the path of a saved webhook.`,
    );
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
  const check = async (name: string, find: () => Promise<Finding>) =>
    report(name, await find().catch(describeFailure));
  await check('Service', () => checkService(settings));
  const { scriptUrl } = call.loadConfig('SERVICE_PAY_SCRIPT_URL', 'SANDBOX_PORT');
  // only the template has this setting, so elsewhere its default is the sandbox's
  if (isLoopback(settings.apiUrl) || !isLoopback(scriptUrl))
    await check('Popup script', () => checkScript(scriptUrl));
  const failure = await tryToOpen(call, async (database, name) => {
    report('Database', [`It opens: ${name}.`]);
    let isOfOthers = false;
    await check('Environment', async () => {
      const { isOther, found, todo } = await compareSettings(database, settings);
      isOfOthers = isOther;
      return isOther
        ? [`The database is not of these settings: ${found}.`, todo]
        : [`The database may be used with these settings: ${found}.`];
    });
    if (!isOfOthers) {
      await check('Writing', () => checkWriting(database));
      await check('Webhook', () => checkWebhook(database, settings));
    }
    await check('Access', () => checkAccess(database));
    await check('Deliveries', () => checkDeliveries(database));
    await check('Review', () => checkReview(database));
    await check('Unknown', () => checkUnknown(database));
    await check('Fulfilment', () => checkFulfilment(database));
  });
  if (failure) report('Database', failure);
}

/** Returns why the database does not open, if it does not. */
async function tryToOpen(
  call: Call,
  task: Parameters<Call['useShop']>[0],
): Promise<Finding | undefined> {
  let isOpen = false;
  try {
    await call.useShop((database, name) => {
      isOpen = true;
      return task(database, name);
    });
    return undefined;
  } catch (error) {
    if (isOpen || !(error instanceof PaymentsError)) throw error;
    return [error.message, 'Until it opens, this cannot check anything else in it.'];
  }
}

/** Describes a check that failed to run, so that the next ones still do. */
function describeFailure(error: unknown): Finding {
  const { message } = (error instanceof Error && (error.cause as Error)) || (error as Error);
  return [
    `This could not be checked: ${message}.`.replace(/\.\.$/, '.'),
    'Look at the problems above, then run this again.',
  ];
}

async function checkWriting(database: Database): Promise<Finding> {
  try {
    await ping(database);
    return ['The database accepts writes.'];
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error;
    return [
      `The database takes no writes, so nobody can order, and webhooks get 503: ${message}.`,
      'Free its disk, end what locks it, or make it writable. On PostgreSQL, use the primary and not a replica, and see default_transaction_read_only. The shop then goes on by itself.',
    ];
  }
}

async function checkScript(scriptUrl: string): Promise<Finding> {
  const { status, type, outcome } = await send(scriptUrl);
  if (status === 200 && /javascript/i.test(type)) return ['It loads.'];
  return [
    `${scriptUrl} does not return a script: ${outcome}.`,
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
  const { status, outcome, text } = await send(url, { method: 'POST', headers, body });
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
    `${url}: ${outcome}.`,
    'Start the shop, and set PUBLIC_URL (or PORT) to its address. If it runs, read its log, and look for a redirect, login or firewall before it.',
  ];
}

async function checkAccess({ kind, db }: Database): Promise<Finding> {
  if (kind === 'sqlite') return ['Who may read the file may read its records.'];
  const { roles, readers, fix } = await findOtherAccess(db);
  if (roles.length)
    return [
      `Other roles can read or write the tables: ${roles.join(', ')}.`,
      `For each that should not, ${fix}`,
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

async function send(
  url: string,
  options: Parameters<typeof request>[1] = {},
): Promise<{ status: number; type: string; outcome: string; text: string }> {
  try {
    const signal = AbortSignal.timeout(RESPOND_WITHIN_MS);
    const dispatcher = buildConnections(new URL(url).origin);
    const sent = request(url, { ...options, signal, dispatcher });
    const { statusCode: status, headers, body } = await sent.finally(() => void dispatcher.close());
    const text = status === 500 ? await body.text() : '';
    await body.dump();
    return {
      status,
      type: String(headers['content-type']),
      outcome: `it responds with ${status}`,
      text,
    };
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    const outcome = isLate
      ? `no response within ${RESPOND_WITHIN_MS / 1_000} s`
      : describeConnectionFailure(error).replace(/\.$/, '');
    return { status: 0, type: '', outcome, text: '' };
  }
}
