import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { build } from 'vite';

/**
 * Two merchant pages that differ in their script alone, on an origin that is neither the service's
 * nor of its site.
 */
export interface MerchantPages {
  url: string;
  close(): void;
}

/** Serves `/popup` with the real script and `/floor` with the least popup that Lit can be. */
export async function serveMerchantPages(serviceUrl: string): Promise<MerchantPages> {
  const floor = await buildFloor();
  const scripts = new Map([
    ['/popup', `${serviceUrl}/js/v1/inline.js`],
    ['/floor', '/floor.js'],
  ]);
  const server = createServer(({ url = '/' }, response) => {
    const script = scripts.get(url);
    if (url === '/floor.js') response.setHeader('content-type', 'text/javascript').end(floor);
    else if (script)
      response.setHeader('content-type', 'text/html; charset=utf-8').end(pageWith(script));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
}

/** Options for `getPaid` that nobody has used before. */
export function freshOptions() {
  return {
    key: 'pub_sandbox_demo',
    email: 'mary@example.com',
    reference: `bench-${crypto.randomUUID()}`,
    amount: 10,
    currency: 'ZMW',
  };
}

function pageWith(script: string): string {
  return `<!doctype html><html lang="en"><title>A merchant</title><body><h1>A merchant</h1><script src="${script}"></script></body></html>`;
}

async function buildFloor(): Promise<string> {
  const entry = fileURLToPath(new URL('floor/lit-floor.ts', import.meta.url));
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      lib: { entry, formats: ['iife'], name: 'floor', fileName: () => 'floor.js' },
    },
  });
  const [output] = Array.isArray(result) ? result : [];
  const chunk = output?.output[0];
  if (!chunk) throw new Error('The Lit floor could not be built.');
  return chunk.code;
}
