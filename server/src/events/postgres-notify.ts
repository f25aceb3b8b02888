import pg from 'pg';
import type { Database } from '../database/open.ts';
import type { PaymentState } from '../database/schema.ts';
import type { Log } from '../observe/log.ts';
import type { ShopStore } from '../payments/store.ts';
import { type Clock, realClock, repeat } from '../support/clock.ts';
import type { PaymentFeed } from './bus.ts';

const CHANNEL = 'service_pay_payment';
const CONNECT_AGAIN_MS = 1_000;

/** How long a server that may have frozen has to end its side of a connection. */
const END_WITHIN_MS = 1_000;

/**
 * How often watched payments are read all the same: a notice may be lost with its connection, and a
 * file gives none.
 */
const READ_EVERY_MS = 3_000;

export interface PaymentNoticesDeps {
  feed: PaymentFeed;
  store: Pick<ShopStore, 'findStates'>;
  database: Pick<Database, 'pool'>;
  clock: Clock;
  log: Log;
}

/**
 * Lets a feed know what other processes on the same database moved: on PostgreSQL by notices, at
 * once, and on either kind by reading what is watched every three seconds (T111). Runs until
 * `stop`.
 */
export function startPaymentNotices({ feed, store, database, clock, log }: PaymentNoticesDeps): {
  stop(): Promise<void>;
} {
  const states = new Map<string, PaymentState>();
  const stopReading = repeat(clock, READ_EVERY_MS, () =>
    readWatched().catch((err: unknown) => log.warn({ err }, 'watched payments could not be read')),
  );
  const { pool } = database;
  const stopSending = pool && feed.watchAll(buildSender(pool, log));
  const stopListening =
    pool && startListening(pool, (reference) => feed.hear(reference), clock, log);
  return {
    async stop() {
      stopReading();
      stopSending?.();
      await stopListening?.();
    },
  };

  async function readWatched(): Promise<void> {
    const watched = feed.watched;
    const found = watched.length ? await store.findStates(watched) : [];
    const before = new Map(states);
    states.clear();
    for (const { reference, state } of found) {
      states.set(reference, state);
      if (before.get(reference) !== state) feed.hear(reference);
    }
  }
}

/**
 * Gives a function that tells the other instances. What moves while a notice is on its way goes
 * together in the next.
 */
function buildSender(pool: pg.Pool, log: Log): (reference: string) => void {
  const waiting = new Set<string>();
  let isSending = false;
  return (reference) => {
    waiting.add(reference);
    if (!isSending) void send();
  };

  async function send(): Promise<void> {
    isSending = true;
    while (waiting.size) {
      const references = [...waiting];
      waiting.clear();
      try {
        await pool.query('select pg_notify($1, reference) from unnest($2::text[]) as reference', [
          CHANNEL,
          references,
        ]);
      } catch (err) {
        log.debug({ err }, 'notice not sent: other instances read it themselves');
      }
    }
    isSending = false;
  }
}

/**
 * Listens on a connection of its own, and on a new one where that is lost, until the function it
 * gives is called.
 */
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
      log.warn({ err }, 'notices of other instances cannot be heard: they are read instead');
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
