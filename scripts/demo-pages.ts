import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** What the demo pages are told, besides their files. Each fills the placeholder of its name, `{{scriptUrl}}`, in every page; `{{serviceUrl}}` is the script's origin. */
export interface DemoPagesSettings {
  folder: string;
  port: number;
  scriptUrl: string;
  publicKey: string;
  shopUrl: string;
}

/**
 * Serves a folder of static pages on an origin of its own, as a merchant's page is: read at each request, so that a change
 * shows at once. Sends the strict policy that `docs/integrate.md` prints. Listens on loopback alone.
 */
export async function startDemoPages({ folder, port, ...settings }: DemoPagesSettings): Promise<{ url: string; close(): Promise<void> }> {
  const serviceUrl = new URL(settings.scriptUrl).origin;
  const headers = {
    'content-security-policy': contentSecurityPolicy(serviceUrl),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  const server = createServer((request, response) => {
    const pathname = (request.url ?? '/').replace(/[?#].*/, '');
    const file = filesOf(folder).get(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    const type = file && TYPES[extname(file)];
    if (!file || !type) return send(response, 404, { ...headers, 'content-type': 'text/plain; charset=utf-8' }, 'There is no such page.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return send(response, 405, { ...headers, allow: 'GET, HEAD' }, '');
    }
    const bytes = readFileSync(file);
    send(
      response,
      200,
      { ...headers, 'content-type': type },
      extname(file) === '.html' ? fill(bytes.toString(), { ...settings, serviceUrl }) : bytes,
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The directives a merchant's page needs for the service at an origin, and nothing else. */
function contentSecurityPolicy(service: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${service}`,
    `frame-src ${service}`,
    `connect-src ${service}`,
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types service-pay',
  ].join('; ');
}

/** Every file by the path it is asked for: a path that leads anywhere else is simply none of them. */
function filesOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(folder.replace(/\/+$/, '').length).split(sep).join('/'), file];
    }),
  );
}

function fill(page: string, settings: Record<string, string>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) =>
    Object.hasOwn(settings, name) ? escapeHtml(settings[name]!) : placeholder,
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: string | Buffer): void {
  response.writeHead(status, headers).end(body);
}
