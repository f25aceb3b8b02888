import { parseArgs } from 'node:util';

import { buildStaleWidget } from './build/built-widget.ts';
import { buildSite, serveSite } from './docs/site.ts';
import { startServerProgram } from './programs/server-program.ts';

// `npm run docs` builds the documentation site and serves it with a sandbox for its playground.

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: process.env['DOCS_PORT'] ?? '3002' } },
});

try {
  console.log('Building the documentation site. The first time installs VitePress and TypeDoc.');
  await buildStaleWidget();
  const port = process.env['SANDBOX_PORT'] ?? '0';
  const sandbox = await startServerProgram('sandbox/src/cli/main.ts', ['--port', port], {
    LOG_LEVEL: 'warn',
  });
  await buildSite(sandbox.url);
  const site = await serveSite(Number(options.port));
  console.log(`Documentation  ${site.url}\nSandbox        ${sandbox.url}\nCtrl-C stops both.`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void Promise.all([site.stop(), sandbox.stop()]));
} catch (error) {
  console.error((error as Error).message);
  process.exit(1); // also ends the sandbox
}
