import { setTimeout as pause } from 'node:timers/promises';

import type { Scene } from './scene.ts';
import type { ShopProcess } from './shop-process.ts';

const STEP_MS = 1_000;

/**
 * The real time that each advanced second leaves for responses. If it is too short, the shop seems
 * slow.
 */
const REAL_MS_PER_STEP = 25;

/** Moves the time of a service and of a shop together in steps, so that days pass in seconds. */
export class MovedTime {
  readonly #scene: Scene;
  /** A little ahead at first, since a service's time never goes back. */
  now = Date.now() + STEP_MS;

  private constructor(scene: Scene) {
    this.#scene = scene;
  }

  static async begin(scene: Scene): Promise<MovedTime> {
    const time = new MovedTime(scene);
    await scene.sandbox.control.setClock({
      mode: 'virtual',
      now: new Date(time.now).toISOString(),
    });
    return time;
  }

  /**
   * Lets time pass second by second, for the service and for a shop with a stopped clock. `before`
   * runs before each second.
   */
  async pass(
    seconds: number,
    shop: ShopProcess,
    before?: (now: number) => Promise<unknown>,
  ): Promise<void> {
    for (let passed = 0; passed < seconds; passed++) {
      await before?.(this.now);
      this.now += STEP_MS;
      await Promise.all([
        this.#scene.sandbox.control.advance(STEP_MS / 1000),
        shop.advance(STEP_MS),
        pause(REAL_MS_PER_STEP),
      ]);
    }
  }

  async passWithoutShop(ms: number): Promise<void> {
    this.now += ms;
    await this.#scene.sandbox.control.advance(ms / 1000);
  }
}
