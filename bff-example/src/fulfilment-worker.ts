import { randomUUID } from 'node:crypto';

import { type Clock, repeat } from './clock.ts';
import { type Failpoint, noFailpoint } from './failpoint.ts';
import type { Fulfil } from './fulfil.ts';
import type { FulfilmentStore } from './fulfilment-store.ts';
import type { Log } from './log.ts';
import type { ClaimedFulfilment } from './order.ts';
import type { PaymentFeed } from './payment-feed.ts';
import type { ShopStore } from './shop-store.ts';

const LOOK_EVERY_MS = 1_000;
const MOST_AT_ONCE = 32;
const MOST_ATTEMPTS = 10;
const LONGEST_CALL_MS = 60_000;

/** A holder renews well before its lease ends; a dead one's row is free again after it. */
const LEASE_MS = 3_000;
const RENEW_EVERY_MS = 1_000;

/** What calls under way get to end in when the shop stops. */
const STOP_WITHIN_MS = 5_000;

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60 * 60_000;

export interface FulfilmentWorkerDeps {
  store: ShopStore;
  fulfilments: FulfilmentStore;
  feed: PaymentFeed;
  fulfil: Fulfil;
  clock: Clock;
  log: Log;
  failpoint?: Failpoint;
}

/**
 * Hands every paid order to the merchant's function until it succeeds, one call at a time for each while its holder lives;
 * after ten failures the order is parked and an alert logged. Runs until `stop`, which waits for calls under way.
 */
export function startFulfilmentWorker({ store, fulfilments, feed, fulfil, clock, log, failpoint = noFailpoint }: FulfilmentWorkerDeps): {
  stop(): Promise<void>;
} {
  const owner = randomUUID();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let isStopping = false;
  let claiming: Promise<void> | undefined;
  /** Something was paid, or a claim was cut short, since the last claim began. */
  let mayBeMore = false;

  const stops = [feed.watchAll(() => void look()), repeat(clock, LOOK_EVERY_MS, look)];
  return {
    async stop() {
      for (const stop of stops) stop();
      isStopping = true;
      await claiming;
      const stopWaiting = clock.after(STOP_WITHIN_MS, () => stopping.abort(new Error('The shop stops.')));
      await Promise.all(running);
      stopWaiting();
    },
  };

  function look(): Promise<void> {
    mayBeMore = true;
    claiming ??= claimAll().finally(() => {
      claiming = undefined;
      if (mayClaim()) void look();
    });
    return claiming;
  }

  function mayClaim(): boolean {
    return mayBeMore && running.size < MOST_AT_ONCE && !isStopping;
  }

  async function claimAll(): Promise<void> {
    try {
      while (mayClaim()) {
        mayBeMore = false;
        const free = MOST_AT_ONCE - running.size;
        const claimed = await fulfilments.claim(owner, clock.now(), LEASE_MS, free);
        for (const one of claimed) start(one);
        if (claimed.length === free) mayBeMore = true;
      }
    } catch (err) {
      log.error({ err }, 'fulfilment worker could not read what is due');
    }
  }

  function start(claimed: ClaimedFulfilment): void {
    const run = handOver(claimed)
      .catch((err: unknown) => log.error({ err, reference: claimed.reference }, 'fulfilment could not be written down'))
      .finally(() => {
        running.delete(run);
        if (mayClaim()) void look();
      });
    running.add(run);
  }

  async function handOver(claimed: ClaimedFulfilment): Promise<void> {
    const { reference, attempts } = claimed;
    if (attempts > MOST_ATTEMPTS) return park(claimed, undefined);
    const tooLong = new AbortController();
    const stopRenewing = repeat(clock, RENEW_EVERY_MS, async () => {
      await fulfilments
        .renew(claimed, owner, clock.now() + LEASE_MS)
        .catch((err: unknown) => log.warn({ err, reference }, 'lease not renewed'));
    });
    const stopWaiting = clock.after(LONGEST_CALL_MS, () => tooLong.abort(new Error('The call took longer than a minute.')));
    try {
      await call(claimed, AbortSignal.any([tooLong.signal, stopping.signal]));
      await failpoint('after-fulfil');
      if (!(await fulfilments.finish(claimed, owner))) log.warn({ reference }, 'order handed over, but somebody else had taken it over');
    } catch (err) {
      if (stopping.signal.aborted) await fulfilments.postpone(claimed, owner, clock.now());
      else if (attempts >= MOST_ATTEMPTS) await park(claimed, err);
      else {
        log.warn({ err, reference, attempts }, 'order not handed over: tried again');
        await fulfilments.postpone(claimed, owner, clock.now() + Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS));
      }
    } finally {
      stopRenewing();
      stopWaiting();
    }
  }

  /** The merchant's function, given up on where it does not end in time. */
  async function call({ orderId, reference }: ClaimedFulfilment, signal: AbortSignal): Promise<void> {
    const order = await store.findOrder(orderId);
    if (!order) throw new Error('The order of a fulfilment is gone.');
    const givenUp = Promise.withResolvers<never>();
    const giveUp = () => givenUp.reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    await Promise.race([fulfil({ ...order, reference }, { signal, log }), givenUp.promise]).finally(() =>
      signal.removeEventListener('abort', giveUp),
    );
  }

  async function park(claimed: ClaimedFulfilment, err: unknown): Promise<void> {
    await fulfilments.park(claimed, owner);
    log.error({ err, reference: claimed.reference }, 'order not handed over after ten attempts: parked until a person redrives it');
  }
}
