import type { Control } from '../../control/client.ts';
import { mask as maskText } from '../mask.ts';
import type { Chapter } from '../rule.ts';
import { type RuleResult, runRules } from '../run-rules.ts';
import { BorrowedSandbox } from './borrowed-sandbox.ts';
import { BEGINNING, mustRespond } from './chapters/beginning.ts';
import { BROWSERS } from './chapters/browsers.ts';
import { FULFILMENT } from './chapters/fulfilment.ts';
import { ORDERS } from './chapters/orders.ts';
import { OUTAGES } from './chapters/outages.ts';
import { RETRIES } from './chapters/retries.ts';
import { STRANGERS } from './chapters/strangers.ts';
import { VERIFY } from './chapters/verify.ts';
import { WEBHOOKS } from './chapters/webhooks.ts';
import { Shop, type ShopOptions } from './shop.ts';

/** The rules for a shop, in the order in which they are checked, after those of the beginning. */
export const SHOP_CHAPTERS: readonly Chapter<Shop>[] = [
  ORDERS,
  BROWSERS,
  VERIFY,
  RETRIES,
  OUTAGES,
  STRANGERS,
  WEBHOOKS,
  FULFILMENT,
];

export interface ShopCheck {
  /** One result a rule, as they come. */
  readonly results: AsyncGenerator<RuleResult>;
  /** Restores the sandbox. Call it after the last result, and before you exit early. */
  giveBack(): Promise<void>;
}

/**
 * Plays the browsers of customers, and by the control of a running sandbox their payments, webhooks
 * and the service's faults. Tries the rules whose title `isWanted`.
 */
export function checkShop(
  options: ShopOptions,
  sandbox: { url: string; control: Control },
  isWanted: (title: string) => boolean = () => true,
): ShopCheck {
  const borrowed = new BorrowedSandbox(sandbox.url, sandbox.control);
  const shop = new Shop(options, borrowed);
  const mask = (text: string) => maskText(text, [options.token, options.previousToken ?? '']);
  const wanted = SHOP_CHAPTERS.map(({ title, rules }) => ({
    title,
    rules: rules.filter((rule) => isWanted(rule.title)),
  }));
  return { results: run(), giveBack: () => borrowed.giveBack() };

  async function* run(): AsyncGenerator<RuleResult> {
    let obstacle: string | undefined;
    const findObstacle = () => obstacle;
    for await (const result of runRules([BEGINNING], shop, { findObstacle, mask })) {
      if (result.result !== 'ok') obstacle = result.reason;
      yield result;
    }
    for await (const result of runRules(wanted, shop, { findObstacle, mask })) {
      if (result.result === 'fails' || result.isBlocked) obstacle ??= await findSilence();
      yield result;
    }
  }

  async function findSilence(): Promise<string | undefined> {
    try {
      await mustRespond(shop);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }
}
