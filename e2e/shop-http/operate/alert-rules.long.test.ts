import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  collectionResponse,
  ManualClock,
  signatureOf,
  signedWebhook,
  startUpstream,
} from '@service-pay/server/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runProgram } from '../../../scripts/programs/run-tool.ts';
import { findProgram } from '../../lab/find-program.ts';
import { PATIENT } from '../../lab/patience.ts';
import { OWN_SHOPS, type OwnShop, startOwnShop } from './own-shop.ts';

const OPERATE = fileURLToPath(new URL('../../../server/operate/', import.meta.url));
const RULES = readFileSync(join(OPERATE, 'alerts.yml'), 'utf8');
const DASHBOARD = readFileSync(join(OPERATE, 'grafana-dashboard.json'), 'utf8');
const SUCCESS = 'collection.successful';
const MINUTE_MS = 60_000;

const promtool = findProgram('promtool', '--version');

const successful: RequestListener = (req, res) => res.end(collectionResponse(req.url!));
const pending: RequestListener = (req, res) =>
  res.end(collectionResponse(req.url!, { status: 'pending' }));

interface Played extends OwnShop {
  clock: ManualClock;
  /** Places an order and returns its reference. */
  buy(): Promise<string>;
  verify(reference: string, headers?: object): Promise<Response>;
  notify(reference: string): Promise<Response>;
  /** Moves time until the metrics of the shop match. */
  until(line: RegExp, stepMs?: number): Promise<void>;
  stopService(): Promise<void>;
}

interface Cause {
  service?: RequestListener;
  options?: Parameters<typeof startOwnShop>[2];
  /** The minutes that Prometheus sees the metrics after the cause. */
  minutes?: number;
  play(shop: Played): Promise<unknown>;
}

async function repeat<Result>(times: number, task: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let done = 0; done < times; done++) results.push(await task());
  return results;
}

const fails = async () => {
  throw new Error('The warehouse is closed.');
};
const removeDatabase = ({ databaseUrl }: OwnShop) => rm(databaseUrl.slice('file:'.length));
const forge = (shop: OwnShop, signature?: string) =>
  shop.call(
    'POST',
    '/webhooks/service-pay',
    signature ? { 'x-servicepay-signature': signature } : {},
    '{}',
  );

/** The causes that are played, by the rule that must report each. */
const CAUSES: Record<string, Cause> = {
  PaymentNeedsReview: {
    service: (req, res) => res.end(collectionResponse(req.url!, { amount: '1.00' })),
    async play(shop) {
      await shop.verify(await shop.buy());
    },
  },
  UnknownReference: {
    service: pending,
    async play(shop) {
      const known = await shop.buy();
      await shop.notify(`${known.slice(0, -1)}${known.endsWith('x') ? 'y' : 'x'}`);
      await shop.until(/alerts_total{reason="unknown_reference"} 1/, MINUTE_MS);
    },
  },
  FulfilmentParked: {
    options: { fulfil: fails },
    async play(shop) {
      await shop.verify(await shop.buy());
      await shop.until(/fulfilments{state="parked"} 1/, MINUTE_MS);
    },
  },
  FulfilmentLate: {
    options: { fulfil: fails },
    async play(shop) {
      await shop.verify(await shop.buy());
      await shop.until(/oldest_fulfilment_seconds{state="waiting"} 9[1-9]\d/, 20_000);
    },
  },
  PaidDeliveryNotHandled: {
    service: pending,
    minutes: 10,
    async play(shop) {
      await shop.notify(await shop.buy());
      await shop.until(/oldest_delivery_not_handled_seconds [6-9][1-9]\d/, 20_000);
    },
  },
  NothingConfirmed: {
    service: pending,
    minutes: 10,
    async play(shop) {
      await shop.notify(await shop.buy());
      await shop.until(/oldest_delivery_not_handled_seconds [2-9]\d\d/, 20_000);
    },
  },
  OrdersNotPaid: { service: pending, minutes: 60, play: (shop) => repeat(6, () => shop.buy()) },
  ReconcilerLate: {
    options: { background: false },
    async play(shop) {
      await shop.buy();
      await shop.clock.advance(5 * MINUTE_MS);
    },
  },
  TokenRejected: {
    service: (_req, res) => res.writeHead(401).end(),
    play: async (shop) => shop.verify(await shop.buy()),
  },
  ServiceCircuitOpen: {
    async play(shop) {
      const references = await repeat(20, () => shop.buy());
      await shop.stopService();
      for (const reference of references) await shop.verify(reference);
      await shop.until(/service_circuit{state="closed"} 0/);
    },
  },
  'ServiceCircuitOpen with few payments': {
    async play(shop) {
      await shop.buy();
      await shop.stopService();
      await shop.until(/confirms_total{trigger="due",result="unreachable"} [4-9]/, 5_000);
    },
  },
  ServiceResponsesInvalid: {
    service: (_req, res) => res.end('<html>'),
    play: async (shop) => shop.verify(await shop.buy()),
  },
  EveryWebhookRejected: {
    service: pending,
    async play(shop) {
      const reference = await shop.buy();
      const body = JSON.stringify({ event: SUCCESS, data: { reference } });
      await repeat(8, async () => {
        await forge(shop, signatureOf(body, 'sec_of_another_environment'));
        await shop.clock.advance(MINUTE_MS);
      });
    },
  },
  WebhookSignaturesRejected: { play: (shop) => repeat(25, () => forge(shop)) },
  WebhooksNotStored: {
    async play(shop) {
      const reference = await shop.buy();
      await removeDatabase(shop);
      await shop.notify(reference);
    },
  },
  WebhooksMissing: {
    play: (shop) => repeat(8, async () => shop.verify(await shop.buy())),
  },
  DatabaseDown: { play: removeDatabase },
  OrdersFail: {
    async play(shop) {
      await removeDatabase(shop);
      await repeat(3, () => shop.call('POST', '/buy'));
    },
  },
  RequestsFail: {
    service: pending,
    play: async (shop) => shop.verify(await shop.buy(), { 'x-owner': 'broken' }),
  },
};

/** Rules about machines, whose metrics no shop gives: `alerts.test.yml` plays them. */
const OF_MACHINES = [
  'ShopAbsent',
  'InstanceDown',
  'EventLoopSlow',
  'MemoryGrows',
  'DiskAlmostFull',
];

async function startPlayed(
  host: keyof typeof OWN_SHOPS,
  { service = successful, options }: Cause,
): Promise<Played> {
  const clock = new ManualClock();
  const upstream = await startUpstream(service);
  const shop = await startOwnShop(host, upstream.url, { clock, ...options });
  return {
    ...shop,
    clock,
    async buy() {
      const bought = (await (await shop.call('POST', '/buy')).json()) as any;
      return bought.data.reference;
    },
    verify: (reference, headers) => shop.call('POST', `/api/payments/${reference}/verify`, headers),
    notify(reference) {
      const { body, headers } = signedWebhook(SUCCESS, { reference });
      return shop.call('POST', '/webhooks/service-pay', headers, body);
    },
    until: (line, stepMs = 1_000) =>
      vi.waitFor(async () => {
        await clock.advance(stepMs);
        expect((await shop.payments.counters.text()).own).toMatch(line);
      }, PATIENT),
    stopService: upstream.close,
    async close() {
      await shop.close();
      await upstream.close();
    },
  };
}

/** Reads the metrics, without the cache of a second. */
async function scrape({ payments }: OwnShop): Promise<Map<string, string>> {
  return readSeries((await payments.counters.text()).own);
}

function readSeries(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => /^(?:service_pay|nodejs|process)_/.test(line));
  return new Map(lines.map((line) => line.split(/ (?=\S+$)/) as [string, string]));
}

/** Ten minutes of what was before the cause, and then what was after it. */
function toSeries(before: Map<string, string>, after: Map<string, string>, minutes: number) {
  const read = (scraped: Map<string, string>, name: string) => scraped.get(name) ?? '_';
  return [...new Set([...before.keys(), ...after.keys()])].map((series) => ({
    series,
    values: `${read(before, series)}x9 ${read(after, series)}x${minutes}`,
  }));
}

test('each rule has a cause, or is about machines', () => {
  const names = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);

  const played = Object.keys(CAUSES).map((cause) => cause.split(' ')[0]);

  expect([...new Set([...played, ...OF_MACHINES])].sort()).toEqual(names.sort());
});

describe.each(Object.keys(OWN_SHOPS) as (keyof typeof OWN_SHOPS)[])(
  'a shop of one’s own on %s',
  { timeout: 300_000 },
  (host) => {
    let folder: string;

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'rules-'));
      copyFileSync(join(OPERATE, 'alerts.yml'), join(folder, 'alerts.yml'));
    });

    afterAll(() => rmSync(folder, { recursive: true }));

    test('a shop has every metric, with each label, that the rules and the dashboard read', async () => {
      const shop = await startPlayed(host, {} as Cause);
      await shop.verify(await shop.buy());
      const names = [...readSeries(await (await shop.call('GET', '/metrics')).text()).keys()];
      await shop.close();

      const selectors = `${RULES}${DASHBOARD.replaceAll('\\"', '"')}`.matchAll(
        /\b((?:service_pay|nodejs|process)_\w+)(?:\{([^}]*)\})?/g,
      );
      for (const [selector, metric, labels = ''] of selectors) {
        const wanted = [...labels.matchAll(/(\w+)(=~?)"([^"]*)"/g)].filter(
          ([, label]) => label !== 'job',
        );
        const found = names.filter(
          (name) =>
            name.split('{')[0] === metric &&
            wanted.every(([, label, , value]) =>
              new RegExp(`\\b${label}="(?:${value})"`).test(name),
            ),
        );
        expect([selector, found.length > 0]).toEqual([selector, true]);
      }
    });

    test.skipIf(!promtool).each(Object.keys(CAUSES))(
      'a rule fires %s when its cause happens, and not before (skipped without promtool of the Debian package prometheus)',
      async (name) => {
        const cause = CAUSES[name]!;
        const shop = await startPlayed(host, cause);
        const before = await scrape(shop);
        await cause.play(shop);
        const after = await scrape(shop);
        await shop.close();

        const { minutes = 20 } = cause;
        const [rule] = name.split(' ');
        const firing = `count(max_over_time(ALERTS{alertname="${rule}",alertstate="firing"}[12h]))`;
        const file = {
          rule_files: ['alerts.yml'],
          evaluation_interval: '30s',
          tests: [
            {
              interval: '1m',
              input_series: toSeries(before, after, minutes),
              promql_expr_test: [
                { expr: firing, eval_time: '9m' },
                {
                  expr: firing,
                  eval_time: `${9 + minutes}m`,
                  exp_samples: [{ labels: '{}', value: 1 }],
                },
              ],
            },
          ],
        };
        writeFileSync(join(folder, 'test.yml'), JSON.stringify(file));

        const { exitCode, output } = await runProgram(
          promtool as string,
          ['test', 'rules', 'test.yml'],
          { cwd: folder, quiet: true },
        );

        expect(exitCode, output).toBe(0);
      },
    );
  },
);
