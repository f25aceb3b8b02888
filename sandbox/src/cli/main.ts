#!/usr/bin/env node
import { readFileSync } from 'node:fs';

import { findNodeProblem } from '@service-pay/contract/node-version';
import { withOwnCommand } from '@service-pay/contract/own-command';
import { type Config, parseConfig, USAGE } from './flags.ts';

const nodeProblem = findNodeProblem('The sandbox');
if (nodeProblem) {
  process.stderr.write(`${nodeProblem}\n`);
  process.exit(1);
}
const [command, ...args] = process.argv.slice(2);
if (command === 'check') {
  const { runCheckCommand } = await import('./check.ts');
  process.exit(await runCheckCommand(args));
}
if (command === 'check-shop') {
  const { runCheckShopCommand } = await import('./check-shop.ts');
  process.exit(await runCheckShopCommand(args));
}
const config = readConfig();
if (config.task === 'help') process.stdout.write(withOwnCommand(USAGE, 'service-pay-sandbox'));
else if (config.task === 'version') process.stdout.write(`${readVersion()}\n`);
// Loaded late, so that `--help` and a bad flag need not wait for it.
else await (await import('./run.ts')).runSandbox(config);

function readConfig(): Config {
  try {
    return parseConfig(process.argv.slice(2));
  } catch (error) {
    const text = `${(error as Error).message}\nSee npx --no -- service-pay-sandbox --help.\n`;
    process.stderr.write(withOwnCommand(text, 'service-pay-sandbox'));
    process.exit(2);
  }
}

function readVersion(): string {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  return version;
}
