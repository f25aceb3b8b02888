import type { Control } from '../../control/client.ts';
import type { FaultSettings } from '../../faults/fault-settings.ts';
import { withoutUndefined } from '../../http/object-members.ts';
import { isDoneWithin } from '../../time/real-time.ts';
import { NotTried } from '../must.ts';

type MerchantApiFault = NonNullable<FaultSettings['merchantApi']>;

/** Webhooks come only where a rule sends them. */
const QUIET: FaultSettings = { webhooks: { drop: 1 } };

/**
 * A running sandbox whose faults, armed scenario and merchant the check changes, and restores as it
 * found them.
 */
export class BorrowedSandbox {
  readonly url: string;
  readonly control: Control;
  #isServiceFaulty = false;
  #isGivenBack = false;
  #lastChange: Promise<unknown> = Promise.resolve();
  readonly #restore: (() => Promise<unknown>)[] = [];

  constructor(url: string, control: Control) {
    this.url = url;
    this.control = withDeadlines(control);
  }

  /** True while a fault of the merchant API is on. */
  get isServiceFaulty(): boolean {
    return this.#isServiceFaulty;
  }

  /** Switches faults and scenario off, and lets the merchant's webhooks go to `webhookUrl`. */
  async borrow(publicKey: string, webhookUrl: string | undefined): Promise<void> {
    const { control } = this;
    const faults = await control.faults();
    const { armed, armedFor } = await control.scenarios();
    const merchant = (await control.merchants()).find((one) => one.publicKey === publicKey)!;
    const { events, webhookUrl: earlierUrl } = merchant;
    this.#restore.push(
      () => control.setFaults(faults),
      () => control.putMerchant(publicKey, { events, webhookUrl: earlierUrl }),
    );
    if (armed !== null) {
      const merchant = armedFor === null ? {} : { merchant: armedFor };
      this.#restore.push(() => control.armScenario(armed, merchant));
    }
    const settings = { events: ['collection.successful' as const], webhookUrl };
    await this.#change(() => control.setFaults({}));
    await this.#change(() => control.disarmScenario());
    await this.#change(() => control.putMerchant(publicKey, withoutUndefined(settings)));
  }

  /** From now on the service sends no webhook by itself. */
  async holdWebhooks(): Promise<void> {
    await this.#change(() => this.control.setFaults(QUIET));
  }

  /** Runs a step while the service's responses to the shop have this fault. */
  async whileFaulty<Result>(
    fault: Omit<MerchantApiFault, 'rate'>,
    step: () => Promise<Result>,
  ): Promise<Result> {
    this.#isServiceFaulty = true;
    try {
      const faults = { ...QUIET, merchantApi: { rate: 1, ...fault } };
      await this.#change(() => this.control.setFaults(faults));
      return await step();
    } finally {
      await this.holdWebhooks();
      this.#isServiceFaulty = false;
    }
  }

  /**
   * Restores what was borrowed, also while a rule is being tried. Throws the first error, and may be
   * called again.
   */
  giveBack(): Promise<void> {
    this.#isGivenBack = true;
    const restored = this.#lastChange.catch(() => {}).then(() => this.#restoreAll());
    this.#lastChange = restored;
    return restored;
  }

  async #restoreAll(): Promise<void> {
    const errors: unknown[] = [];
    for (const restore of this.#restore.splice(0)) {
      await restore().catch((error: unknown) => {
        errors.push(error);
        this.#restore.push(restore);
      });
    }
    if (errors.length) throw errors[0];
  }

  async #change(call: () => Promise<unknown>): Promise<void> {
    if (this.#isGivenBack) return;
    this.#lastChange = call();
    await this.#lastChange;
  }
}

/** Calls that wait for an attempt's end, or for the shop. */
const WAITING_CALLS = ['pay', 'replayWebhook'];

/** Returns the control, whose calls fail once the sandbox is silent. */
function withDeadlines(control: Control): Control {
  const calls = Object.entries(control).map(([name, call]) => {
    const ms = WAITING_CALLS.includes(name) ? 40_000 : 10_000;
    return [name, (...args: unknown[]) => within(ms, call(...args))];
  });
  return { ...Object.fromEntries(calls), events: control.events };
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  if (await isDoneWithin(work, ms)) return work;
  throw new Error(`no response within ${ms / 1_000} s`);
}

/** Runs a call of the control API: if it fails, the rule is not tried. */
export async function atSandbox<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw new NotTried(`The sandbox: ${(error as Error).message}`, true);
  }
}
