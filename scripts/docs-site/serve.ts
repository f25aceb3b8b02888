import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
const COMPRESSED = /text|javascript|json|svg/;

export interface ServeSettings {
  folder: string;
  port: number;
  serviceUrl: string;
}

/** Serves a built site on loopback. An address without an extension is a page. */
export async function serveSite({
  folder,
  port,
  serviceUrl,
}: ServeSettings): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((req, res) => {
    const path = normalize(
      decodeURIComponent(new URL(req.url ?? '/', 'http://localhost').pathname),
    );
    if (path === '/playground.json') {
      res.setHeader('content-type', 'application/json');
      return void res.end(JSON.stringify({ serviceUrl }));
    }
    const file = findFile(path);
    const name = file ?? join(folder, '404.html');
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    const isHashed = path.startsWith('/assets/');
    const isCompressed = COMPRESSED.test(type) && /gzip/.test(`${req.headers['accept-encoding']}`);
    res.writeHead(file ? 200 : 404, {
      'content-type': type,
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      ...(isCompressed && { 'content-encoding': 'gzip', vary: 'accept-encoding' }),
    });
    const bytes = readFileSync(name);
    res.end(isCompressed ? gzipSync(bytes) : bytes);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  function findFile(path: string): string | undefined {
    const base = join(folder, path);
    return [base, `${base}.html`, join(base, 'index.html')].find(
      (file) => existsSync(file) && statSync(file).isFile(),
    );
  }
}
