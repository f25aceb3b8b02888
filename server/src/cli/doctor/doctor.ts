import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ShopStore } from '../../payments/store.ts';
import { formatTime, printable, type Terminal, UsageError } from '../command-line.ts';
import { openShop } from '../open-shop.ts';
import { OperatorStore } from '../operator-store.ts';
import { checkDatabase, checkDesk, checkTold } from './database.ts';
import { checkDelivery } from './delivery.ts';
import { readParts, readRawRequest } from './delivery-file.ts';
import { type Finding, formatFindings, hasProblem } from './finding.ts';
import { checkScript, checkService } from './service.ts';
import { checkKeys, checkNode, checkSettings, checkSettingsFile } from './settings.ts';
import { checkShop } from './shop.ts';

const USAGE = `Usage: npm run doctor                                      what keeps the shop from working
       npm run doctor -- --delivery <file>                 why a webhook is refused: headers, an empty line, the body as it came
       npm run doctor -- --headers <file> --body <file>    the same from two files
       npm run doctor -- --delivery <id>                   what became of one in the inbox`;

const LARGEST_FILE = 4 * 1024 ** 2;

/** `npm run doctor`: reports what keeps the shop from working, or why a webhook was refused. */
export async function doctor(terminal: Terminal): Promise<number> {
  const { words, loadConfig, print } = terminal;
  const { positionals, values } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      delivery: { type: 'string' },
      headers: { type: 'string' },
      body: { type: 'string' },
    },
  });
  const { delivery, headers, body } = values;
  if (
    positionals.length ||
    (headers === undefined) !== (body === undefined) ||
    (delivery !== undefined && headers !== undefined)
  ) {
    throw new UsageError(USAGE);
  }
  const findings =
    headers !== undefined && body !== undefined
      ? checkDelivery(readParts(readInput(headers), readInput(body)), loadConfig())
      : delivery === undefined
        ? await checkEverything(terminal)
        : existsSync(delivery)
          ? checkDelivery(readRawRequest(readInput(delivery)), loadConfig())
          : await lookUp(delivery, terminal);
  print(formatFindings(findings.map((finding) => ({ ...finding, says: printable(finding.says) }))));
  return hasProblem(findings) ? 1 : 0;
}

/** Every check, each as far as those before it let it come. */
async function checkEverything({ loadConfig, databaseOptions }: Terminal): Promise<Finding[]> {
  const { config, findings: settings } = checkSettings(loadConfig);
  const here = [checkNode(process.versions.node), ...settings, ...checkSettingsFile()];
  if (!config)
    return [
      ...here,
      { check: 'The rest', verdict: 'not checked', says: 'Mend the settings first.' },
    ];
  const { database, findings: stored } = await checkDatabase(config.databaseUrl, databaseOptions);
  try {
    return [
      ...here,
      checkKeys(config),
      ...(await checkService(config)),
      await checkScript(config),
      ...stored,
      ...(await checkShop(config, database)),
      ...(database ? [await checkTold(database), ...(await checkDesk(database))] : []),
    ];
  } finally {
    await database?.close();
  }
}

/** What became of a delivery that the inbox has: it was accepted, or it would not be there. */
async function lookUp(id: string, { loadConfig, databaseOptions }: Terminal): Promise<Finding[]> {
  if (!/^[0-9a-f]{4,64}$/.test(id)) {
    throw new UsageError(
      `There is no such file, and it is no id of a delivery, which is 64 hex digits.\n${USAGE}`,
    );
  }
  const database = await openShop(loadConfig(), databaseOptions);
  try {
    const [delivery, another] = await new OperatorStore(database).findDeliveriesFrom(id);
    if (!delivery)
      throw new UsageError(
        'There is no such file, and no delivery has an id that begins so: one that was refused is not kept.',
      );
    if (another)
      throw new UsageError('More than one delivery has an id that begins so: give more of it.');
    const { event, reference, received_at } = delivery;
    const payment =
      reference === null ? undefined : await new ShopStore(database).findPayment(reference);
    return [
      {
        check: 'Signature',
        verdict: 'ok',
        says: `It held when the delivery arrived, on ${formatTime(received_at)}.`,
      },
      reference === null
        ? {
            check: 'Event',
            verdict: 'ok',
            says: `${event} names no payment: nothing was to be done.`,
          }
        : payment
          ? {
              check: 'Event',
              verdict: 'ok',
              says: `${event} for ${reference}, which is ${payment.state}.`,
            }
          : {
              check: 'Event',
              verdict: 'problem',
              says: `${event} for ${reference}, which is no payment of this shop.`,
              todo: 'Is it of another system that shares the webhook address? It is kept, and used should the order appear.',
            },
      ...(payment && payment.state !== 'paid' && payment.state !== 'refused'
        ? [
            {
              check: 'Payment',
              verdict: 'ok',
              says: `Ask the service again: npm run replay -- ${id}`,
            } as const,
          ]
        : []),
    ];
  } finally {
    await database.close();
  }
}

function readInput(file: string): Buffer {
  try {
    const content = readFileSync(file);
    if (content.length <= LARGEST_FILE) return content;
  } catch (error) {
    throw new UsageError(
      `${printable(file)} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  throw new UsageError(`${printable(file)} is larger than any delivery.`);
}
