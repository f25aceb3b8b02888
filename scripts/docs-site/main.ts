import { parseArgs } from 'node:util';

import { buildStaleWidget } from '../build/built-widget.ts';
import { startServerProgram } from '../programs/server-program.ts';
import { buildSite, SITE } from './build.ts';
import { measureSite } from './lighthouse.ts';
import { serveSite } from './serve.ts';

// `npm run docs` builds the documentation site and serves it with a sandbox for its playground.
// `-- --build` only builds it, and fails on a dead link. `-- --lighthouse` measures it.

const { values: options } = parseArgs({
  options: {
    build: { type: 'boolean', default: false },
    lighthouse: { type: 'boolean', default: false },
    port: { type: 'string', default: process.env['DOCS_PORT'] ?? '3002' },
  },
});

try {
  console.log('Building the documentation site. The first time installs VitePress.');
  const count = await buildSite();
  console.log(`${count} pages, no dead link: ${SITE}`);
  if (!options.build) await serve();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function serve(): Promise<void> {
  await buildStaleWidget();
  const port = process.env['SANDBOX_PORT'] ?? '0';
  const sandbox = await startServerProgram('sandbox/src/cli/main.ts', ['--port', port], {
    LOG_LEVEL: 'warn',
  });
  const site = await serveSite({
    folder: SITE,
    port: Number(options.port),
    serviceUrl: sandbox.url,
  });
  const stop = () => Promise.all([site.close(), sandbox.stop()]);
  if (options.lighthouse) {
    if (!(await measureSite(site.url))) process.exitCode = 1;
    await stop();
    return;
  }
  console.log(`Documentation  ${site.url}\nSandbox        ${sandbox.url}\nCtrl-C stops both.`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
}
