import { COLLECTION_STATUSES } from '@service-pay/contract/collection';
import { CHANNELS } from '@service-pay/contract/payment-request';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import * as v from 'valibot';
import type { Scenarios } from '../faults/scenarios.ts';
import { ApiError } from '../http/api-error.ts';
import { noteAbout } from '../http/request-history.ts';
import { bearerTokenOf, envelope, parseInput } from '../http/responses.ts';
import type { Merchant, Merchants } from '../payments/merchants.ts';
import type { CollectionStore } from '../payments/store.ts';

export const PER_PAGE = 100;

const dateTimeSchema = v.pipe(
  v.string(),
  v.regex(
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/,
    'must be an ISO 8601 time, such as 2026-03-12T07:06:11Z',
  ),
  v.check(isRealTime, 'must be a time that exists'),
);

export const pageSchema = v.pipe(
  v.string(),
  v.regex(/^[1-9][0-9]{0,14}$/, 'must be a whole number above 0'),
);

const listQuerySchema = v.object({
  page: v.optional(pageSchema),
  status: v.optional(v.picklist(COLLECTION_STATUSES)),
  type: v.optional(v.picklist(CHANNELS)),
  from: v.optional(dateTimeSchema),
  to: v.optional(dateTimeSchema),
});

export interface MerchantApiDeps {
  store: CollectionStore;
  merchants: Merchants;
  scenarios: Scenarios;
}

/**
 * Serves the merchant API (specification 4.2, D39) at `/access/v2`: verify by reference, by id, and
 * the list.
 */
export function buildMerchantApi({ store, merchants, scenarios }: MerchantApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(authenticate(merchants));

  router.get('/collections/status/:reference', async (req: Request<{ reference: string }>, res) => {
    const reference = parseInput(v.object({ reference: referenceSchema }), req.params).reference;
    const merchant = merchantOf(res).publicKey;
    const collection = store.findCollection({ merchant, reference });
    noteAbout(res, { merchant, reference, ...(collection && { said: collection.status }) });
    if (!collection) throw new ApiError('not_found', 'No collection has this reference.');
    await scenarios.respond(merchant, collection, req, res);
  });

  router.get('/collections/:id', async (req: Request<{ id: string }>, res) => {
    const merchant = merchantOf(res).publicKey;
    const collection = store.findCollectionById({ merchant, id: req.params.id });
    if (!collection) throw new ApiError('not_found', 'No collection has this id.');
    noteAbout(res, { merchant, reference: collection.reference, said: collection.status });
    await scenarios.respond(merchant, collection, req, res);
  });

  router.get('/collections', (req, res) => {
    const { page = '1', from, to, ...wanted } = parseInput(listQuerySchema, req.query);
    const filter = { ...wanted, from: timeOf(from), to: timeOf(to) };
    if ((filter.from ?? -Infinity) > (filter.to ?? Infinity))
      throw new ApiError('invalid', 'from must not be later than to.');
    const currentPage = Number(page);
    const merchant = merchantOf(res).publicKey;
    const { total, found } = store.listCollections(
      { ...filter, merchant },
      { start: (currentPage - 1) * PER_PAGE, count: PER_PAGE },
    );
    const meta = { total, perPage: PER_PAGE, currentPage, pageCount: Math.ceil(total / PER_PAGE) };
    const collections = found.map(({ collection }) => collection);
    res.json(envelope(collections, '', meta));
  });

  return router;
}

/**
 * Finds the merchant of an API token (specification 5). Rejects with 401·09; the message says
 * whether the token was missing, unknown or a public key (D49).
 */
function authenticate(merchants: Merchants): RequestHandler {
  return (req, res, next) => {
    const token = bearerTokenOf(req);
    if (token === undefined)
      throw new ApiError(
        'token_rejected',
        'The API token is missing. Send it in one header: Authorization: Bearer <API token>.',
      );
    const merchant = merchants.findByToken(token);
    if (!merchant) {
      const isPublicKey = token.startsWith('pub_') || merchants.find(token) !== undefined;
      throw new ApiError(
        'token_rejected',
        isPublicKey
          ? 'This is a public key, which belongs in your page. Send your secret API token instead: Authorization: Bearer <API token>.'
          : "This service does not know this API token. Check that the token and the service's address belong to the same environment.",
      );
    }
    res.locals['merchant'] = merchant;
    noteAbout(res, { merchant: merchant.publicKey });
    next();
  };
}

function merchantOf(res: Response): Merchant {
  return res.locals['merchant'] as Merchant;
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** `Date.parse` reads 30 February as 2 March. */
function isRealTime(text: string): boolean {
  const day = text.slice(0, 10);
  return !Number.isNaN(Date.parse(text)) && new Date(day).toISOString().startsWith(day);
}
