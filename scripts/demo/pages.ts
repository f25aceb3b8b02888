import { globSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import express from 'express';

import { ROOT } from '../programs/run-tool.ts';
import { readDocumentedPolicy } from './documented-policy.ts';
import { GALLERY_PATH, gallery } from './gallery.ts';
import { buildPageScript } from './page-script.ts';
import { type Served, serve } from './serve.ts';

const PAGES = join(ROOT, 'public');

/** Addresses that the files in `public/` contain, so that they work when copied. */
const WRITTEN = { service: 'http://localhost:4010', shop: 'http://localhost:3000' };

/** Sections of `npm.html` that were pages. */
const FORMER_PAGES = ['preload', 'react', 'theming'];

export interface DemoPagesSettings {
  port: number;
  serviceUrl: string;
  shopUrl: string;
}

/**
 * Serves `public/` on an origin of its own, on loopback. Files are read at each request. Pages and
 * TypeScript name the running service and shop; `x.js` is built from `x.ts` or `x.tsx`.
 */
export function startDemoPages({ port, serviceUrl, shopUrl }: DemoPagesSettings): Promise<Served> {
  const app = express().disable('x-powered-by');
  const read = (file: string) => fill(readFileSync(join(PAGES, file), 'utf8'));
  const fill = (text: string) =>
    text.replaceAll(WRITTEN.service, serviceUrl).replaceAll(WRITTEN.shop, shopUrl);

  app.use((_request, response, next) => {
    response.set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    next();
  });
  app.use(['/strict-csp.html', '/npm.html'], (_request, response, next) => {
    response.set(strictHeaders(serviceUrl));
    next();
  });
  for (const file of globSync('**/*.{html,ts,tsx}', { cwd: PAGES })) {
    const { dir, name, ext } = parse(file);
    const type = ext === '.html' ? 'html' : 'text';
    app.get(`/${file}`, (_request, response) => response.type(type).send(read(file)));
    if (ext !== '.html')
      app.get(`/${join(dir, name)}.js`, async (_request, response) =>
        response.type('js').send(fill(await buildPageScript(join(PAGES, file)))),
      );
  }
  app.get('/', (_request, response) => response.type('html').send(read('index.html')));
  for (const section of FORMER_PAGES)
    app.get(`/${section}.html`, (_request, response) => response.redirect(`/npm.html#${section}`));
  app.use(GALLERY_PATH, gallery);
  app.use(express.static(PAGES, { cacheControl: false }));
  return serve(app, port);
}

/** The documented policy with the page's own files, and isolation. */
function strictHeaders(service: string): Record<string, string> {
  const policy = new Map([['default-src', "'none'"], ...readDocumentedPolicy(service)]);
  for (const own of ['script-src', 'connect-src', 'style-src', 'img-src'])
    policy.set(own, `'self' ${policy.get(own) ?? ''}`.trim());
  for (const none of ['base-uri', 'form-action', 'frame-ancestors']) policy.set(none, "'none'");
  return {
    'content-security-policy': [...policy].map((directive) => directive.join(' ')).join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'permissions-policy': 'payment=(), camera=(), geolocation=(), microphone=()',
    'referrer-policy': 'no-referrer',
  };
}
