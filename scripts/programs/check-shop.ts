import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from './run-tool.ts';

interface CheckShopOptions {
  /** The body of the shop's order route. */
  readonly order?: object;
  /** Returns what the shop has printed. */
  readonly output: () => string;
  readonly args?: readonly string[];
}

interface RuleResult {
  readonly rule: string;
  readonly result: string;
  readonly reason?: string;
  readonly isSkipped?: boolean;
}

/** Finds the printed words about fulfilled orders, with the reference. Python's threads share lines. */
const SHIPPED = /ship honey (?:(?!ship honey )[\w-])*|^.*goods shipped.*$/gm;

/** Runs `check-shop` as a command, and returns the rules that were not kept, one a line. */
export async function findBrokenRules(
  shopUrl: string,
  sandboxUrl: string,
  { order = { sku: 'honey' }, output: printed, args = [] }: CheckShopOptions,
): Promise<string[]> {
  const file = join(tmpdir(), `order-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(order));
  const list = createServer((_req, res) => res.end(printed().match(SHIPPED)?.join('\n')));
  list.listen(0, '127.0.0.1');
  await once(list, 'listening');
  const { port } = list.address() as AddressInfo;
  const given = ['--shop', shopUrl, '--order', file, '--sandbox', sandboxUrl];
  const more = ['--fulfilled', `http://127.0.0.1:${port}/`, '--json', ...args];
  try {
    const { output, exitCode } = await runTool(
      'service-pay-sandbox',
      ['check-shop', ...given, ...more],
      {
        quiet: true,
      },
    );
    const results = output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as RuleResult);
    if (!results.length) return [`exit code ${exitCode}: ${output}`];
    return results
      .filter(({ result, isSkipped }) => result !== 'ok' && !isSkipped)
      .map(({ rule, result, reason }) => `${result}: ${rule}: ${reason}`);
  } finally {
    list.close();
    list.closeAllConnections();
    rmSync(file);
  }
}
