import type { Sandbox } from '@service-pay/sandbox';
import type { PlacedOrder } from '../../lab/placed-order.ts';
import type { Database } from '../databases.ts';
import type { Random } from '../random.ts';
import type { PaidOrder } from './losses.ts';
import type { Scene } from './scene.ts';
import { type Delivery, makeDelivery, pay, type Shopping } from './shopping.ts';

const PAID_TWICE = 0.2;

const VERIFIES_TOO = 0.5;

export class Customers {
  readonly paid: PaidOrder[] = [];
  readonly deliveries: Delivery[] = [];
  readonly rejections: string[] = [];
  readonly #sandbox: Sandbox;
  readonly #database: Database;
  readonly #random: Random;
  #mayOrder = true;

  constructor({ sandbox, database }: Pick<Scene, 'sandbox' | 'database'>, random: Random) {
    this.#sandbox = sandbox;
    this.#database = database;
    this.#random = random;
  }

  /** Resolves when the customers have stopped and their webhooks are acknowledged. */
  async shop(atOnce: number, shops: readonly Shopping[]): Promise<void> {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (this.#mayOrder) await this.buy(shops[this.#random.below(shops.length)]!);
      }),
    );
  }

  stop(): void {
    this.#mayOrder = false;
  }

  async buy(shopping: Shopping): Promise<void> {
    const placed = await shopping.order();
    const again =
      this.#random.draw() < PAID_TWICE ? [await shopping.retry(this.#database, placed)] : [];
    await this.#pay([placed, ...again], shopping);
  }

  async pay(placed: PlacedOrder, shopping: Shopping): Promise<void> {
    await this.#pay([placed], shopping);
  }

  async #pay(payments: PlacedOrder[], shopping: Shopping): Promise<void> {
    this.paid.push(payments.map(({ reference }) => reference));
    await Promise.all(payments.map(({ reference }) => pay(this.#sandbox, reference)));
    const deliveries = payments.map(({ reference }) => makeDelivery(reference));
    this.deliveries.push(...deliveries);
    const verified = this.#random.draw() < VERIFIES_TOO ? payments : [];
    const [rejections] = await Promise.all([
      shopping.deliver(deliveries),
      ...verified.map((payment) => shopping.verify(payment).catch(() => undefined)), // a page whose shop dies polls again later
    ]);
    this.rejections.push(...rejections);
  }
}
