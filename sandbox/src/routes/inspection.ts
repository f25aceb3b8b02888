import type { Collection } from '@service-pay/contract/collection';
import { Router } from 'express';
import * as v from 'valibot';
import type {
  AttemptView,
  ClockView,
  CollectionRow,
  CollectionStory,
  MerchantView,
} from '../control/outputs.ts';
import { ApiError } from '../http/api-error.ts';
import { envelope, parseInput } from '../http/responses.ts';
import type { EventStreams } from '../http/sse.ts';
import type { Merchants } from '../payments/merchants.ts';
import type { Session } from '../payments/session.ts';
import { attemptsLeft } from '../payments/session-life.ts';
import type { CollectionStore } from '../payments/store.ts';
import { showInstrument } from '../payments/story.ts';
import type { History } from '../storage/history.ts';
import type { Clock } from '../time/clock.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { addControlRoute } from './control-routes.ts';
import { pageSchema } from './merchant.ts';

export interface InspectionApiDeps {
  clock: Clock;
  store: CollectionStore;
  merchants: Merchants;
  webhooks: WebhookSender;
  history: History;
  events: EventStreams;
}

const ROWS_PER_PAGE = 50;

const filterSchema = v.optional(
  v.pipe(v.string(), v.maxLength(128, 'must be at most 128 characters')),
);
const searchSchema = v.strictObject({
  search: filterSchema,
  status: filterSchema,
  type: filterSchema,
  merchant: filterSchema,
  page: v.optional(pageSchema, '1'),
});

export function buildInspectionApi({
  clock,
  store,
  merchants,
  webhooks,
  history,
  events,
}: InspectionApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  addControlRoute(router, 'collections', ({ req, res }) => {
    const { page, search, status, type, merchant } = parseInput(searchSchema, req.query);
    const currentPage = Number(page);
    const wanted = {
      search: search?.trim() || undefined,
      status: status || undefined,
      type: type || undefined,
      merchant: merchant || undefined,
    };
    const { total, found } = store.listCollections(wanted, {
      start: (currentPage - 1) * ROWS_PER_PAGE,
      count: ROWS_PER_PAGE,
    });
    res.json(
      envelope(found.map(viewRow), '', {
        total,
        perPage: ROWS_PER_PAGE,
        currentPage,
        pageCount: Math.ceil(total / ROWS_PER_PAGE),
      }),
    );
  });

  addControlRoute(router, 'collection', ({ params, res }) => {
    const merchant = params['merchant']!;
    const name = { merchant, reference: params['reference']! };
    const session = store.findSession(name);
    if (!session)
      throw new ApiError('not_found', 'This merchant has no payment with this reference.');
    res.json(
      envelope<CollectionStory>({
        merchant,
        merchantName: nameOf(merchant),
        collection: session.collection,
        session: viewSession(session),
        attempts: viewAttempts(session),
        story: history.storyOf(name),
        deliveries: webhooks.listOf(name),
      }),
    );
  });

  addControlRoute(router, 'events', ({ req, res }) => events.respond(req, res));

  addControlRoute(router, 'clock', ({ res }) => {
    const nextDueAt = clock.nextDueAt();
    res.json(
      envelope<ClockView>({
        mode: clock.mode,
        now: clock.timestamp(),
        nextDueAt: nextDueAt === null ? null : clock.timestamp(nextDueAt),
      }),
    );
  });

  addControlRoute(router, 'merchants', ({ res }) => {
    res.json(envelope<MerchantView[]>(merchants.list().map(({ apiToken: _, ...shown }) => shown)));
  });

  return router;

  function nameOf(merchant: string): string {
    return merchants.get(merchant).name;
  }

  function viewRow({
    merchant,
    collection,
  }: {
    merchant: string;
    collection: Collection;
  }): CollectionRow {
    const {
      reference,
      id,
      amount,
      currency,
      type,
      status,
      initiatedAt,
      completedAt,
      reasonForFailure,
    } = collection;
    return {
      merchant,
      merchantName: nameOf(merchant),
      reference,
      id,
      amount,
      currency,
      type,
      status,
      initiatedAt,
      completedAt,
      reasonForFailure,
      instrument: showInstrument(collection),
    };
  }

  function viewSession({
    life,
    amount,
    currency,
    expiresAt,
    email,
  }: Session): CollectionStory['session'] {
    return {
      status: life.session,
      amount,
      currency,
      expiresAt: clock.timestamp(expiresAt),
      attemptsLeft: attemptsLeft(life),
      email,
    };
  }

  function viewAttempts({ life, attempts }: Session): AttemptView[] {
    return life.attempts.map(({ id, status, reasonForFailure }, at) => {
      const { channel, expiresAt, ...instrument } = attempts[at]!;
      return {
        id,
        channel,
        status,
        reasonForFailure,
        instrument: showInstrument(instrument),
        expiresAt: expiresAt === null ? null : clock.timestamp(expiresAt),
      };
    });
  }
}
