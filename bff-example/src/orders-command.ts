import { parseArgs } from 'node:util';

import { realClock } from './clock.ts';
import { ConfigError, loadConfig } from './config.ts';
import { openDatabase } from './database.ts';
import { FulfilmentStore } from './fulfilment-store.ts';
import { buildLog } from './log.ts';
import { ShopStore } from './shop-store.ts';
import type { PaymentState } from './tables.ts';

const STATES: readonly string[] = ['awaiting-payment', 'paid', 'failed', 'expired', 'needs-review', 'refused'] satisfies PaymentState[];
const MOST_LISTED = 200;
const USAGE = `Usage: npm run orders -- <state> | accept <reference> | refuse <reference> | redrive <reference>\nStates: ${STATES.join(', ')}`;

const { positionals } = parseArgs({ allowPositionals: true });
try {
  process.exitCode = await run(positionals[0], positionals[1]);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}

/** Lists payments in a state, or writes down what a person decided about one (D51). */
async function run(word = '', reference = ''): Promise<number> {
  const isList = STATES.includes(word) && !reference;
  if (!isList && !(['accept', 'refuse', 'redrive'].includes(word) && reference)) return say(USAGE, 1);
  const config = loadConfig();
  const database = await openDatabase(config.databaseUrl);
  const store = new ShopStore(database);
  const now = realClock.now();
  try {
    if (isList) {
      for (const payment of await store.findPaymentsIn(word as PaymentState, MOST_LISTED)) {
        const { amount, currency, createdAt, reviewReason } = payment;
        say([payment.reference, currency, amount, new Date(createdAt).toISOString(), reviewReason].filter(Boolean).join('\t'), 0);
      }
      return 0;
    }
    const done =
      word === 'accept'
        ? await store.accept(reference, now)
        : word === 'refuse'
          ? await store.move(reference, ['needs-review'], 'refused', now)
          : await new FulfilmentStore(database).redrive(reference, now);
    if (!done) return say(word === 'redrive' ? 'No parked order has that reference.' : 'No payment in needs-review has that reference.', 1);
    buildLog(config).info({ reference, decision: word }, 'a person decided');
    return 0;
  } finally {
    await database.close();
  }
}

function say(text: string, exitCode: number): number {
  (exitCode ? console.error : console.log)(text);
  return exitCode;
}
