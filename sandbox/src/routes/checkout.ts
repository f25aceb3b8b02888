import {
  CHECKOUT_PATHS,
  createAttemptSchema,
  createSessionSchema,
  oneTimeCodeSchema,
  type Session,
} from '@service-pay/contract/checkout-api';
import { type Request, type Response, Router } from 'express';
import * as v from 'valibot';
import { ApiError } from '../http/api-error.ts';
import { readJsonBody } from '../http/json-body.ts';
import { CHALLENGES_PATH } from '../http/paths.ts';
import { noteAbout } from '../http/request-history.ts';
import { bearerTokenOf, envelope, parseInput } from '../http/responses.ts';
import { readOneTimeCode } from '../payments/instrument.ts';
import type { Merchants } from '../payments/merchants.ts';
import type { Payments } from '../payments/payments.ts';
import type { Visit } from '../payments/session.ts';
import { respondToOpening, viewSession } from '../payments/session-view.ts';
import type { CollectionStore } from '../payments/store.ts';
import type { Clock } from '../time/clock.ts';

export interface CheckoutApiDeps {
  payments: Payments;
  store: CollectionStore;
  merchants: Merchants;
  clock: Clock;
}

/** Time for which a session's token still shows the session's end. */
const TOKEN_OUTLIVES_SESSION_MS = 60 * 60_000;

const answerSchema = v.object({ answer: v.picklist(['approve', 'decline']) });

export function buildCheckoutApi({ payments, store, merchants, clock }: CheckoutApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.post(CHECKOUT_PATHS.sessions, ...readJsonBody, (req, res) => {
    const wanted = parseInput(createSessionSchema, req.body);
    noteAbout(res, { merchant: wanted.key, reference: wanted.reference });
    const opened = payments.sessions.open(wanted, bearerTokenOf(req));
    const { status, grant } = respondToOpening(opened, merchants.get(wanted.key), clock);
    res.status(status).json(envelope(grant));
  });

  router.get(CHECKOUT_PATHS.session, (req, res) => {
    res.json(envelope(view(visitOf(req, res))));
  });

  router.post(CHECKOUT_PATHS.extension, (req, res) => {
    const visit = visitOf(req, res);
    payments.sessions.extend(visit);
    res.json(envelope(view(visit)));
  });

  router.post(CHECKOUT_PATHS.attempts, ...readJsonBody, (req, res) => {
    const visit = visitOf(req, res);
    payments.attempt(visit, parseInput(createAttemptSchema, req.body));
    res.json(envelope(view(visit)));
  });

  router.post(
    `${CHECKOUT_PATHS.attempts}/:id/one-time-code`,
    ...readJsonBody,
    (req: Request<{ id: string }>, res) => {
      const visit = visitOf(req, res);
      payments.enterCode(
        visit,
        req.params.id,
        readOneTimeCode(parseInput(oneTimeCodeSchema, req.body, 'code-invalid')),
      );
      res.json(envelope(view(visit)));
    },
  );

  router.post(`${CHECKOUT_PATHS.attempts}/:id/withdrawal`, (req: Request<{ id: string }>, res) => {
    const visit = visitOf(req, res);
    payments.withdraw(visit, req.params.id);
    res.json(envelope(view(visit)));
  });

  router.get(`${CHALLENGES_PATH}/:secret/state`, (req, res) => {
    const { session, isOpen } = payments.findChallenge(req.params.secret);
    noteAbout(res, session);
    const { name: merchantName } = merchants.get(session.merchant);
    const { currency, charge } = session;
    res.json(envelope({ merchantName, total: charge.total, currency, isOpen }));
  });

  router.post(
    `${CHALLENGES_PATH}/:secret`,
    ...readJsonBody,
    (req: Request<{ secret: string }>, res) => {
      const { answer } = parseInput(answerSchema, req.body);
      noteAbout(res, payments.findChallenge(req.params.secret).session);
      if (!payments.answerChallenge(req.params.secret, answer)) {
        throw new ApiError(
          'reference_rejected',
          'This card verification is over. Nothing changed.',
        );
      }
      res.json(envelope({ answer }));
    },
  );

  return router;

  function visitOf(req: Pick<Request, 'headersDistinct'>, res: Response): Visit {
    const token = bearerTokenOf(req);
    const visit = token === undefined ? undefined : store.visits.find(token);
    if (!visit)
      throw new ApiError(
        'token_rejected',
        'Send the token of this session in one header: Authorization: Bearer <token>.',
      );
    noteAbout(res, visit.session);
    const { endedAt } = visit.session;
    if (endedAt !== null && clock.now() > endedAt + TOKEN_OUTLIVES_SESSION_MS)
      throw new ApiError(
        'token_rejected',
        'This payment ended more than an hour ago. Open it again.',
      );
    return visit;
  }

  function view(visit: Visit): Session {
    return viewSession(visit, merchants.get(visit.session.merchant), clock);
  }
}
