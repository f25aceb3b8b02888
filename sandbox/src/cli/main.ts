#!/usr/bin/env node
import { readFileSync } from 'node:fs';

import { type Config, parseConfig, USAGE } from './flags.ts';

const LEAST_NODE = [22, 19];

requireNode();
const config = readConfig();
if (config.task === 'help') process.stdout.write(USAGE);
else if (config.task === 'version') process.stdout.write(`${readVersion()}\n`);
// What serves is read only once it is known that it is wanted: a bad flag is answered at once.
else await (await import('./run.ts')).runSandbox(config);

/** An older Node would end with a stack trace of a library. */
function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  process.stderr.write(
    `The sandbox needs Node ${LEAST_NODE.join('.')} or newer; this is ${process.versions.node}. Install a newer Node.\n`,
  );
  process.exit(1);
}

function readConfig(): Config {
  try {
    return parseConfig(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(
      `${(error as Error).message}\nnpx @service-pay/sandbox --help says how it is called.\n`,
    );
    process.exit(2);
  }
}

function readVersion(): string {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { version: string };
  return version;
}
