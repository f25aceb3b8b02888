import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { build } from 'vite';

/** Merchant pages that differ in their script alone, on another site than the service's. */
export interface MerchantPages {
  url: string;
  inputUrl: string;
  close(): void;
}

const INPUT_PAGE =
  '<!doctype html><html lang="en"><title>Floor</title><input autocomplete="cc-number" aria-label="Card number">';

/**
 * Serves `/popup` with the real script, `/lit-floor` with the smallest popup of Lit, and
 * `/input-floor` with the smallest form.
 */
export async function serveMerchantPages(serviceUrl: string): Promise<MerchantPages> {
  const pages = new Map([
    ['/popup', pageWith(`${serviceUrl}/js/v1/inline.js`)],
    ['/lit-floor', pageWith('/lit-floor.js')],
    ['/input-floor', pageWith('/input-floor.js')],
    ['/input', INPUT_PAGE],
  ]);
  const scripts = new Map([
    ['/lit-floor.js', await buildFloor('lit-floor')],
    ['/input-floor.js', await buildFloor('input-floor')],
  ]);
  const server = createServer(({ url = '/' }, response) => {
    const script = scripts.get(url);
    const page = pages.get(url);
    if (script) response.setHeader('content-type', 'text/javascript').end(script);
    else if (page) response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    inputUrl: `http://localhost:${port}/input`,
    close: () => server.close(),
  };
}

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

async function buildFloor(name: string): Promise<string> {
  const entry = fileURLToPath(new URL(`../floor/${name}.ts`, import.meta.url));
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
  if (!chunk) throw new Error(`The floor ${name} could not be built.`);
  return chunk.code;
}
