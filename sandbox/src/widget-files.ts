import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Request, type RequestHandler, Router } from 'express';

import { ApiError } from './api-answers.ts';
import { sendCheckoutPage } from './checkout-page.ts';
import type { Clock } from './clock.ts';
import type { Faults } from './faults.ts';
import { isOrigin, type Merchants } from './merchants.ts';
import { fileHeaders, pageHeaders } from './response-headers.ts';

/** What serving the widget takes. `dist` is the folder its build wrote. */
export interface WidgetFilesDeps {
  dist: string;
  merchants: Merchants;
  clock: Clock;
  faults: Faults;
}

const MOVING = 'public, max-age=60';
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The policy that Lit makes under Trusted Types. */
const CHECKOUT_TRUSTED_TYPES = ['lit-html'];

/** Where the installed widget's build is. */
export function findWidgetDist(): string {
  return fileURLToPath(new URL('./dist', import.meta.resolve('@service-pay/widget/package.json')));
}

/** Serves the script, its immutable copies and integrity, and the checkout page, as the widget's build wrote them. */
export function buildWidgetFiles({ dist, merchants, clock, faults }: WidgetFilesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const forEveryone = fileHeaders({ crossOrigin: true });

  router.get('/js/v1/inline.js', faults.inject('script'), forEveryone, send('js/v1/inline.js', MOVING, 'text/javascript'));
  router.get('/js/v1/integrity.json', forEveryone, send('js/v1/integrity.json', MOVING, 'application/json'));
  router.get('/js/:version/inline.js', faults.inject('script'), forEveryone, (req: Request<{ version: string }>, res, next) => {
    const { version } = req.params;
    if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version)) return next();
    return send(`js/${version}/inline.js`, IMMUTABLE, 'text/javascript')(req, res, next);
  });

  router.get(
    '/checkout/v1/',
    faults.inject('checkoutPage'),
    pageHeaders({ frameAncestors: (req) => frameAncestorsFor(req, merchants), trustedTypes: CHECKOUT_TRUSTED_TYPES }),
    sendCheckoutPage({ file: join(dist, 'checkout/v1/index.html'), merchants, clock }),
    async () => {
      throw await whyMissing();
    },
  );
  router.get(
    '/checkout/v1/assets/:name',
    faults.inject('checkoutPage'),
    fileHeaders({ crossOrigin: false }),
    (req: Request<{ name: string }>, res, next) => {
      const kind = /^[\w-]+\.(js|css|svg)$/.exec(req.params.name)?.[1];
      if (!kind) return next();
      const type = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }[kind]!;
      return send(`checkout/v1/assets/${req.params.name}`, IMMUTABLE, type)(req, res, next);
    },
  );

  return router;

  function send(file: string, cacheControl: string, type: string): RequestHandler {
    return async (req, res) => {
      const found = await readCompressed(join(dist, file), req);
      if (!found) throw await whyMissing();
      res.setHeader('Cache-Control', cacheControl);
      res.setHeader('Vary', 'Accept-Encoding');
      if (found.encoding) res.setHeader('Content-Encoding', found.encoding);
      res.setHeader('ETag', `"${createHash('sha256').update(found.bytes).digest('base64url').slice(0, 22)}"`);
      res.setHeader('Content-Type', `${type}; charset=utf-8`);
      res.send(found.bytes);
    };
  }

  async function whyMissing(): Promise<ApiError> {
    const isBuilt = await readFile(join(dist, 'js/v1/integrity.json')).then(
      () => true,
      () => false,
    );
    return isBuilt
      ? new ApiError('not_found', 'The widget has no such file.')
      : new ApiError('failed', 'The widget is not built. Run "npm run build" in the project, then reload.');
  }
}

/**
 * Who may frame the checkout page: the origins the merchant registered, never what the query says (T26, T27). A query whose
 * `origin` cannot be one of them gets nobody. An unknown key may be framed anywhere: the page then only says that it is unknown.
 */
function frameAncestorsFor(req: IncomingMessage, merchants: Merchants): readonly string[] {
  const query = new URL(req.url ?? '', 'http://localhost').searchParams;
  const [origin = '', ...others] = query.getAll('origin');
  if (others.length || !isOrigin(origin)) return ["'none'"];
  const merchant = merchants.find(query.get('key') ?? '');
  const allowed = merchant?.allowedOrigins ?? ['*'];
  return allowed.includes('*') ? ['*'] : allowed.includes(origin) ? allowed : ["'none'"];
}

const ENCODINGS = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
] as const;

async function readCompressed(path: string, req: Request): Promise<{ bytes: Buffer; encoding?: string } | undefined> {
  for (const { encoding, ending } of ENCODINGS) {
    if (!req.acceptsEncodings(encoding)) continue;
    const bytes = await readFile(path + ending).catch(() => undefined);
    if (bytes) return { bytes, encoding };
  }
  const bytes = await readFile(path).catch(() => undefined);
  return bytes && { bytes };
}
