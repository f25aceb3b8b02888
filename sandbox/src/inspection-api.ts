import type { Collection } from '@service-pay/contract/collection';
import { type Request, Router } from 'express';
import * as v from 'valibot';

import { ApiError, envelope, parseInput } from './api-answers.ts';
import type { Clock, ClockMode } from './clock.ts';
import { attemptsLeft, type SessionStatus } from './collection-life.ts';
import type { CollectionStore, Session } from './collection-store.ts';
import type { EventStreams } from './event-stream.ts';
import type { Happening, History } from './history.ts';
import { pageSchema } from './merchant-api.ts';
import type { Merchant, Merchants } from './merchants.ts';
import { showInstrument } from './payment-story.ts';
import type { Delivery, WebhookSender } from './webhook-sender.ts';

/** What the reading half of the control API is made of. */
export interface InspectionApiDeps {
  clock: Clock;
  store: CollectionStore;
  merchants: Merchants;
  webhooks: WebhookSender;
  history: History;
  events: EventStreams;
}

/** One collection in a list of every merchant's. `instrument` is a national phone number, or the brand and end of a card. */
export interface CollectionRow
  extends Pick<
    Collection,
    'reference' | 'id' | 'amount' | 'currency' | 'type' | 'status' | 'initiatedAt' | 'completedAt' | 'reasonForFailure'
  > {
  merchant: string;
  merchantName: string;
  instrument: string | null;
}

/** Everything the sandbox knows of one reference. `collection` is null before the first attempt (D35); `story` is what is kept of it. */
export interface CollectionStory {
  merchant: string;
  merchantName: string;
  collection: Collection | null;
  session: { status: SessionStatus; amount: string; currency: string; expiresAt: string; attemptsLeft: number };
  attempts: AttemptView[];
  story: Happening[];
  deliveries: Delivery[];
}

/** One attempt as its story shows it. `expiresAt` is when what it waits for gives up by itself. */
export interface AttemptView {
  id: string;
  channel: string;
  status: string;
  reasonForFailure: string | null;
  instrument: string | null;
  expiresAt: string | null;
}

/** Where a clock stands. `nextDueAt` is when something happens next by itself. */
export interface ClockView {
  mode: ClockMode;
  now: string;
  nextDueAt: string | null;
}

/** A merchant without its secret. */
export type MerchantView = Omit<Merchant, 'apiToken'>;

/** Collections on one page of the search. */
const ROWS_PER_PAGE = 50;

const filterSchema = v.optional(v.pipe(v.string(), v.maxLength(128, 'must be at most 128 characters')));
const searchSchema = v.strictObject({
  search: filterSchema,
  status: filterSchema,
  type: filterSchema,
  merchant: filterSchema,
  page: v.optional(pageSchema, '1'),
});

/** What the sandbox tells of itself, under `/_sandbox`: collections and their stories, events as they happen, clock and merchants. Changes nothing. */
export function buildInspectionApi({ clock, store, merchants, webhooks, history, events }: InspectionApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/collections', (req, res) => {
    const { page, search, status, type, merchant } = parseInput(searchSchema, req.query);
    const currentPage = Number(page);
    const wanted = {
      search: search?.trim() || undefined,
      status: status || undefined,
      type: type || undefined,
      merchant: merchant || undefined,
    };
    const { total, found } = store.listCollections(wanted, (currentPage - 1) * ROWS_PER_PAGE, ROWS_PER_PAGE);
    res.json(envelope(found.map(viewRow), { total, perPage: ROWS_PER_PAGE, currentPage, pageCount: Math.ceil(total / ROWS_PER_PAGE) }));
  });

  router.get('/collections/:merchant/:reference', (req: Request<{ merchant: string; reference: string }>, res) => {
    const { merchant, reference } = req.params;
    const session = store.findSession(merchant, reference);
    if (!session) throw new ApiError('not_found', 'This merchant has no payment with this reference.');
    res.json(
      envelope<CollectionStory>({
        merchant,
        merchantName: nameOf(merchant),
        collection: session.collection,
        session: viewSession(session),
        attempts: viewAttempts(session),
        story: history.storyOf(merchant, reference),
        deliveries: webhooks.listOf(merchant, reference),
      }),
    );
  });

  router.get('/events', events.answer);

  router.get('/clock', (_req, res) => {
    const nextDueAt = clock.nextDueAt();
    res.json(
      envelope<ClockView>({
        mode: clock.mode,
        now: clock.timestamp(),
        nextDueAt: nextDueAt === null ? null : clock.timestamp(nextDueAt),
      }),
    );
  });

  router.get('/merchants', (_req, res) => {
    res.json(envelope<MerchantView[]>(merchants.list().map(({ apiToken: _, ...shown }) => shown)));
  });

  return router;

  function nameOf(merchant: string): string {
    return merchants.find(merchant)?.name ?? merchant;
  }

  function viewRow({ merchant, collection }: { merchant: string; collection: Collection }): CollectionRow {
    const { reference, id, amount, currency, type, status, initiatedAt, completedAt, reasonForFailure } = collection;
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

  function viewSession({ life, amount, currency, expiresAt }: Session): CollectionStory['session'] {
    return { status: life.session, amount, currency, expiresAt: clock.timestamp(expiresAt), attemptsLeft: attemptsLeft(life) };
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
