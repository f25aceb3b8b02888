import { userInfo } from 'node:os';
import { type Database, nameDatabase } from '../database/open.ts';
import { PAYMENT_STATES, type PaymentState } from '../database/schema.ts';
import { startDatabaseClock } from '../database/shared-clock.ts';
import { FulfilmentStore } from '../fulfilment/store.ts';
import { readFigures } from '../observe/figures.ts';
import { buildLog, type Log } from '../observe/log.ts';
import { findDecisive } from '../payments/payment.ts';
import { ShopStore } from '../payments/store.ts';
import type { Clock } from '../support/clock.ts';
import {
  type Command,
  formatDeliveries,
  formatTable,
  formatTime,
  printable,
  UsageError,
} from './command-line.ts';
import { OperatorStore } from './operator-store.ts';

const DECISIONS = ['accept', 'refuse', 'redrive'] as const;
const MOST_LISTED = 200;
const LONGEST_LISTED_ERROR = 80;
const REDRIVE =
  '\n\nFix the cause of the last error. Then, for each parked order:\n  npx service-pay orders redrive <reference>';

const USAGE = `Usage: service-pay orders                      count payments by state, and list what needs a person
       service-pay orders <state>              list payments: ${PAYMENT_STATES.join(', ')}
       service-pay orders waiting              list paid orders that fulfil has not finished
       service-pay orders parked               list paid orders whose fulfilment failed ten times
       service-pay orders show <reference>     show one order: payments, webhooks, fulfilment, next step
       service-pay orders accept <reference>   treat a payment in needs-review as paid
       service-pay orders refuse <reference>   reject a payment in needs-review; refund it yourself
       service-pay orders redrive <reference>  call fulfil again for a parked order

  --json  print the answer as JSON`;

interface Answer {
  text: string;
  json: unknown;
}

type Fulfilment = Awaited<ReturnType<OperatorStore['findUnfulfilled']>>[number];

export const orders: Command = {
  usage: USAGE,
  options: { json: { type: 'boolean' } },
  async run({ positionals, values, loadConfig, openShop, clock, print, writeError }) {
    const [word = '', reference, ...more] = positionals;
    const state = PAYMENT_STATES.find((name) => name === word);
    const decision = DECISIONS.find((name) => name === word);
    const needsReference = decision !== undefined || word === 'show';
    const isKnown = needsReference || state || ['', 'waiting', 'parked'].includes(word);
    if (!isKnown)
      throw new UsageError(`There is no state or command ${JSON.stringify(word)}.\n${USAGE}`);
    if (more.length || needsReference !== (reference !== undefined)) throw new UsageError(USAGE);

    const { databaseUrl } = loadConfig('databaseUrl');
    const database = await openShop();
    try {
      const log = buildLog({ logLevel: 'info', databaseUrl }, { write: writeError });
      const { text, json } = decision
        ? await decide(database, decision, reference!, clock, log)
        : reference !== undefined
          ? await show(database, reference)
          : state
            ? await listPayments(database, state)
            : word
              ? await listUnfulfilled(database, word === 'parked')
              : await summarise(database, clock);
      const name = printable(nameDatabase(databaseUrl));
      const source = `${decision ? 'Written to' : 'Read from'} ${name}.`;
      print(values.json ? JSON.stringify(json) : `${text}\n\n${source}`);
      if (decision)
        log.info({ reference, decision, who: findWho(), database: name }, 'a person decided');
      return 0;
    } finally {
      await database.close();
    }
  },
};

async function summarise(database: Database, clock: Clock): Promise<Answer> {
  const { payments, waiting, parked } = await readFigures(database, clock.now());
  const inReview = payments['needs-review'];
  const needs = [
    inReview && `  ${inReview} to review: npx service-pay orders needs-review`,
    parked.count &&
      `  ${parked.count} parked, paid but not fulfilled: npx service-pay orders parked`,
  ].filter(Boolean);
  const rows = PAYMENT_STATES.map((state) => [state, `${payments[state]}`]);
  const text = [
    formatTable(['STATE', 'PAYMENTS'], rows),
    waiting.count &&
      `Paid and waiting to be fulfilled: ${waiting.count}. To list them: npx service-pay orders waiting`,
    needs.length && `This needs a person:\n${needs.join('\n')}`,
    !waiting.count && !needs.length && 'Nothing needs attention.',
  ].filter(Boolean);
  const json = { payments, waiting: waiting.count, parked: parked.count };
  return { text: text.join('\n\n'), json };
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
      ? formatList(['REFERENCE', 'AMOUNT', 'ORDERED', 'WHY'], rows)
      : `No payment is in ${state}.`,
    json: payments.map(({ owner: _whose, data: _ofTheCustomer, ...payment }) => payment),
  };
}

async function listUnfulfilled(database: Database, onlyParked: boolean): Promise<Answer> {
  const store = new OperatorStore(database);
  const parked = await store.findUnfulfilled('parked', MOST_LISTED);
  const waiting = onlyParked ? [] : await store.findUnfulfilled('waiting', MOST_LISTED);
  const json = [...parked, ...waiting];
  if (!json.length) return { text: 'No paid order is waiting to be fulfilled.', json };
  const head = ['REFERENCE', 'PAID', 'ATTEMPTS', 'NEXT TRY', 'LAST ERROR'];
  const rows = json.map(({ reference, state, attempts, createdAt, dueAt, lastError }) => [
    reference,
    formatTime(createdAt),
    `${attempts}`,
    state === 'parked' ? 'parked' : formatTime(dueAt),
    (lastError ?? '').slice(0, LONGEST_LISTED_ERROR),
  ]);
  return { text: formatList(head, rows) + (parked.length ? REDRIVE : ''), json };
}

function formatList(head: string[], rows: string[][]): string {
  const cutNote = rows.length < MOST_LISTED ? '' : `\nThere may be more than these ${rows.length}.`;
  return formatTable(head, rows) + cutNote;
}

async function show(database: Database, reference: string): Promise<Answer> {
  const store = new OperatorStore(database);
  const asked = await new ShopStore(database).findPayment(reference);
  if (!asked) throw new UsageError('No payment of this shop has that reference.');
  const { orderId, amount, currency, data } = asked;
  const payments = await store.findPayments(orderId);
  const fulfilment = await store.findFulfilment(orderId);
  const references = payments.map((payment) => payment.reference);
  const since = payments[0]!.createdAt;
  const newest = await store.findDeliveries(MOST_LISTED, { references, since });
  const deliveries = newest.reverse();
  const { state, reference: decisive } = findDecisive(payments)!;
  const status = fulfilment ? `${state}, ${STATUS[fulfilment.state]}` : state;
  const next = findNextStep(decisive, state, fulfilment);
  const rows = payments.map((one) => [
    one.reference,
    one.state,
    formatTime(one.createdAt),
    formatTime(one.movedAt),
    one.reviewReason ?? '',
  ]);
  const text = [
    `Order ${orderId}: ${status}.`,
    `Amount: ${currency} ${amount}`,
    `Next step: ${next}`,
    `\nPayments\n${formatTable(['REFERENCE', 'STATE', 'STARTED', 'STATE SINCE', 'WHY'], rows)}`,
    `\nWebhooks${deliveries.length ? `\n${formatDeliveries(deliveries)}` : ': none received.'}`,
    `\nFulfilment: ${describeFulfilment(fulfilment)}`,
    `\nOrdered\n${JSON.stringify(data, null, 2).split('\n').map(printable).join('\n')}`,
  ];
  return {
    text: text.join('\n'),
    json: { orderId, status, amount, currency, next, payments, deliveries, fulfilment, data },
  };
}

const STATUS = { waiting: 'not fulfilled yet', parked: 'not fulfilled, parked', done: 'fulfilled' };

function describeFulfilment(fulfilment: Fulfilment | undefined): string {
  if (!fulfilment) return 'not due, because the order is not paid.';
  const { state, attempts, createdAt, dueAt, doneAt, lastError } = fulfilment;
  const ended = {
    waiting: `waiting, next try ${formatTime(dueAt)}`,
    parked: 'parked after ten failed attempts',
    done: doneAt === null ? 'done' : `done ${formatTime(doneAt)}`,
  };
  return [
    ended[state],
    `  Paid: ${formatTime(createdAt)}`,
    `  Attempts: ${attempts}`,
    `  Last error: ${lastError === null ? 'none' : printable(lastError)}`,
  ].join('\n');
}

function findNextStep(
  reference: string,
  state: PaymentState,
  fulfilment: Fulfilment | undefined,
): string {
  const redrive = `npx service-pay orders redrive ${fulfilment?.reference}`;
  if (fulfilment?.state === 'parked') return `fix the cause of the last error, then run ${redrive}`;
  if (fulfilment?.state === 'waiting' && fulfilment.lastError !== null)
    return 'fix the cause of the last error. The shop calls fulfil again by itself.';
  if (fulfilment?.state === 'waiting') return 'none. The shop calls fulfil while it runs.';
  return {
    'awaiting-payment': `none. The shop keeps asking the service. To ask now: npx service-pay replay --reference ${reference}`,
    paid: 'none. The order is fulfilled.',
    failed: 'none. The customer can pay again.',
    expired: 'none. The customer can pay again.',
    'needs-review': `decide: npx service-pay orders accept ${reference}, or refuse ${reference}`,
    refused: 'refund the money if you have not, and tell the customer.',
  }[state];
}

/**
 * Records what a person decided (D51). The conditional write decides; the reads after it only
 * explain why nothing changed.
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
    const name = printable(reference);
    if (!(await new FulfilmentStore(database).redrive(reference, now)))
      throw new UsageError(
        `No parked order has the reference ${name}. Nothing was changed. To see its order: npx service-pay orders show ${name}`,
      );
    const text = `The shop calls fulfil again for ${reference}, at once if it is running.`;
    return { text, json: { reference, decision } };
  }
  const isDone =
    decision === 'accept'
      ? await store.accept(reference, now)
      : await store.move(reference, ['needs-review'], 'refused', now);
  const payment = await store.findPayment(reference);
  if (!payment)
    throw new UsageError(
      'No payment has that reference. To list those in review: npx service-pay orders needs-review',
    );
  const { state, orderId, currency, amount } = payment;
  if (!isDone)
    throw new UsageError(
      `${reference} is in ${state}. Only a payment in needs-review can be accepted or refused. Nothing was changed.`,
    );
  const fulfilled = (await new OperatorStore(database).findFulfilment(orderId))?.reference;
  const goods =
    state === 'refused'
      ? 'It will not be fulfilled. This does not refund the money: do that yourself, and tell the customer.'
      : fulfilled === reference
        ? 'The shop now fulfils its order, once.'
        : `Its order was already paid with ${fulfilled} and is not fulfilled a second time.`;
  const text = `${reference} (${currency} ${amount}) is ${state}. ${goods}`;
  return { text, json: { reference, decision, state } };
}

function findWho(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
