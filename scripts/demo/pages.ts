import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, sep } from 'node:path';

import { readDocumentedPolicy } from './documented-policy.ts';
import { answerGallery, GALLERY_PATH } from './gallery.ts';
import { buildPageScript } from './page-script.ts';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

const OWN_HEADERS: Record<string, Record<string, string>> = {
  '/strict-csp.html': {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'permissions-policy': 'payment=(), camera=(), geolocation=(), microphone=()',
  },
};

/**
 * Placeholders of the demo pages: each fills `{{itsName}}` in every page. `{{serviceUrl}}` is the
 * script's origin.
 */
export interface DemoPagesSettings {
  folder: string;
  port: number;
  scriptUrl: string;
  publicKey: string;
  shopUrl: string;
}

/**
 * Serves a folder of static pages on an origin of its own, on loopback, with the strict policy that
 * `docs/security.md` prints. Files are read at each request. In a page, `{{include /x.html}}` becomes
 * that file, `{{source}}` the page's text between `<!-- source -->` and `<!-- /source -->`,
 * `{{source /assets/x.js}}` the text of that file, and `{{headers}}` the page's response headers. A script `x.js` that does not exist is built from `x.ts` or
 * `x.tsx`.
 */
export async function startDemoPages({
  folder,
  port,
  ...settings
}: DemoPagesSettings): Promise<{ url: string; close(): Promise<void> }> {
  const serviceUrl = new URL(settings.scriptUrl).origin;
  const server = createServer((request, response) => {
    const pathname = (request.url ?? '/').replace(/[?#].*/, '').replace(/\/$/, '/index.html');
    if (pathname.startsWith(GALLERY_PATH)) return void answerGallery(pathname, response);
    const headers = headersOf(pathname, serviceUrl);
    answer(pathname, headers).then(
      (found) => {
        if (!found)
          return send(
            response,
            404,
            { ...headers, 'content-type': 'text/plain; charset=utf-8' },
            'There is no such page.\n',
          );
        if (request.method !== 'GET' && request.method !== 'HEAD')
          return send(response, 405, { ...headers, allow: 'GET, HEAD' }, '');
        send(response, 200, { ...headers, 'content-type': found.type }, found.body);
      },
      (error: Error) =>
        send(
          response,
          500,
          { ...headers, 'content-type': 'text/plain; charset=utf-8' },
          `${error.message}\n`,
        ),
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

  async function answer(
    pathname: string,
    headers: Record<string, string>,
  ): Promise<{ type: string; body: string | Buffer } | undefined> {
    const files = filesOf(folder);
    const type = TYPES[extname(pathname)];
    const file = files.get(pathname);
    if (type && file) {
      const bytes = readFileSync(file);
      const body =
        extname(file) === '.html'
          ? fill(bytes.toString(), files, { ...settings, serviceUrl, headers: toLines(headers) })
          : bytes;
      return { type, body };
    }
    const source =
      /\.js$/.test(pathname) &&
      (files.get(pathname.replace(/js$/, 'ts')) ?? files.get(pathname.replace(/js$/, 'tsx')));
    return source ? { type: TYPES['.js']!, body: await buildPageScript(source) } : undefined;
  }
}

function headersOf(pathname: string, service: string): Record<string, string> {
  const policy = new Map<string, string>([
    ['default-src', "'none'"],
    ...readDocumentedPolicy(service),
  ]);
  for (const own of ['script-src', 'style-src', 'img-src'])
    policy.set(own, `'self' ${policy.get(own) ?? ''}`.trim());
  for (const none of ['base-uri', 'form-action', 'frame-ancestors']) policy.set(none, "'none'");
  return {
    'content-security-policy': [...policy].map((directive) => directive.join(' ')).join('; '),
    ...OWN_HEADERS[pathname],
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

function toLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value.replaceAll('; ', ';\n  ')}`)
    .join('\n');
}

/**
 * Lists every file by its request path. Looking paths up here, instead of on disk, rules out `..`.
 */
function filesOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(folder.replace(/\/+$/, '').length).split(sep).join('/'), file];
    }),
  );
}

function fill(page: string, files: Map<string, string>, settings: Record<string, string>): string {
  const whole = page.replace(/\{\{include (\S+)\}\}/g, (placeholder, path: string) => {
    const file = files.get(path);
    return file ? readFileSync(file, 'utf8').trim() : placeholder;
  });
  const known = whole.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) =>
    Object.hasOwn(settings, name) ? escapeHtml(settings[name]!) : placeholder,
  );
  return known.replace(/\{\{source(?: (\S+))?\}\}/g, (placeholder, path?: string) => {
    if (!path) return escapeHtml(ownSource(known));
    const file = files.get(path);
    return file ? escapeHtml(readFileSync(file, 'utf8').trim()) : placeholder;
  });
}

function ownSource(page: string): string {
  const parts = [...page.matchAll(/^( *)<!-- source -->\n([\s\S]*?)\n *<!-- \/source -->/gm)];
  return parts
    .map(([, indent = '', part = '']) => part.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
    .join('\n\n');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function send(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string | Buffer,
): void {
  response.writeHead(status, headers).end(body);
}
