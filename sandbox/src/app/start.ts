import './require-node.ts';

import { randomBytes } from 'node:crypto';
import { isLoopbackHost } from '@service-pay/contract/loopback';
import { pino } from 'pino';
import { buildControl, type Control } from '../control/client.ts';
import { Faults } from '../faults/faults.ts';
import { Scenarios } from '../faults/scenarios.ts';
import { type Access, hostsFor, isEveryInterface, namesElsewhere } from '../http/guard.ts';
import { listen } from '../http/listen.ts';
import { EventStreams } from '../http/sse.ts';
import { Merchants } from '../payments/merchants.ts';
import { Payments } from '../payments/payments.ts';
import { CollectionStore } from '../payments/store.ts';
import { findWidgetDist } from '../routes/pages/widget-files.ts';
import { History } from '../storage/history.ts';
import { State } from '../storage/state.ts';
import { Clock } from '../time/clock.ts';
import { WebhookSender } from '../webhooks/sender.ts';
import { webhookHostOf } from '../webhooks/url.ts';
import { buildApp } from './app.ts';
import { rejectBadOptions, type SandboxOptions } from './options.ts';

export { type CollectionQuery, type Control, ControlError } from '../control/client.ts';
export type { News } from '../control/event-reader.ts';
export type {
  AttemptView,
  ClockState,
  ClockView,
  CollectionRow,
  CollectionStory,
  Delivery,
  DeliveryAttempt,
  Handset,
  MerchantView,
  PayResult,
  ScenarioList,
} from '../control/outputs.ts';
export type { FaultSettings } from '../faults/fault-settings.ts';
export type { MerchantSettings } from '../payments/merchant-settings.ts';
export type { Happening } from '../storage/history.ts';
export type { SandboxOptions } from './options.ts';

/** A running sandbox. */
export interface Sandbox {
  /** Its origin. */
  readonly url: string;
  readonly control: Control;
  /** The names under which other machines reach it. */
  readonly hosts: readonly string[];
  /** The control API's token; null if only this machine reaches the sandbox. */
  readonly token: string | null;
  /** Closes open connections and cancels everything planned. May be called again. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the payment service on this machine: script, checkout page, merchant API, webhooks, phones
 * and clock, on one origin. Rejects with an error whose message says what to change.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  rejectBadOptions(options);
  const {
    port = 0,
    host = [],
    webhookUrl,
    seed = 0,
    clock: startMode = 'real',
    widgetDist = findWidgetDist(),
  } = options;
  const log = options.log ?? pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const named = [host].flat();
  const hosts = hostsFor(named);
  const isOpen = named.some((each) => !isLoopbackHost(each));
  const access: Access = {
    hosts,
    token: isOpen ? (options.token ?? randomBytes(24).toString('base64url')) : null,
  };
  const webhookHosts = new Set([
    ...(isOpen ? hosts : []),
    ...(webhookUrl === undefined ? [] : [webhookHostOf(webhookUrl)]),
  ]);

  const clock = new Clock(startMode);
  const history = new History({ clock, limit: options.historyLimit });
  const store = new CollectionStore((planned) => clock.callOff(planned), options.collectionLimit);
  const merchants = new Merchants(webhookUrl ?? null);
  const faults = new Faults(seed);
  const scenarios = new Scenarios({ clock, history });
  const webhooks = new WebhookSender({
    clock,
    history,
    merchants,
    faults,
    scenarios,
    limit: options.historyLimit,
  });
  const payments = new Payments({
    clock,
    history,
    store,
    merchants,
    scenarios,
    notify: (...event) => webhooks.notify(...event),
  });
  const events = new EventStreams({ history });
  const parts = { clock, merchants, store, faults, scenarios, webhooks, history };
  const service = { ...parts, access, events, log, payments, webhookHosts, widgetDist };
  const state = options.state === undefined ? undefined : new State(options.state, { parts, log });
  if (state) history.subscribe(() => state.touch());

  const listening = await listen(
    buildApp(service),
    port,
    isOpen ? 'every interface' : 'loopback',
  ).catch((error: Error) => {
    state?.release();
    throw error;
  });
  clock.start();
  const { port: boundPort } = listening;
  const name =
    named.find((each) => !isLoopbackHost(each) && !isEveryInterface(each)) ?? 'localhost';
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${boundPort}`;

  let closed: Promise<void> | undefined;
  return {
    url,
    hosts: isOpen ? namesElsewhere(hosts) : [],
    token: access.token,
    control: buildControl({ url: `http://localhost:${boundPort}`, token: access.token }),
    close,
    [Symbol.asyncDispose]: close,
  };

  function close(): Promise<void> {
    closed ??= end();
    return closed;
  }

  async function end(): Promise<void> {
    // Streams end first, so that no reader sees the shutdown as events.
    events.close();
    await listening.close();
    try {
      state?.close();
    } finally {
      clock.reset();
      await webhooks.close();
    }
  }
}
