import type { RuleResult } from '../check/run-rules.ts';

/** Prints results as they come, and counts them. */
export class ResultPrinter {
  readonly #isJson: boolean;
  readonly #counts = { ok: 0, fails: 0, 'not tried': 0 };
  #last: RuleResult | undefined;
  #isSound = true;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  /** False once a rule failed, or could not be tried because of another fault. */
  get isSound(): boolean {
    return this.#isSound;
  }

  /** As text, rules that an obstacle skips are only counted. */
  print(result: RuleResult): void {
    this.#counts[result.result] += 1;
    this.#isSound &&= isSoundResult(result);
    const last = this.#last;
    if (this.#isJson) write(`${JSON.stringify(result)}\n`);
    else if (result.isSkipped) {
      if (last?.reason !== result.reason)
        write(`\n${result.reason} The other rules are not tried.\n`);
    } else {
      if (result.chapter !== last?.chapter) write(`\n${result.chapter}\n`);
      write(formatResult(result, last?.reason));
    }
    this.#last = result;
  }

  printCounts(before = ''): void {
    const { ok, fails, 'not tried': untried } = this.#counts;
    const line = `${before}${ok} ok, ${fails} fail, ${untried} not tried\n`;
    if (this.#isJson) process.stderr.write(line);
    else write(`\n${line}`);
  }
}

/** Returns whether a service or a shop may be used as far as this result says. */
export function isSoundResult({ result, isBlocked }: RuleResult): boolean {
  return result !== 'fails' && !isBlocked;
}

/**
 * Returns the lines of one rule: what failed, unless it is the reason of the rule before, and the
 * sentence that asks for it.
 */
export function formatResult(
  { rule, result, reason, because }: RuleResult,
  reasonBefore?: string,
): string {
  const lines = [`  ${result.padEnd(9)}  ${rule}`];
  if (reason !== undefined && reason !== reasonBefore) lines.push(`${' '.repeat(13)}${reason}`);
  if (result === 'fails' && because) lines.push(`${' '.repeat(13)}Required: ${because}`);
  return `${lines.join('\n')}\n`;
}

function write(text: string): void {
  process.stdout.write(text);
}
