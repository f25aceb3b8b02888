/**
 * What the harnesses of the fault plan have in common (budgets F1–F15). A harness does one kind of
 * harm to the real shop and counts what was lost.
 *
 * To add one: write `fN-what-happens.ts` that exports `FN: Harness`, name it in `harnesses.ts`, and
 * put a `.long.test.ts` beside it (`f4-webhooks-dropped.long.test.ts` shows how), which runs the
 * short form and each of its broken builds. `run` starts the shop below the folder `source`, which is
 * this project or a copy of its shop with one fault written in: as a process by
 * `ShopProcess.start({ source, … })`, which can be killed, frozen and moved in time, or in this
 * process by `import(join(source, 'server/src/service/client.ts'))`. A broken build names the exact text it
 * replaces; where that text is gone it fails loudly, and is to be written anew. Every draw comes
 * from `random`, so that a seed plays the same again.
 */
import { fileURLToPath } from 'node:url';

import type { SourcePatch } from './broken-build.ts';
import { Random } from './random.ts';

/** This project, sound as it is. */
export const SOUND = fileURLToPath(new URL('../..', import.meta.url));

export type DatabaseKind = 'sqlite' | 'postgres';

/** How a harness is run. */
export interface HarnessOptions {
  database: DatabaseKind;
  /** `short`: seconds, for tests. `full`: the figures of the fault plan. */
  scale: 'short' | 'full';
  /** The folder with the `server` and `bff-example` that are harmed; this project by default. */
  source?: string;
  seed?: number;
  /** Is added to the popup's script: a broken popup's. */
  script?: string;
  /** How long a soak lasts. */
  minutes?: number;
}

/** What came of it. No `failures`: survived. */
export interface HarnessResult {
  id: string;
  database: DatabaseKind;
  figures: Record<string, number | string>;
  failures: string[];
}

/** One kind of harm. */
export interface Harness {
  readonly id: string;
  /** In a few words, for the table. */
  readonly what: string;
  readonly databases: readonly DatabaseKind[];
  /** Why this machine cannot play it, where it cannot. */
  readonly whyNotHere?: string | undefined;
  run(options: HarnessOptions): Promise<HarnessResult>;
  /** Builds of the shop that are wrong in a way this harness must notice. */
  readonly broken: readonly BrokenBuild[];
}

/** A shop with one mistake, as people make them. */
export interface BrokenBuild {
  readonly name: string;
  readonly patches: readonly SourcePatch[];
  /** What the popup's script does besides, where the mistake is in the popup. */
  readonly script?: string;
  /** Where the mistake shows; everywhere by default. */
  readonly databases?: readonly DatabaseKind[];
  /**
   * Left to `npm run faults -- --broken`: it takes long, and another harness or test notices the
   * same.
   */
  readonly isLong?: boolean;
}

/** Gathers a harness's figures and failures. */
export class Findings {
  readonly figures: Record<string, number | string> = {};
  readonly failures: string[] = [];
  readonly random: Random;
  readonly #id: string;
  readonly #database: DatabaseKind;
  readonly #scale: HarnessOptions['scale'];

  constructor(id: string, { database, scale, seed = Random.newSeed() }: HarnessOptions) {
    this.#id = id;
    this.#database = database;
    this.#scale = scale;
    this.random = new Random(seed);
    this.figures.seed = seed;
  }

  /** Notes a figure, and a failure where it is above what is allowed. */
  limit(name: string, value: number, atMost: number): void {
    this.figures[name] = value;
    if (!(value <= atMost)) this.failures.push(`${name}: ${value}, at most ${atMost} allowed`);
  }

  /**
   * The same for a figure that is the machine's as well: the short form runs beside other tests,
   * and only tells.
   */
  limitInFull(name: string, value: number, atMost: number): void {
    if (this.#scale === 'full') this.limit(name, value, atMost);
    else this.figures[name] = value;
  }

  /**
   * Notes a figure, and a failure where it is below what is asked, so that a harness that did no
   * harm does not pass.
   */
  require(name: string, value: number, atLeast: number): void {
    this.figures[name] = value;
    if (!(value >= atLeast)) this.failures.push(`${name}: ${value}, at least ${atLeast} asked`);
  }

  /**
   * The same for what is drawn by chance: so few as are three spreads below the number expected
   * come nearly never. Few draws may give none.
   */
  requireDrawn(name: string, value: number, expected: number): void {
    this.require(name, value, Math.max(0, Math.floor(expected - 3 * Math.sqrt(expected))));
  }

  result(): HarnessResult {
    return {
      id: this.#id,
      database: this.#database,
      figures: this.figures,
      failures: this.failures,
    };
  }
}
