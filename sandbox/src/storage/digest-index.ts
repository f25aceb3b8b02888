/**
 * Finds things by a long text of theirs without keeping the text: by a small number made of it, and
 * by asking each thing found there whether it is the one. A map of texts would keep 60 bytes more
 * for each.
 */
export class DigestIndex<Thing extends object> {
  readonly #things = new Map<number, Thing | Thing[]>();

  add(text: string, thing: Thing): void {
    const key = numberOf(text);
    const known = this.#things.get(key);
    this.#things.set(key, known === undefined ? thing : [...toList(known), thing]);
  }

  /**
   * The thing that was added under `text`, which `isIt` tells from others under the same number.
   */
  find(text: string, isIt: (thing: Thing) => boolean): Thing | undefined {
    return toList(this.#things.get(numberOf(text))).find(isIt);
  }

  /** Takes back one `add`. */
  delete(text: string, thing: Thing): void {
    const key = numberOf(text);
    const things = toList(this.#things.get(key));
    const left = things.toSpliced(things.indexOf(thing), things.includes(thing) ? 1 : 0);
    if (left.length) this.#things.set(key, left.length === 1 ? left[0]! : left);
    else this.#things.delete(key);
  }

  clear(): void {
    this.#things.clear();
  }
}

function toList<Thing extends object>(things: Thing | Thing[] | undefined): Thing[] {
  if (things === undefined) return [];
  return Array.isArray(things) ? things : [things];
}

/** Of 30 bits, which take no memory of their own. */
function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 2;
}
