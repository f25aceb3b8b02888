import { isFinalStatus } from '@service-pay/contract/collection';
import { WEBHOOK_RETRY } from '@service-pay/contract/webhook';
import { Router } from 'express';
import type { ClockState, Handset } from '../control/outputs.ts';
import { ApiError } from '../http/api-error.ts';
import { readJsonBody } from '../http/json-body.ts';
import { withoutUndefined } from '../http/object-members.ts';
import { envelope } from '../http/responses.ts';
import { isPublicKey, type MerchantSettings } from '../payments/merchant-settings.ts';
import type { Payments } from '../payments/payments.ts';
import { placeCollection } from '../payments/place-collection.ts';
import type { Answer } from '../payments/session.ts';
import type { CollectionStore } from '../payments/store.ts';
import type { Happening } from '../storage/history.ts';
import { ONE_TIME_CODE } from '../test-numbers/outcomes.ts';
import type { Clock } from '../time/clock.ts';
import { isAllowedWebhookUrl } from '../webhooks/url.ts';
import { buildFaultApi, type FaultApiDeps } from './control-faults.ts';
import { addControlRoute } from './control-routes.ts';
import { buildPayApi } from './pay.ts';

export interface ControlApiDeps extends FaultApiDeps {
  clock: Clock;
  store: CollectionStore;
  payments: Payments;
}

/** The clock stops here, so that everything planned from then on still has a four-digit year. */
const LATEST = Date.UTC(9000, 0);

/**
 * The time an advance waits for webhooks in flight before it assumes that a webhook receiver called
 * it (T58).
 */
const NESTED_AFTER_MS = 1_000;

type Whose = Pick<Happening, 'merchant' | 'reference'>;
const NOBODYS: Whose = { merchant: null, reference: null };

export function buildControlApi(deps: ControlApiDeps): Router {
  const { clock, store, merchants, payments, webhooks, faults, scenarios, history, webhookHosts } =
    deps;
  const router = Router({ caseSensitive: true, strict: true });
  router.use(...readJsonBody);
  router.use(buildPayApi(deps));
  router.use(buildFaultApi(deps));

  addControlRoute(router, 'reset', ({ res }) => {
    clock.reset();
    webhooks.reset();
    store.reset();
    merchants.reset();
    faults.set({});
    scenarios.reset();
    history.reset();
    res.json(envelope({}));
  });

  addControlRoute(router, 'putCollection', ({ body: placed, res }) => {
    if (placed.notify && !isFinalStatus(placed.status)) {
      throw new ApiError(
        'invalid',
        'notify needs the status successful or failed: other states have no event.',
      );
    }
    const { merchant, collection } = placeCollection({ clock, store, merchants }, placed);
    if (placed.notify)
      webhooks.notify(
        merchant,
        collection.status === 'failed' ? 'collection.failed' : 'collection.successful',
        collection,
      );
    const { reference, status, amount, currency } = collection;
    record(
      `A control call placed a collection: ${amount} ${currency}, ${status}.`,
      { status, amount, currency },
      { merchant, reference },
    );
    res.status(201).json(envelope(collection));
  });

  addControlRoute(router, 'setClock', async ({ body: { mode, now }, res }) => {
    const at = now === undefined ? undefined : Date.parse(now);
    if (mode === 'real' && at !== undefined)
      throw new ApiError(
        'invalid',
        'now works only with a virtual clock: a real one follows real time.',
      );
    rejectTooFar(at ?? 0);
    const isMoved = await move(async () => {
      if (mode === 'real') await clock.makeReal();
      else if (!(await clock.makeVirtual(at)))
        throw new ApiError(
          'invalid',
          "now must not be before the clock's time. Only a reset moves time back.",
        );
    });
    if (isMoved)
      record(
        mode === 'real'
          ? 'A control call switched the clock to real time.'
          : `A control call stopped the clock at ${clock.timestamp()}.`,
        { ...viewClock() },
      );
    res.json(envelope(viewClock()));
  });

  addControlRoute(router, 'advance', async ({ body: { seconds }, res }) => {
    const ms = Math.round(seconds * 1000);
    rejectTooFar(clock.now() + ms);
    if (await move(() => clock.advance(ms)))
      record(`A control call advanced the clock by ${seconds} s.`, { seconds, ...viewClock() });
    res.json(envelope(viewClock()));
  });

  addControlRoute(router, 'phone', ({ params, res }) => {
    const phone = payments.requirePhone(params['number']!);
    const out: Handset['out'] = payments.listPrompts(phone).map(({ session, attempt, status }) => ({
      kind: status === 'pay-offline' ? 'prompt' : 'one-time-code',
      merchant: session.merchant,
      reference: session.reference,
      merchantName: merchants.get(session.merchant).name,
      total: session.charge.total,
      currency: session.currency,
      expiresAt: attempt.expiresAt === null ? null : clock.timestamp(attempt.expiresAt),
      code: status === 'otp-required' ? ONE_TIME_CODE.right : null,
    }));
    const { name: networkName, country } = phone.network;
    res.json(
      envelope<Handset>({
        number: phone.national,
        networkName,
        country,
        mode: clock.mode,
        now: clock.timestamp(),
        out,
      }),
    );
  });

  for (const answer of ['approve', 'decline'] as const satisfies readonly Answer[]) {
    addControlRoute(router, answer, ({ body: chosen, params, res }) => {
      res.json(envelope({ reference: payments.answerPrompt(params['number']!, answer, chosen) }));
    });
  }

  addControlRoute(router, 'putMerchant', ({ body: settings, params, res }) => {
    const publicKey = params['publicKey']!;
    if (!isPublicKey(publicKey))
      throw new ApiError(
        'invalid',
        'The public key must be 1 to 128 visible ASCII characters and not a secret.',
      );
    if (
      typeof settings.webhookUrl === 'string' &&
      !isAllowedWebhookUrl(settings.webhookUrl, webhookHosts)
    ) {
      throw new ApiError(
        'invalid',
        'webhookUrl must be http(s) without a user name, on this machine or on a host that the sandbox was started with.',
      );
    }
    const merchant = merchants.put(
      publicKey,
      withoutUndefined(settings) as Partial<MerchantSettings>,
    );
    if (!merchant)
      throw new ApiError(
        'invalid',
        'A new merchant needs an apiToken, and no other merchant may have the same one.',
      );
    const { apiToken: _, ...shown } = merchant;
    record(
      `A control call set the merchant ${merchant.name}.`,
      { set: Object.keys(settings) },
      { merchant: publicKey, reference: null },
    );
    res.json(envelope(shown));
  });

  return router;

  function rejectTooFar(at: number): void {
    if (at >= LATEST)
      throw new ApiError(
        'invalid',
        `The clock cannot pass the year ${new Date(LATEST).getUTCFullYear()}. Reset it.`,
      );
  }

  function record(summary: string, detail: Happening['detail'], about: Whose = NOBODYS): void {
    history.record({ kind: 'control', ...about, summary, detail });
  }

  function viewClock(): ClockState {
    return { mode: clock.mode, now: clock.timestamp() };
  }

  /** Moves the clock when its turn comes; returns false if a reset cancelled that. */
  async function move(moving: () => Promise<void>): Promise<boolean> {
    const { resets } = clock;
    await rejectNested();
    if (resets === clock.resets) await moving();
    return resets === clock.resets;
  }

  /**
   * Rejects an advance called from a webhook receiver, because it would wait for the webhook that
   * called it. Webhooks sent earlier get a response or time out first.
   */
  async function rejectNested(): Promise<void> {
    if (await webhooks.isQuietWithin(NESTED_AFTER_MS)) return;
    if (clock.isAdvancing) {
      throw new ApiError(
        'invalid',
        'The clock is advancing and waits for the response to a webhook. Advance it from outside the receiver, or wait for the other advance.',
      );
    }
    await webhooks.isQuietWithin(WEBHOOK_RETRY.respondWithinMs);
  }
}
