import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

import { newestIn } from '../build/is-stale.ts';
import { ROOT } from '../programs/run-tool.ts';

export const GALLERY_PATH = '/gallery/';

const SOURCES = ['widget/src', 'contract/src', 'vite.config.ts'].map((source) =>
  join(ROOT, source),
);

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

const PLAIN = 'text/plain; charset=utf-8';

/**
 * As strict as the pages it shows: its own files and frames alone, and the Trusted Types policies
 * of the page's script and the frame's.
 */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types service-pay lit-html',
  ].join('; '),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

let built: { files: Promise<Map<string, string | Uint8Array>>; at: number } | undefined;

/**
 * Answers a request for a path of the gallery. Builds it on the first request, and again when its
 * source has changed.
 */
export async function answerGallery(pathname: string, response: ServerResponse): Promise<void> {
  const name = pathname.slice(GALLERY_PATH.length) || 'index.html';
  const send = (status: number, type: string, body: string | Uint8Array) =>
    response.writeHead(status, { ...HEADERS, 'content-type': type }).end(body);
  try {
    const type = TYPES[extname(name)];
    const body = (await files(name === 'index.html')).get(name);
    if (body === undefined || !type) send(404, PLAIN, 'There is no such page.\n');
    else send(200, type, body);
  } catch (error) {
    send(500, PLAIN, `${(error as Error).message}\n`);
  }
}

export async function startGallery(): Promise<{ url: string; close(): Promise<void> }> {
  await files(true);
  const server = createServer(
    (request, response) =>
      void answerGallery(new URL(request.url ?? '/', 'http://localhost').pathname, response),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}${GALLERY_PATH}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function files(mayBuildAgain: boolean): Promise<Map<string, string | Uint8Array>> {
  const newest = !built || mayBuildAgain ? Math.max(...SOURCES.map(newestIn)) : 0;
  if (!built || built.at < newest) built = { files: build(), at: newest };
  return built.files;
}

async function build(): Promise<Map<string, string | Uint8Array>> {
  // Not imported above: a start should not wait for it.
  const vite = await import('vite');
  const result = await vite.build({
    configFile: join(ROOT, 'vite.config.ts'),
    mode: 'gallery',
    build: { write: false },
  });
  if (!('output' in result)) throw new Error('The gallery was not built in one go.');
  return new Map(
    result.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
  );
}
