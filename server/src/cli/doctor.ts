import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SIGNATURE_HEADER } from '@service-pay/contract/webhook';
import { signWebhook } from '@service-pay/contract/webhook-signature';
import { request } from 'undici';
import { type Database, DatabaseError, isDatabaseFailure, openDatabase } from '../database/open.ts';
import { readFigures } from '../observe/figures.ts';
import { ShopStore } from '../payments/store.ts';
import { buildServiceClient, type ServiceCallError } from '../service/client.ts';
import { realClock } from '../support/clock.ts';
import { type Call, type Command, UsageError } from './command-line.ts';
import { checkDelivery } from './doctor-delivery.ts';
import { type Finding, formatFindings, ok, problem } from './finding.ts';
import { OperatorStore } from './operator-store.ts';
import { type Config, ConfigError, isLoopback } from './settings.ts';

const ANSWER_WITHIN_MS = 8_000;
const LONGEST_OVERDUE_MS = 5 * 60_000;
/** A webhook should have arrived for one of the newest paid payments, if they are old enough. */
const NEWEST_PAID = 5;
const WEBHOOK_WITHIN_MS = 60_000;

type Settings = Pick<Config, 'apiUrl' | 'apiToken' | 'publicUrl' | 'databaseUrl'>;

const USAGE = `Usage: service-pay doctor                    find what keeps the shop from working
       service-pay doctor --delivery <file>  explain why the shop refused a webhook; the file holds its headers, an empty line and its exact body`;

export const doctor: Command = {
  usage: USAGE,
  options: { delivery: { type: 'string' } },
  async run(call) {
    if (call.positionals.length) throw new UsageError(USAGE);
    const file = call.values.delivery as string | undefined;
    const findings =
      file === undefined
        ? await checkEverything(call)
        : checkDelivery(readDelivery(file), call.loadConfig('apiToken', 'previousApiToken'));
    call.print(formatFindings(findings));
    return findings.some(({ verdict }) => verdict === 'problem') ? 1 : 0;
  },
};

function readDelivery(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`The file of --delivery cannot be read (${code}).`);
  }
}

async function checkEverything(call: Call): Promise<Finding[]> {
  let config: Settings;
  try {
    config = call.loadConfig('apiUrl', 'apiToken', 'publicUrl', 'databaseUrl');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((says) => problem('Settings', says));
    return [...problems, notChecked('The rest', 'Correct the settings first.')];
  }
  const findings = [ok('Settings', 'All required settings are valid.')];
  findings.push(...(await checkService(config)), await checkScript(call));

  let database: Database | undefined;
  try {
    database = await openDatabase(config.databaseUrl, call.databaseOptions);
    findings.push(ok('Database', `It opens, on ${database.kind}.`), await checkWriting(database));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const todo =
      'Check DATABASE_URL, its permissions, and that its folder or server can be reached.';
    findings.push(problem('Database', error.message, todo));
  }
  try {
    findings.push(await checkWebhook(config, database).catch(asNoAnswer('Webhook')));
    if (database) findings.push(...(await checkRecords(database)));
  } finally {
    await database?.close();
  }
  return findings;
}

async function checkService({ apiUrl, apiToken }: Settings): Promise<Finding[]> {
  const service = buildServiceClient({ apiUrl, apiToken });
  const error = await service
    .verify(`doctor-${randomBytes(16).toString('hex')}`)
    .then(() => undefined)
    .catch((thrown: ServiceCallError) => thrown)
    .finally(() => service.close());
  const answers = ok('Service', 'It answers.');
  if (!error) return [answers, ok('API token', 'The service accepts it.')];
  if (error.code === 'token_refused')
    return [
      answers,
      problem(
        'API token',
        'The service refuses it, so no payment can be confirmed.',
        'Set SERVICE_PAY_API_TOKEN to the one for this environment, and restart the shop.',
      ),
    ];
  const todo =
    error.code === 'garbled'
      ? 'Set it to the base address of the API, without /access.'
      : error.code === 'busy'
        ? 'Payments are confirmed once it recovers. If it does not, ask its operator.'
        : isLoopback(apiUrl)
          ? 'Start the sandbox: npm run sandbox'
          : 'Check the address, DNS and firewalls.';
  const why = error.code === 'unreachable' ? `${describeSilence(error.cause)}.` : error.message;
  return [
    problem('Service', `SERVICE_PAY_API_URL: ${why}`, todo),
    notChecked('API token', 'The service did not answer.'),
  ];
}

async function checkScript(call: Call): Promise<Finding> {
  let scriptUrl: string;
  try {
    ({ scriptUrl } = call.loadConfig('scriptUrl', 'apiUrl'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return notChecked('Popup script', error.problems.join(' '));
  }
  const { httpStatus, type, silence } = await ask(scriptUrl);
  if (httpStatus === 200 && /javascript/i.test(type)) return ok('Popup script', 'It loads.');
  const what = silence ?? `the answer is ${httpStatus}, not a script`;
  const todo = 'Set it to the script address of the service.';
  return problem('Popup script', `SERVICE_PAY_SCRIPT_URL: ${what}.`, todo);
}

/** Writes a row as the shop does, and rolls it back. */
export async function checkWriting(database: Database): Promise<Finding> {
  const error = await new ShopStore(database).ping().catch((thrown: unknown) => thrown);
  if (error === undefined) return ok('Writing', 'The database accepts writes.');
  const todo = 'Check its permissions and disk space, and whether another program has locked it.';
  return problem('Writing', 'The database accepts no writes now.', todo);
}

/** Posts a signed event that means nothing, and removes it from the inbox again. */
async function checkWebhook(
  { publicUrl, apiToken }: Settings,
  database: Database | undefined,
): Promise<Finding> {
  const refuse = (says: string, todo: string) => problem('Webhook', says, todo);
  if (!publicUrl) return refuse('PORT is 0, so its address is unknown.', 'Set PUBLIC_URL.');
  const url = `${publicUrl}/webhooks/service-pay`;
  const body = JSON.stringify({ event: 'doctor.check', data: { at: realClock.now() } });
  const headers = {
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: signWebhook(body, apiToken),
  };
  const { httpStatus, silence } = await ask(url, { method: 'POST', headers, body });
  const id = createHash('sha256').update(body).digest('hex');
  const isStored = database && (await new OperatorStore(database).removeDelivery(id));
  if (httpStatus === 200 && isStored !== false)
    return ok('Webhook', `A signed event arrives${isStored ? ' and is stored' : ''}.`);
  if (httpStatus === 200)
    return refuse(
      'A signed event is accepted, but stored in another database.',
      'Run this with the settings of the running shop.',
    );
  if (httpStatus === 401)
    return refuse(
      'The running shop refuses a signature made with SERVICE_PAY_API_TOKEN.',
      'Restart the shop with this token. If it still refuses, look for a proxy that changes bodies.',
    );
  return refuse(
    `${url}: ${silence ?? `the answer is ${httpStatus}`}.`,
    silence
      ? 'Start the shop, and set PUBLIC_URL (or PORT) to its address. A shop that stops at once prints why.'
      : "Look in the shop's log, and for a redirect, login or firewall before the shop.",
  );
}

export async function checkRecords(database: Database): Promise<Finding[]> {
  return [
    await checkDeliveries(database).catch(asNoAnswer('Deliveries')),
    ...(await checkWaiting(database).catch((error) => [asNoAnswer('Orders')(error)])),
  ];
}

async function checkDeliveries(database: Database): Promise<Finding> {
  const paid = await new ShopStore(database).findPaymentsIn('paid', NEWEST_PAID);
  const since = paid.at(-1)?.createdAt ?? 0;
  if (!paid.length || realClock.now() - since < WEBHOOK_WITHIN_MS)
    return ok('Deliveries', 'No webhook is missing yet.');
  const references = paid.map(({ reference }) => reference);
  const [arrived] = await new OperatorStore(database).findDeliveries(1, { references, since });
  if (arrived)
    return ok('Deliveries', `Webhooks arrive for the ${paid.length} most recent paid payments.`);
  return problem(
    'Deliveries',
    `No webhook arrived for any of the ${paid.length} most recent paid payments.`,
    'Tell the operator of the service your address: <PUBLIC_URL>/webhooks/service-pay',
  );
}

async function checkWaiting(database: Database): Promise<Finding[]> {
  const { payments, overdue, parked } = await readFigures(database, realClock.now());
  const store = new OperatorStore(database);
  const failing = (await store.findUnfulfilled('waiting', 100)).filter((one) => one.lastError);
  const [firstParked] = await store.findUnfulfilled('parked', 1);
  const isLate = (overdue.oldestMs ?? 0) > LONGEST_OVERDUE_MS;
  const judge = (check: string, count: number, says: string, todo: string) =>
    count ? problem(check, `${count} ${says}`, todo) : ok(check, 'Nothing needs attention.');
  return [
    judge(
      'In review',
      payments['needs-review'],
      'paid, but not as ordered: a person decides.',
      'npx service-pay orders needs-review',
    ),
    judge(
      'Fulfilment',
      failing.length,
      `paid and waiting, because fulfil fails. The last error: ${failing[0]?.lastError}`,
      'Fix the cause. The shop calls fulfil again by itself: npx service-pay orders waiting',
    ),
    judge(
      'Parked',
      parked.count,
      `paid and not fulfilled after ten attempts. The last error: ${firstParked?.lastError ?? 'unknown'}`,
      'Fix the cause, then redrive each: npx service-pay orders parked',
    ),
    judge(
      'Asking',
      isLate ? overdue.count : 0,
      'payments that the shop should have asked about minutes ago.',
      'Start the shop, or see its log for why it cannot ask the service.',
    ),
  ];
}

function notChecked(check: string, says: string): Finding {
  return { check, verdict: 'not checked', says };
}

function asNoAnswer(check: string): (error: unknown) => Finding {
  return (error) => {
    if (!isDatabaseFailure(error)) throw error;
    const todo = 'Check whether another program has locked it, then run this again.';
    return problem(check, 'The database does not answer right now.', todo);
  };
}

async function ask(
  url: string,
  options: Parameters<typeof request>[1] = {},
): Promise<{ httpStatus: number; type: string; silence?: string }> {
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const { statusCode, headers, body } = await request(url, { ...options, signal });
    const type = String(headers['content-type']);
    await body.dump();
    return { httpStatus: statusCode, type };
  } catch (error) {
    return { httpStatus: 0, type: '', silence: describeSilence(error) };
  }
}

function describeSilence(error: unknown): string {
  const { code, name } = error as { code?: string; name: string };
  if (name === 'TimeoutError') return `no answer within ${ANSWER_WITHIN_MS / 1000} s`;
  return code === 'ECONNREFUSED' ? 'nothing listens there' : `no answer (${code ?? name})`;
}
