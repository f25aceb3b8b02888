import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import { referenceSchema } from '@service-pay/contract/payment-request-schema';
import { type Request, Router } from 'express';
import * as v from 'valibot';
import type { Delivery } from '../control/types.ts';
import { faultSettingsSchema } from '../faults/fault-settings.ts';
import type { Faults } from '../faults/faults.ts';
import type { Scenarios } from '../faults/scenarios.ts';
import type { Happening, History } from '../history/history.ts';
import { ApiError, envelope, parseInput } from '../http/answers.ts';
import { nothingSchema } from '../http/json-body.ts';
import type { Merchants } from '../payments/merchants.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { isAllowedWebhookUrl } from '../webhooks/url.ts';

/** What these routes are made of. `webhookHosts` may be sent webhooks besides this machine. */
export interface FaultApiDeps {
  faults: Faults;
  scenarios: Scenarios;
  webhooks: WebhookSender;
  merchants: Merchants;
  history: History;
  webhookHosts: ReadonlySet<string>;
}

/** Deliveries that one call makes at most. */
const MOST_REPLAYS = 1_000;

const TIMES_RULE = 'must be a whole number from 1 to 100';
const timesSchema = v.optional(
  v.pipe(v.number(), v.integer(TIMES_RULE), v.minValue(1, TIMES_RULE), v.maxValue(100, TIMES_RULE)),
  1,
);
const urlSchema = v.optional(
  v.pipe(v.string(), v.maxLength(2048, 'must be at most 2048 characters')),
);
/** What sending one webhook again takes. */
export const replaySchema = v.optional(v.strictObject({ times: timesSchema, url: urlSchema }), {});
/** What sending webhooks again takes. */
export const replaysSchema = v.optional(
  v.strictObject({
    ids: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.maxLength(64, 'must be an id'))),
        v.maxLength(MOST_REPLAYS, `must be at most ${MOST_REPLAYS} ids`),
      ),
    ),
    reference: v.optional(referenceSchema),
    times: timesSchema,
    shuffle: v.optional(v.boolean(), false),
    url: urlSchema,
  }),
  {},
);
/** What arming a scenario takes. */
export const armSchema = v.optional(
  v.strictObject({
    merchant: v.optional(
      v.pipe(v.string(), v.regex(REQUEST_RULES.key.pattern, 'must be a public key')),
    ),
  }),
  {},
);

/**
 * The part of the control API that makes things go wrong: faults, scenarios, and webhooks sent
 * again.
 */
export function buildFaultApi({
  faults,
  scenarios,
  webhooks,
  merchants,
  history,
  webhookHosts,
}: FaultApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/faults', (_req, res) => {
    res.json(envelope(faults.settings));
  });

  router.put('/faults', (req, res) => {
    faults.set(parseInput(faultSettingsSchema, req.body));
    tell('Faults were switched on.', {
      faces: Object.keys(faults.settings).filter((name) => name !== 'seed'),
    });
    res.json(envelope(faults.settings));
  });

  router.delete('/faults', (req, res) => {
    parseInput(nothingSchema, req.body);
    faults.set({});
    tell('Every fault was switched off.', null);
    res.json(envelope(faults.settings));
  });

  router.get('/scenarios', (_req, res) => {
    res.json(envelope(scenarios.list()));
  });

  router.post('/scenarios/:name', (req: Request<{ name: string }>, res) => {
    const { merchant = null } = parseInput(armSchema, req.body);
    if (merchant !== null && !merchants.find(merchant))
      throw new ApiError('not_found', 'No merchant has this public key: make it first.');
    scenarios.arm(req.params.name, merchant);
    const { armed, armedFor } = scenarios.list();
    tell(`The scenario ${armed} waits for the next payment.`, { scenario: armed }, merchant);
    res.json(envelope({ armed, armedFor }));
  });

  router.delete('/scenarios', (req, res) => {
    parseInput(nothingSchema, req.body);
    scenarios.disarm();
    tell('No scenario waits for the next payment any more.', null);
    const { armed, armedFor } = scenarios.list();
    res.json(envelope({ armed, armedFor }));
  });

  router.get('/webhooks', (_req, res) => {
    res.json(envelope(webhooks.list()));
  });

  router.post('/webhooks/replay', async (req, res) => {
    const { ids, reference, times, shuffle, url } = parseInput(replaysSchema, req.body);
    if (ids && reference !== undefined)
      throw new ApiError('invalid', 'Name ids or a reference, not both.');
    const chosen = ids ?? webhooks.listOriginals(reference);
    if (!chosen.length) throw new ApiError('not_found', 'There is no such webhook to send again.');
    const repeated = chosen.flatMap((id) => Array.from({ length: times }, () => id));
    res.json(envelope(await replay(shuffle ? faults.shuffle(repeated) : repeated, url, true)));
  });

  router.post('/webhooks/:id/replay', async (req: Request<{ id: string }>, res) => {
    const { times, url } = parseInput(replaySchema, req.body);
    res.json(
      envelope(
        await replay(
          Array.from({ length: times }, () => req.params.id),
          url,
          false,
        ),
      ),
    );
  });

  return router;

  async function replay(
    ids: readonly string[],
    url: string | undefined,
    isInOrder: boolean,
  ): Promise<Delivery[]> {
    if (url !== undefined && !isAllowedWebhookUrl(url, webhookHosts)) {
      throw new ApiError(
        'invalid',
        'url must be http(s), without a user, on this machine or on a host the sandbox was started with.',
      );
    }
    if (!ids.every((id) => webhooks.has(id)))
      throw new ApiError('not_found', 'No webhook is kept under one of these ids.');
    if (ids.length > MOST_REPLAYS)
      throw new ApiError('invalid', `One call sends at most ${MOST_REPLAYS} webhooks: name fewer.`);
    tell(ids.length === 1 ? 'A webhook is sent again.' : `${ids.length} webhooks are sent again.`, {
      count: ids.length,
    });
    return webhooks.replay(ids, { url, isInOrder });
  }

  function tell(
    summary: string,
    detail: Happening['detail'],
    merchant: string | null = null,
  ): void {
    history.record({ kind: 'control', merchant, reference: null, summary, detail });
  }
}
