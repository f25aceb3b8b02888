import type { World } from './world.ts';

/**
 * One end of a channel between page and frame: messages arrive in order, sooner or later, sometimes
 * twice, never at a closed end.
 */
export class Port {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  isClosed = false;
  #other: Port | undefined;
  #arrivesAt = 0;
  readonly #world: World;

  constructor(world: World, other?: Port) {
    this.#world = world;
    this.#other = other;
    if (other) other.#other = this;
  }

  postMessage(data: unknown): void {
    if (this.isClosed) return;
    const luck = this.#world.chance();
    this.#arrivesAt = Math.max(
      this.#arrivesAt,
      this.#world.now + (luck > 900 ? 1_500 : luck > 600 ? 200 : 1),
    );
    for (let copies = luck % 10 === 9 ? 2 : 1; copies > 0; copies--) {
      this.#world.after(this.#arrivesAt - this.#world.now, () => {
        if (!this.#other!.isClosed) this.#other!.onmessage?.({ data: structuredClone(data) });
      });
    }
  }

  close(): void {
    this.isClosed = true;
  }
}
