import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { type Database, nameDatabase } from '../database/open.ts';
import { PAYMENT_STATES, type PaymentState } from '../database/schema.ts';
import { startDatabaseClock } from '../database/shared-clock.ts';
import { FulfilmentStore } from '../fulfilment/store.ts';
import { FiguresStore } from '../observe/figures.ts';
import { buildLog, type Log } from '../observe/log.ts';
import { ShopStore } from '../payments/store.ts';
import type { Clock } from '../support/clock.ts';
import { formatTable, formatTime, printable, type Terminal, UsageError } from './command-line.ts';
import { openShop } from './open-shop.ts';
import { OperatorStore } from './operator-store.ts';

const DECISIONS = ['accept', 'refuse', 'redrive'] as const;
const MOST_LISTED = 200;
const USAGE = `Usage: npm run orders                        what there is, and what needs somebody
       npm run orders -- <state>             ${PAYMENT_STATES.join(', ')} or parked
       npm run orders -- accept <reference>  take a payment in needs-review for paid
       npm run orders -- refuse <reference>  do not
       npm run orders -- redrive <reference> hand a parked order over again
With --json the answer is for programs.`;

/** What the command found or did: for people, and for programs. */
interface Answer {
  text: string;
  json: unknown;
}

/** `npm run orders`: lists payments, and carries out what a person decides about one. */
export async function orders({
  words,
  loadConfig,
  clock,
  databaseOptions,
  print,
  writeError,
}: Terminal): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  const [word = '', reference, ...more] = positionals;
  const state = PAYMENT_STATES.find((name) => name === word);
  const decision = DECISIONS.find((name) => name === word);
  if (
    more.length ||
    (decision ? !reference : reference) ||
    !(state || decision || word === 'parked' || word === '')
  ) {
    throw new UsageError(USAGE);
  }

  const config = loadConfig();
  const database = await openShop(config, databaseOptions);
  try {
    const log = buildLog({ ...config, logLevel: 'info' }, { write: writeError });
    const { text, json } = decision
      ? await decide(database, decision, reference!, clock, log)
      : state
        ? await listPayments(database, state)
        : word
          ? await listParked(database)
          : await summarise(database, clock);
    const name = printable(nameDatabase(config.databaseUrl));
    print(
      values.json
        ? JSON.stringify(json)
        : `${text}\n\n${decision ? 'Written to' : 'Read from'} ${name}.`,
    );
    if (decision)
      log.info({ reference, decision, who: findWho(), database: name }, 'a person decided');
    return 0;
  } finally {
    await database.close();
  }
}

async function summarise(database: Database, clock: Clock): Promise<Answer> {
  const figures = await new FiguresStore(database).read(clock.now());
  const count = (state: PaymentState) =>
    figures.payments.reduce((sum, one) => sum + (one.state === state ? one.count : 0), 0);
  const payments = Object.fromEntries(PAYMENT_STATES.map((state) => [state, count(state)]));
  const parked = figures.fulfilments.find(({ state }) => state === 'parked')?.count ?? 0;
  const needs = [
    ...(count('needs-review')
      ? [`${count('needs-review')} to review: npm run orders -- needs-review`]
      : []),
    ...(parked ? [`${parked} parked, paid and not handed over: npm run orders -- parked`] : []),
  ];
  const table = formatTable(
    ['STATE', 'PAYMENTS'],
    PAYMENT_STATES.map((state) => [state, `${count(state)}`]),
  );
  return {
    text: `${table}\n\n${needs.length ? `Somebody is needed:\n${needs.map((line) => `  ${line}`).join('\n')}` : 'Nothing needs anybody.'}`,
    json: { payments, parked },
  };
}

async function listPayments(database: Database, state: PaymentState): Promise<Answer> {
  const payments = await new ShopStore(database).findPaymentsIn(state, MOST_LISTED);
  const rows = payments.map(({ reference, currency, amount, createdAt, reviewReason }) => [
    reference,
    `${currency} ${amount}`,
    formatTime(createdAt),
    reviewReason ?? '',
  ]);
  return {
    text: rows.length
      ? formatTable(['REFERENCE', 'AMOUNT', 'ORDERED', 'WHY'], rows) + cutNote(rows.length)
      : `No payment is in ${state}.`,
    json: payments.map(({ owner: _whose, data: _ofTheCustomer, ...payment }) => payment),
  };
}

async function listParked(database: Database): Promise<Answer> {
  const parked = await new OperatorStore(database).findParked(MOST_LISTED);
  const rows = parked.map(({ reference, orderId, attempts, createdAt }) => [
    reference,
    orderId,
    String(attempts),
    formatTime(createdAt),
  ]);
  return {
    text: rows.length
      ? `${formatTable(['REFERENCE', 'ORDER', 'ATTEMPTS', 'PAID'], rows)}${cutNote(rows.length)}\n\nWhy each was not handed over is in the log of the shop, under its reference. Once that is mended: npm run orders -- redrive <reference>`
      : 'No order is parked.',
    json: parked,
  };
}

/**
 * Writes down what a person decided (D51). The conditional write decides; what is read after it
 * only says why it did nothing.
 */
async function decide(
  database: Database,
  decision: (typeof DECISIONS)[number],
  reference: string,
  machine: Clock,
  log: Log,
): Promise<Answer> {
  const store = new ShopStore(database);
  const { clock, stop } = await startDatabaseClock(database, machine, log);
  stop();
  const now = clock.now();
  if (decision === 'redrive') {
    if (!(await new FulfilmentStore(database).redrive(reference, now)))
      throw new UsageError(await whyNotParked(database, reference));
    return {
      text: `${reference} is handed over again, at once where the shop runs.`,
      json: { reference, decision },
    };
  }
  const isDone =
    decision === 'accept'
      ? await store.accept(reference, now)
      : await store.move(reference, ['needs-review'], 'refused', now);
  const payment = await store.findPayment(reference);
  if (!isDone) {
    throw new UsageError(
      payment
        ? `${reference} is in ${payment.state}: only a payment in needs-review can be accepted or refused. Nothing was changed.`
        : 'No payment has that reference: npm run orders -- needs-review lists those that wait.',
    );
  }
  const { state, orderId, currency, amount } = payment!;
  const paidWith = await new OperatorStore(database).findPaidReference(orderId);
  const goods =
    state === 'refused'
      ? 'Nothing is handed over for it. The money is not sent back by this: see to that, and tell the customer.'
      : paidWith === reference
        ? 'Its order is handed over once.'
        : `Its order was paid with ${paidWith} before: nothing is handed over a second time.`;
  return {
    text: `${reference} (${currency} ${amount}) is ${state}. ${goods}`,
    json: { reference, decision, state },
  };
}

async function whyNotParked(database: Database, reference: string): Promise<string> {
  const fulfilment = await new OperatorStore(database).findFulfilment(reference);
  if (fulfilment?.state === 'done')
    return `The order of ${reference} was handed over: nothing is parked. Nothing was changed.`;
  if (fulfilment) {
    return `The order of ${reference} is not parked: it is tried again by itself, next at ${formatTime(fulfilment.dueAt)}. Nothing was changed.`;
  }
  const payment = await new ShopStore(database).findPayment(reference);
  if (!payment) return 'No parked order has that reference: npm run orders -- parked lists them.';
  return `The payment ${reference} is in ${payment.state}, so there is nothing to hand over. Nothing was changed.`;
}

function cutNote(rows: number): string {
  return rows < MOST_LISTED ? '' : `\nThe list ends after ${MOST_LISTED}.`;
}

/** The name of whoever is at this terminal, or the number of an account without one. */
function findWho(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
