import { userInfo } from 'node:os';
import type { Database } from '../database/database.ts';
import { PAYMENT_STATES } from '../database/schema.ts';
import { startDatabaseClock } from '../database/shared-clock.ts';
import { FulfilmentStore } from '../fulfilment/store.ts';
import { readFigures } from '../observe/figures.ts';
import { buildLog } from '../observe/log.ts';
import { findDecisive } from '../payments/payment.ts';
import { PaymentStore } from '../payments/store.ts';
import {
  type Call,
  type Command,
  formatRecord,
  formatTable,
  NO_PAYMENT,
  printable,
  UsageError,
} from './command-line.ts';
import { findOrders } from './find-orders.ts';
import { findProblems } from './find-problems.ts';
import {
  selectDecisions,
  selectDeliveriesOf,
  selectFulfilments,
  selectPayments,
  selectUnfulfilled,
} from './records.ts';

const MOST_LISTED = 200;
const LISTS = [...PAYMENT_STATES, 'waiting', 'parked'] as const;

const USAGE = `Usage: npx --no -- service-pay orders [<words>] [options]

  without words        say what is wrong, count payments by state, and list what needs a person
  <state>              list payments: ${PAYMENT_STATES.join(', ')}
  waiting              list paid orders that are not fulfilled, parked ones first
  parked               list paid orders whose fulfilment failed ten times
  find <text>          list payments by e-mail address or other text of the order, or by reference
  show <reference>     show one order: payments, webhooks, fulfilment, decisions, next step
  accept <reference>   treat a payment in needs-review as paid
  refuse <reference>   reject a payment in needs-review; refund it yourself
  redrive <reference>  call fulfil now for an order whose fulfilment failed
  redrive --all        call fulfil now for every such order
  close <reference>    never call fulfil again for a paid order that you refunded by hand

  --by <name>      who decides, for these four: by default the user of this machine
  --reason <text>  why, for close
  --json           print the result as JSON`;

const NEXT_STEP: Record<(typeof LISTS)[number] | 'failing' | 'done' | 'closed', string> = {
  'awaiting-payment':
    'none. The shop keeps polling the service. To poll now: npx --no -- service-pay replay --reference <reference>',
  paid: 'see which are not fulfilled yet: npx --no -- service-pay orders waiting',
  failed: 'none. The customer can pay again.',
  expired: 'none. The customer can still pay it.',
  'needs-review':
    'decide: npx --no -- service-pay orders accept <reference>, or refuse <reference>',
  refused: 'refund the money if you have not, and tell the customer.',
  waiting: 'none. The shop calls fulfil while it runs.',
  failing:
    'fix the cause of the last error. The shop calls fulfil again by itself. To call it now: npx --no -- service-pay orders redrive <reference>',
  parked:
    'fix the cause of the last error, then run npx --no -- service-pay orders redrive <reference>',
  done: 'none. The order is fulfilled.',
  closed: 'none. The order is closed, and fulfil is not called for it.',
};

const DECISIONS = ['accept', 'refuse', 'redrive', 'close'] as const;
const DECIDED = {
  accept:
    'The payment is accepted. If another payment had already paid the order, the order is not fulfilled again. Refund one of the two.',
  refuse:
    'The payment is rejected and its order is not fulfilled. The money is not refunded. Refund it yourself, and tell the customer.',
  redrive: 'The shop calls fulfil again, within five seconds if it is running.',
  close:
    'The order is closed: fulfil is not called for it again. The payment stays paid. The money is not refunded. Refund it yourself if you have not.',
};
const NEEDED = {
  accept: 'accept needs a payment in needs-review',
  refuse: 'refuse needs a payment in needs-review',
  redrive: 'redrive needs an order whose fulfilment failed and is not being tried right now',
  close:
    'close needs a paid order that is not fulfilled, and no call of fulfil that runs for it. Such a call ends within a minute',
};

const LONGEST_REASON = 500;

type Report = { json: object; text: string };

export const orders: Command = {
  usage: USAGE,
  options: {
    json: { type: 'boolean' },
    all: { type: 'boolean' },
    by: { type: 'string' },
    reason: { type: 'string' },
  },
  run(call) {
    const [word = '', reference, ...more] = call.positionals;
    const isForAll = call.values.all === true;
    const decision = DECISIONS.find((name) => name === word);
    const state = LISTS.find((name) => name === word);
    const isFind = word === 'find';
    const isAboutOne = isFind || word === 'show' || decision !== undefined;
    const needsReference = isAboutOne && !isForAll;
    if (word && !isAboutOne && !state)
      throw new UsageError(`There is no state or command ${JSON.stringify(word)}.\n${USAGE}`);
    const isWrong = more.length || needsReference !== (reference !== undefined);
    if (call.values.by !== undefined && !decision)
      throw new UsageError('--by works with orders accept, refuse, redrive and close only.');
    if (call.values.by === '') throw new UsageError('--by needs a name.');
    if (isForAll && decision !== 'redrive')
      throw new UsageError('--all works with orders redrive only.');
    if (isWrong) {
      const needed = needsReference
        ? isFind
          ? 'needs one text, in quotes if it has spaces: npx --no -- service-pay orders find <text>'
          : `needs one reference: npx --no -- service-pay orders ${word} <reference>`
        : 'takes no reference.';
      throw new UsageError(`orders ${word} ${needed}`);
    }
    rejectReason(decision, call.values.reason);

    const use = decision ? call.useOwnShop : call.useShop;
    return use(async (database, name) => {
      const report = async () => {
        if (decision) return decide(database, call, name, decision, reference);
        if (isFind) return find(database, reference!);
        if (reference !== undefined) return show(database, reference);
        return state ? list(database, state) : summarise(database, call);
      };
      const { text, json } = await report();
      const source = `${decision ? 'Written to' : 'Read from'} ${name}.`;
      if (call.values.json) call.printJson(json);
      else call.print(`${text}\n\n${source}`);
      return 0;
    });
  },
};

function rejectReason(decision: string | undefined, reason: unknown): void {
  if (decision !== 'close') {
    if (reason === undefined) return;
    throw new UsageError('--reason works with orders close only.');
  }
  if (typeof reason !== 'string' || !reason.trim())
    throw new UsageError(
      'orders close needs --reason <text>: why the order is not fulfilled, such as "refunded by hand".',
    );
  if (reason.length > LONGEST_REASON)
    throw new UsageError(`--reason takes ${LONGEST_REASON} characters at most.`);
}

async function summarise(database: Database, call: Call): Promise<Report> {
  const figures = await readFigures(database, call.clock.now());
  const { payments, waiting, parked } = figures;
  const problems = await findProblems(database, call, figures);
  const counts = { ...payments, waiting: waiting.count, parked: parked.count };
  const todo = (['needs-review', 'parked', 'waiting'] as const)
    .filter((state) => counts[state])
    .map((state) => `${counts[state]} ${state}: npx --no -- service-pay orders ${state}`);
  const rows = Object.entries(counts).map(([state, count]) => ({ state, count }));
  const wrong = problems.map(
    ({ found, todo }) => `problem  ${printable(found)}\n         → ${todo}`,
  );
  const nothing = problems.length ? [] : ['Nothing needs attention.'];
  const next = todo.length ? [todo.join('\n')] : nothing;
  const text = [...wrong, formatTable(rows), ...next].join('\n\n');
  return { json: { ...counts, problems }, text };
}

async function list({ db }: Database, state: (typeof LISTS)[number]): Promise<Report> {
  if (state === 'waiting' || state === 'parked') {
    const find = (kind: typeof state) => selectUnfulfilled(db, kind).limit(MOST_LISTED).execute();
    const parked = await find('parked');
    const waiting = state === 'waiting' ? await find(state) : [];
    const steps = new Set(
      [...parked, ...waiting].map(({ state, lastError }) => findStep(state, lastError)),
    );
    return toList(state, [...parked, ...waiting], [...steps]);
  }
  const payments = await selectPayments(db)
    .where('state', '=', state)
    .orderBy('created_at', 'desc')
    .limit(MOST_LISTED)
    .execute();
  return toList(state, payments, [NEXT_STEP[state]]);
}

async function find({ db }: Database, text: string): Promise<Report> {
  const found = await findOrders(db, text);
  const next = 'Next step: npx --no -- service-pay orders show <reference>';
  const nothing =
    'No payment has this reference, owner or text. Search for a shorter part of it, such as a name.';
  return { json: found, text: found.length ? `${formatTable(found)}\n\n${next}` : nothing };
}

function toList(state: string, rows: readonly object[], steps: readonly string[]): Report {
  const cut = rows.length < MOST_LISTED ? '' : `There may be more than these ${rows.length}.\n`;
  const next = steps.map((step) => `Next step: ${step}`).join('\n');
  const text = rows.length ? `${formatTable(rows)}\n\n${cut}${next}` : `Nothing is ${state}.`;
  return { json: rows, text };
}

function findStep(state: keyof typeof NEXT_STEP, lastError: string | null | undefined): string {
  return NEXT_STEP[state === 'waiting' && lastError ? 'failing' : state];
}

/** Shows the history of the order that a payment belongs to. */
async function show({ db }: Database, reference: string): Promise<Report> {
  const payment = await db
    .selectFrom('service_pay_payments')
    .select(['order_id', 'data'])
    .where('reference', '=', reference)
    .executeTakeFirst();
  if (!payment) throw new UsageError(NO_PAYMENT);
  const { order_id: orderId, data } = payment;
  const payments = await selectPayments(db)
    .where('order_id', '=', orderId)
    .orderBy('created_at')
    .execute();
  const fulfilments = await selectFulfilments(db).where('order_id', '=', orderId).execute();
  const references = payments.map((payment) => payment.reference);
  const webhooks = await selectDeliveriesOf(db, references, payments[0]!.createdAt)
    .limit(MOST_LISTED)
    .execute();
  const { state, reference: about } = fulfilments[0] ?? findDecisive(payments)!;
  const step = findStep(state, fulfilments[0]?.lastError).replaceAll('<reference>', about);
  const other = (wanted: (typeof payments)[number]['state']) =>
    payments.find((one) => one.state === wanted && one.reference !== about)?.reference;
  const [second, refused] = [other('needs-review'), other('refused')];
  const then = step.startsWith('none.') ? '' : ` Then: ${step}`;
  const before = second
    ? `the order was paid again with ${second}: refund that payment, and run npx --no -- service-pay orders refuse ${second}.`
    : refused && `refund ${refused} if you have not.`;
  const nextStep = before ? `${before}${then}` : step;
  const decisions = await selectDecisions(db, references).execute();
  const story = { payments, webhooks, fulfilments, decisions };
  const json = { orderId, nextStep, ...story, ordered: JSON.parse(data) };
  return { json, text: formatRecord(json) };
}

/** Records a person's decision and who made it (D51). The conditional write settles races. */
async function decide(
  database: Database,
  { loadConfig, clock: machine, writeError, values }: Call,
  name: string,
  decision: (typeof DECISIONS)[number],
  reference: string | undefined,
): Promise<Report> {
  const { databaseUrl } = loadConfig('DATABASE_URL');
  const log = buildLog({ logLevel: 'info', databaseUrl }, { write: writeError });
  const { clock, stop } = await startDatabaseClock(database, machine, log);
  await stop();
  const now = clock.now();
  const [store, fulfilments] = [new PaymentStore(database), new FulfilmentStore(database)];
  const who = typeof values.by === 'string' ? values.by : findWho();
  const write = {
    accept: (one: string) => store.accept({ reference: one, who, now }),
    refuse: (one: string) => store.refuse({ reference: one, who, now }),
    redrive: (one: string) => fulfilments.redrive({ reference: one, who, now }),
    close: (one: string) =>
      fulfilments.close({ reference: one, who, reason: `${values.reason}`, now }),
  };
  const decideOne = async (one: string) => {
    const isWritten = await write[decision](one);
    const { reason } = values;
    if (isWritten)
      log.info({ reference: one, decision, who, reason, database: name }, 'manual decision');
    return isWritten;
  };
  if (reference === undefined) {
    const redriven: string[] = [];
    for (const state of ['parked', 'waiting'] as const)
      for (const one of await selectUnfulfilled(database.db, state).execute())
        if (await decideOne(one.reference)) redriven.push(one.reference);
    const text = `Redriven: ${redriven.length}. ${redriven.length ? DECIDED.redrive : ''}`.trim();
    return { json: { decision, redriven }, text };
  }
  if (!(await decideOne(reference))) {
    await show(database, reference); // fails if there is no such payment
    throw new UsageError(
      `Nothing was changed: ${NEEDED[decision]}. To see its state: npx --no -- service-pay orders show ${printable(reference)}`,
    );
  }
  const { json, text } = await show(database, reference);
  const story =
    decision === 'redrive'
      ? `To see whether it worked: npx --no -- service-pay orders show ${reference}`
      : text;
  return { json: { decision, ...json }, text: `${DECIDED[decision]}\n\n${story}` };
}

function findWho(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
