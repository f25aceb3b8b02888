import type { Collection } from '@service-pay/contract/collection';
import type { EventName } from '@service-pay/contract/webhook';
import type { Request, Response } from 'express';
import * as v from 'valibot';
import { ApiError } from '../http/api-error.ts';
import { noteAbout } from '../http/request-history.ts';
import { envelope } from '../http/responses.ts';
import type { Instrument } from '../payments/instrument.ts';
import type { History } from '../storage/history.ts';
import { keyOf, type PaymentName } from '../storage/payment-key.ts';
import { ORDINARY_PHONE } from '../test-numbers/outcomes.ts';
import type { Clock } from '../time/clock.ts';
import { applyFault } from './faults.ts';
import type { ScenarioList } from './scenario-schemas.ts';
import {
  OLD_SCENARIO_NAMES,
  SCENARIOS,
  type Scenario,
  type ScriptedVerify,
} from './scenario-table.ts';
import type { Treatment } from './treatment.ts';

const nameSchema = v.pipe(
  v.string(),
  v.check((name) => findScenario(name) !== undefined),
);
const snapshotSchema = v.strictObject({
  armed: v.nullable(v.strictObject({ name: nameSchema, merchant: v.nullable(v.string()) })),
  played: v.array(v.tuple([v.string(), v.string(), nameSchema])),
});
type Snapshot = v.InferOutput<typeof snapshotSchema>;

const MOST_PLAYED = 10_000;

export class Scenarios {
  readonly #clock: Clock;
  readonly #history: History;
  #armed: Snapshot['armed'] = null;
  readonly #played = new Map<string, { payment: PaymentName; scenario: Scenario }>();

  constructor({ clock, history }: { clock: Clock; history: History }) {
    this.#clock = clock;
    this.#history = history;
  }

  list(): ScenarioList {
    return {
      scenarios: SCENARIOS.map(({ name, summary, steps, shop }) => ({
        name,
        summary,
        steps: [...steps],
        shop,
      })),
      armed: this.#armed?.name ?? null,
      armedFor: this.#armed?.merchant ?? null,
    };
  }

  /**
   * Arms a scenario for the next payment of `merchant`, or of any; it replaces one already armed.
   * Rejects an unknown name with 404·11.
   */
  arm(name: string, merchant: string | null): void {
    const scenario = findScenario(name);
    if (!scenario) {
      throw new ApiError(
        'not_found',
        `No scenario has this name. The scenarios are: ${SCENARIOS.map((known) => known.name).join(', ')}.`,
      );
    }
    this.#armed = { name: scenario.name, merchant };
  }

  disarm(): void {
    this.#armed = null;
  }

  reset(): void {
    this.#armed = null;
    this.#played.clear();
  }

  /**
   * Returns `instrument` as the payment's scenario changes it. The first attempt plays the armed
   * scenario.
   */
  beginAttempt(payment: PaymentName, earlier: number, instrument: Instrument): Instrument {
    if (!earlier) this.#playArmed(payment);
    const script = this.#find(payment)?.attempts?.[earlier];
    if (!script) return instrument;
    const isPrompt = instrument.phone !== null && !script.isPending;
    const usualMs = isPrompt ? ORDINARY_PHONE.answeredAfterMs : 0;
    const answeredAfterMs = script.afterS === undefined ? usualMs : script.afterS * 1000;
    const outcome = { answeredAfterMs, end: script.end };
    return {
      ...instrument,
      outcome,
      status: isPrompt ? 'pay-offline' : 'pending',
      challenge: null,
      codesLeft: null,
    };
  }

  treatWebhook(payment: PaymentName, event: EventName): Treatment | undefined {
    return this.#find(payment)?.webhooks?.[event];
  }

  /** Responds with the collection, or as its scenario says. */
  async respond(
    merchant: string,
    collection: Collection,
    req: Request,
    res: Response,
  ): Promise<void> {
    const verify = this.#find({ merchant, reference: collection.reference })?.verify;
    const isScripted = verify && this.#isWithin(collection, verify.forS);
    const shown = isScripted ? { ...collection, ...verify.changes } : collection;
    if (isScripted)
      noteAbout(res, {
        merchant,
        reference: shown.reference,
        ...(!verify.fault && { said: shown.status }),
      });
    if (isScripted && verify.fault)
      await applyFault(verify.fault, req, res, () => res.json(envelope(shown)));
    else res.json(envelope(shown));
  }

  snapshot(): Snapshot {
    return {
      armed: this.#armed,
      played: Array.from(this.#played.values(), ({ payment, scenario }) => [
        payment.merchant,
        payment.reference,
        scenario.name,
      ]),
    };
  }

  restore(data: unknown): void {
    const { armed, played } = v.parse(snapshotSchema, data);
    this.reset();
    this.#armed = armed && { ...armed, name: findScenario(armed.name)!.name };
    for (const [merchant, reference, name] of played)
      this.#remember({ merchant, reference }, findScenario(name)!);
  }

  #playArmed(payment: PaymentName): void {
    const armed = this.#armed;
    if (!armed || (armed.merchant !== null && armed.merchant !== payment.merchant)) return;
    this.#armed = null;
    this.#remember(payment, findScenario(armed.name)!);
    const summary = `This payment plays the scenario ${armed.name}.`;
    this.#history.record({
      kind: 'control',
      ...payment,
      summary,
      detail: { scenario: armed.name },
    });
  }

  #remember(payment: PaymentName, scenario: Scenario): void {
    const { merchant, reference } = payment;
    this.#played.set(keyOf(payment), { payment: { merchant, reference }, scenario });
    const [oldest] = this.#played.keys();
    if (this.#played.size > MOST_PLAYED) this.#played.delete(oldest!);
  }

  #find(payment: PaymentName): Scenario | undefined {
    return this.#played.size ? this.#played.get(keyOf(payment))?.scenario : undefined;
  }

  #isWithin({ status, completedAt }: Collection, forS: ScriptedVerify['forS']): boolean {
    if (forS === 'until-successful') return status !== 'successful';
    if (status !== 'successful') return false;
    return forS === null || this.#clock.now() < Date.parse(completedAt ?? '') + forS * 1000;
  }
}

function findScenario(given: string): Scenario | undefined {
  const name = OLD_SCENARIO_NAMES[given] ?? given;
  return SCENARIOS.find((scenario) => scenario.name === name);
}
