import pg from 'pg';
import type { Database } from '../database/open.ts';
import type { PaymentState } from '../database/schema.ts';
import type { Log } from '../observe/log.ts';
import type { ShopStore } from '../payments/store.ts';
import { type Clock, realClock, repeat } from '../support/clock.ts';
import type { PaymentFeed } from './bus.ts';

const CHANNEL = 'service_pay_payment';
const CONNECT_AGAIN_MS = 1_000;

const END_WITHIN_MS = 1_000;

/** The pause between reads of what is watched: a notice may be lost, and a file gives none. */
const READ_EVERY_MS = 3_000;

export interface PaymentNoticesDeps {
  feed: PaymentFeed;
  store: Pick<ShopStore, 'findStates'>;
  database: Pick<Database, 'pool'>;
  clock: Clock;
  log: Log;
}

/**
 * Reports to a feed what other processes on the same database moved: on PostgreSQL by notices, at
 * once, and on either kind by reading what is watched every three seconds (T111). Runs until `stop`.
 */
export function startPaymentNotices({ feed, store, database, clock, log }: PaymentNoticesDeps): {
  stop(): Promise<void>;
} {
  const { pool } = database;
  const stopReading = startReading(feed, store, clock, log);
  const stopSending = pool && feed.watchAll((reference) => void send(pool, reference, log));
  const stopListening =
    pool && startListening(pool, (reference) => feed.hear(reference), clock, log);
  return {
    async stop() {
      stopReading();
      stopSending?.();
      await stopListening?.();
    },
  };
}

function startReading(
  feed: PaymentFeed,
  store: Pick<ShopStore, 'findStates'>,
  clock: Clock,
  log: Log,
): () => void {
  let before = new Map<string, PaymentState>();
  return repeat(clock, READ_EVERY_MS, async () => {
    try {
      const found = await store.findStates(feed.watched);
      const states = new Map(found.map(({ reference, state }) => [reference, state]));
      const moved = found.filter(({ reference, state }) => before.get(reference) !== state);
      before = states;
      for (const { reference } of moved) feed.hear(reference);
    } catch (err) {
      log.warn({ err }, 'watched payments could not be read');
    }
  });
}

async function send(pool: pg.Pool, reference: string, log: Log): Promise<void> {
  try {
    await pool.query('select pg_notify($1, $2)', [CHANNEL, reference]);
  } catch (err) {
    log.debug({ err }, 'notice not sent: other instances read instead');
  }
}

function startListening(
  pool: pg.Pool,
  hear: (reference: string) => void,
  clock: Clock,
  log: Log,
): () => Promise<void> {
  let client: pg.Client | undefined;
  let isStopped = false;
  let cancel = () => {};
  let connecting = connect();
  return async () => {
    isStopped = true;
    cancel();
    const giveUp = realClock.after(END_WITHIN_MS, () => client?.connection.stream.destroy());
    await connecting;
    await client?.end().catch(() => {});
    giveUp();
  };

  async function connect(): Promise<void> {
    const lost = Promise.withResolvers<void>();
    void lost.promise.then(connectAgain);
    try {
      const own = new pg.Client(pool.options);
      client = own;
      own.on('error', () => lost.resolve());
      own.on('end', () => lost.resolve());
      own.on('notification', ({ payload }) => payload && hear(payload));
      await own.connect();
      await own.query(`listen ${CHANNEL}`);
    } catch (err) {
      log.warn(
        { err },
        'cannot listen for notices of other instances, reading the database instead',
      );
      lost.resolve();
    }
  }

  function connectAgain(): void {
    if (isStopped) return;
    void client?.end().catch(() => {});
    cancel = clock.after(CONNECT_AGAIN_MS, () => {
      connecting = connect();
    });
  }
}
