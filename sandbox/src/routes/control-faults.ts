import { Router } from 'express';
import { MOST_REPLAYS } from '../control/inputs.ts';
import type { Delivery } from '../control/outputs.ts';
import type { Faults } from '../faults/faults.ts';
import type { Scenarios } from '../faults/scenarios.ts';
import { ApiError } from '../http/api-error.ts';
import { envelope } from '../http/responses.ts';
import type { Merchants } from '../payments/merchants.ts';
import type { Happening, History } from '../storage/history.ts';
import type { WebhookSender } from '../webhooks/sender.ts';
import { isAllowedWebhookUrl } from '../webhooks/url.ts';
import { addControlRoute } from './control-routes.ts';

/** `webhookHosts` are the hosts, in addition to this machine, that webhooks may go to. */
export interface FaultApiDeps {
  faults: Faults;
  scenarios: Scenarios;
  webhooks: WebhookSender;
  merchants: Merchants;
  history: History;
  webhookHosts: ReadonlySet<string>;
}

export function buildFaultApi({
  faults,
  scenarios,
  webhooks,
  merchants,
  history,
  webhookHosts,
}: FaultApiDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  addControlRoute(router, 'faults', ({ res }) => {
    res.json(envelope(faults.settings));
  });

  addControlRoute(router, 'setFaults', ({ body, res }) => {
    faults.set(body);
    record('A control call set the faults.', {
      parts: Object.keys(faults.settings).filter((name) => name !== 'seed'),
    });
    res.json(envelope(faults.settings));
  });

  addControlRoute(router, 'clearFaults', ({ res }) => {
    faults.set({});
    record('A control call switched every fault off.', null);
    res.json(envelope(faults.settings));
  });

  addControlRoute(router, 'scenarios', ({ res }) => {
    res.json(envelope(scenarios.list()));
  });

  addControlRoute(router, 'armScenario', ({ body, params, res }) => {
    const { merchant = null } = body;
    if (merchant !== null && !merchants.find(merchant))
      throw new ApiError('not_found', 'No merchant has this public key. Create it first.');
    scenarios.arm(params['name']!, merchant);
    const { armed, armedFor } = scenarios.list();
    record(`The next payment plays the scenario ${armed}.`, { scenario: armed }, merchant);
    res.json(envelope({ armed, armedFor }));
  });

  addControlRoute(router, 'disarmScenario', ({ res }) => {
    scenarios.disarm();
    record('No scenario is armed any more.', null);
    const { armed, armedFor } = scenarios.list();
    res.json(envelope({ armed, armedFor }));
  });

  addControlRoute(router, 'webhooks', ({ res }) => {
    res.json(envelope(webhooks.list()));
  });

  addControlRoute(router, 'replayWebhooks', async ({ body, res }) => {
    const { ids, reference, times, shuffle, url } = body;
    if (ids && reference !== undefined)
      throw new ApiError('invalid', 'Name ids or a reference, not both.');
    const chosen = ids ?? webhooks.listOriginals(reference);
    if (!chosen.length) throw new ApiError('not_found', 'There is no such webhook to replay.');
    const repeated = chosen.flatMap((id) => Array.from({ length: times }, () => id));
    res.json(envelope(await replay(shuffle ? faults.shuffle(repeated) : repeated, url, true)));
  });

  addControlRoute(router, 'replayWebhook', async ({ body: { times, url }, params, res }) => {
    res.json(
      envelope(
        await replay(
          Array.from({ length: times }, () => params['id']!),
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
        'url must be http(s) without a user name, on this machine or on a host that the sandbox was started with.',
      );
    }
    if (!ids.every((id) => webhooks.has(id)))
      throw new ApiError('not_found', 'One of these ids belongs to no webhook.');
    if (ids.length > MOST_REPLAYS)
      throw new ApiError('invalid', `One call sends at most ${MOST_REPLAYS} webhooks. Name fewer.`);
    record(
      ids.length === 1
        ? 'A control call replayed a webhook.'
        : `A control call replayed ${ids.length} webhooks.`,
      {
        count: ids.length,
      },
    );
    return webhooks.replay(ids, { url, isInOrder });
  }

  function record(
    summary: string,
    detail: Happening['detail'],
    merchant: string | null = null,
  ): void {
    history.record({ kind: 'control', merchant, reference: null, summary, detail });
  }
}
