import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Keeps texts that resemble each other in a small part of their size, each as a string of one byte
 * a character. What is the same in most of them stands in `ordinary`, the likeliest last: a text is
 * packed as what differs from it.
 */
export class PackedText {
  readonly #how: {
    dictionary: Uint8Array;
    windowBits: number;
    memLevel: number;
    chunkSize: number;
  };

  constructor(ordinary: string) {
    // A chunk is given a buffer of its own: of ordinary size they would be most of the garbage.
    this.#how = { dictionary: Buffer.from(ordinary), windowBits: 12, memLevel: 4, chunkSize: 1024 };
  }

  pack(text: string): string {
    return deflateRawSync(text, this.#how).toString('latin1');
  }

  /** The text that was packed. Throws where it is none. */
  unpack(packed: string): string {
    return inflateRawSync(Buffer.from(packed, 'latin1'), this.#how).toString();
  }
}
