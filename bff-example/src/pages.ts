import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Payments, PaymentsError } from '@service-pay/server';
import { notFoundHandler, parseReference } from '@service-pay/server/express';
import express, { type Request, type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import type { BrowserCookie } from './browser-cookie.ts';
import type { Config } from './config.ts';
import type { Cart } from './orders.ts';

const PAGES = new URL('../pages/', import.meta.url);
const ASSETS = fileURLToPath(new URL('../assets/', import.meta.url));

const FLOW = fileURLToPath(import.meta.resolve('@service-pay/widget/flow'));

const OF_PROGRAMS = /^\/(?:api|assets|webhooks)(?:\/|$)/;

export interface PagesDeps {
  payments: Payments<Cart>;
  cookie: BrowserCookie;
  limit: RequestHandler;
  scriptUrl: string;
  publicKey: string;
}

/**
 * Headers of every response. The policy allows the shop's own files, pictures of the named origins,
 * and the service's origin for its script, its frame, and the request that finds out why a frame
 * did not load. It allows no inline code and no text that becomes script.
 */
export function buildHeaders({
  scriptUrl,
  publicUrl,
  imageOrigins,
}: Pick<Config, 'scriptUrl' | 'imageOrigins'> & { publicUrl: string }) {
  const service = new URL(scriptUrl).origin;
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'", service],
        'style-src': ["'self'"],
        'img-src': ["'self'", ...imageOrigins],
        'connect-src': ["'self'", service],
        'frame-src': [service],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
        'require-trusted-types-for': ["'script'"],
        'trusted-types': ['service-pay'],
      },
    },
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
    // YOURS: whether your other subdomains are https too
    strictTransportSecurity: publicUrl.startsWith('https:') && { includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  });
}

/**
 * Responds if no route matched: with a page for a person, or `404·11` in the envelope for a
 * program.
 */
export function buildNotFound(): RequestHandler {
  const page = readPage('message.html', {
    heading: 'There is no such page',
    words: 'The address may be mistyped, or the page is gone. What you ordered and paid is safe.',
  });
  return (req, res, next) => {
    if (req.method !== 'GET' || OF_PROGRAMS.test(req.path) || !isForPerson(req))
      return void notFoundHandler(req, res, next);
    res.locals.errorCode = 'route_not_found';
    res.status(404).set('Cache-Control', 'no-store').type('html').send(page);
  };
}

export function buildPages({ payments, cookie, limit, scriptUrl, publicKey }: PagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const shop = readPage('shop.html', { scriptUrl, publicKey });
  const element = readPage('element.html', { scriptUrl, publicKey });
  const returned = readPage('return.html', { scriptUrl });
  const unknown = readPage('message.html', {
    heading: 'We do not know this order here',
    words:
      'Open it in the browser you ordered with. If you paid, the order is safe: the shop confirms it by itself.',
  });

  router.use(
    '/assets',
    express.static(ASSETS, { index: false, redirect: false, fallthrough: true }),
  );
  router.get('/assets/flow.js', (_req, res) => res.sendFile(FLOW));
  router.get('/favicon.ico', (_req, res) => res.sendFile('mark.svg', { root: ASSETS }));

  for (const [path, html] of [
    ['/', shop],
    ['/element', element],
  ] as const) {
    router.get(path, (req, res) => {
      cookie.ensure(req, res);
      res.set('Cache-Control', 'no-store').type('html').send(html);
    });
  }

  /**
   * Reads only the reference from the address. A person gets an error as a page and, while the
   * database is down, a page that keeps polling.
   */
  router.get('/payments/return', limit, async (req, res) => {
    res.set('Cache-Control', 'no-store');
    try {
      const whose = { owner: cookie.find(req) };
      await payments.find(parseReference(req.query.reference), whose);
      res.type('html').send(returned);
    } catch (error) {
      if (!isForPerson(req) || !(error instanceof PaymentsError)) throw error;
      const page = error.code === 'unavailable' ? returned : unknown;
      res.status(error.httpStatus).type('html').send(page);
    }
  });

  return router;
}

/** A browser accepts text/html by name; a client that accepts anything is a program. */
function isForPerson(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

function readPage(name: string, values: Record<string, string>): string {
  return readFileSync(new URL(name, PAGES), 'utf8').replace(/\{\{(\w+)\}\}/g, (_, value) =>
    escapeHtml(values[value] ?? ''),
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
