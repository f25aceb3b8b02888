/**
 * The base of the fault harnesses (budgets F1–F15). A harness disturbs the real shop in one way and
 * counts what is lost.
 *
 * To add one: write `fN-what-happens.ts` that exports `FN: Harness`, name it in `harnesses.ts`, and
 * put a `.long.test.ts` beside it (see `f4-webhooks-dropped.long.test.ts`), which runs the short
 * form and each of its broken builds. `run` starts the shop as a process, which can be killed, frozen
 * and moved in time. A broken build is the shop with one module replaced by a mutant (`mutants.ts`).
 * Every draw comes from `random`, so that a seed plays the same again.
 */
import { Random } from './random.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

export interface HarnessOptions {
  database: DatabaseKind;
  /** `short`: seconds, for tests. `full`: the figures of the fault plan. */
  scale: 'short' | 'full';
  seed?: number;
  /** Replaces a module of the shop by this mutant. */
  mutant?: string;
  /** Appended to the popup's script, to break it. */
  script?: string;
  minutes?: number;
}

export interface HarnessResult {
  id: string;
  database: DatabaseKind;
  figures: Record<string, number | string>;
  failures: string[];
}

export interface Harness {
  readonly id: string;
  readonly what: string;
  readonly databases: readonly DatabaseKind[];
  /** The reason why this machine cannot play it, if any. */
  readonly whyNotHere?: string | undefined;
  run(options: HarnessOptions): Promise<HarnessResult>;
  readonly broken: readonly BrokenBuild[];
}

export interface BrokenBuild {
  /** The name of its mutant, unless it has a `script`. */
  readonly name: string;
  /** Appended to the popup's script, if the mistake is in the popup. */
  readonly script?: string;
  /** The databases on which the mistake shows; all by default. */
  readonly databases?: readonly DatabaseKind[];
  /**
   * Left to `npm run faults -- --broken`: it takes long, and another harness or test notices the
   * same.
   */
  readonly isLong?: boolean;
}

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

  /** Notes a figure, and a failure if it is above the limit. */
  limit(name: string, value: number, atMost: number): void {
    this.figures[name] = value;
    if (!(value <= atMost)) this.failures.push(`${name}: ${value}, at most ${atMost} allowed`);
  }

  /**
   * The same for a figure that depends on the machine: the short form runs beside other tests and
   * only reports it.
   */
  limitInFull(name: string, value: number, atMost: number): void {
    if (this.#scale === 'full') this.limit(name, value, atMost);
    else this.figures[name] = value;
  }

  /**
   * Notes a figure, and a failure if it is below the least: a harness that did no harm must not
   * pass.
   */
  require(name: string, value: number, atLeast: number): void {
    this.figures[name] = value;
    if (!(value >= atLeast)) this.failures.push(`${name}: ${value}, at least ${atLeast} required`);
  }

  /**
   * The same for a number drawn by chance, which may be three standard deviations below the
   * expected one. A few draws may give none.
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
