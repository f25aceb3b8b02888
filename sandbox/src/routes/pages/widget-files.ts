import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Request, type RequestHandler, Router } from 'express';
import type { Faults } from '../../faults/faults.ts';
import { ApiError } from '../../http/api-error.ts';
import { fileHeaders, pageHeaders } from '../../http/headers.ts';
import { isOrigin } from '../../http/origin.ts';
import { namePath } from '../../http/responses.ts';
import type { Merchants } from '../../payments/merchants.ts';
import type { Clock } from '../../time/clock.ts';
import { sendCheckoutPage } from './checkout-page.ts';

export interface WidgetFilesDeps {
  widgetDist: string;
  merchants: Merchants;
  clock: Clock;
  faults: Faults;
}

/**
 * Revalidated after a minute; meanwhile a copy up to an hour old may be used, so that no page
 * waits.
 */
const MOVING = 'public, max-age=60, stale-while-revalidate=3600';
const IMMUTABLE = 'public, max-age=31536000, immutable';

const RELEASED = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

const CHECKOUT_TRUSTED_TYPES = ['lit-html'];

export function findWidgetDist(): string {
  return fileURLToPath(new URL('./dist', import.meta.resolve('@service-pay/widget/package.json')));
}

export function buildWidgetFiles({
  widgetDist: dist,
  merchants,
  clock,
  faults,
}: WidgetFilesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  for (const name of ['integrity.json', 'scripts.json']) {
    router.get(`/js/v1/${name}`, send(`js/v1/${name}`, MOVING, 'application/json'));
  }
  for (const script of ['inline.js', 'flow.js']) {
    router.get(
      `/js/:version/${script}`,
      faults.inject('script'),
      sendOf(script, 'text/javascript'),
    );
  }
  router.get(
    '/js/:version/words/:language',
    (req: Request<{ version: string; language: string }>, res, next) => {
      const { language } = req.params;
      if (!/^[a-z]{2}\.json$/.test(language)) return next();
      return sendOf(`words/${language}`, 'application/json')(req, res, next);
    },
  );

  router.get('/js/*path', ({ path }, _res, next) => {
    if (path.endsWith('.json')) return next();
    throw new ApiError(
      'not_found',
      `There is no script at ${namePath(path)}. Load /js/v1/inline.js, or /js/v1/flow.js for the page library.`,
    );
  });

  router.get(
    '/checkout/v1/',
    faults.inject('checkoutPage'),
    pageHeaders({
      frameAncestors: (req) => frameAncestorsFor(req, merchants),
      trustedTypes: CHECKOUT_TRUSTED_TYPES,
    }),
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

  /**
   * Sends a file of the version in the path: `v1`, which moves, or a release, which never changes.
   */
  function sendOf(file: string, type: string): RequestHandler<{ version: string }> {
    return async (req, res, next) => {
      const { version } = req.params;
      if (version === 'v1') return send(`js/v1/${file}`, MOVING, type)(req as Request, res, next);
      if (!RELEASED.test(version)) return next();
      if (await isBuilt(`js/${version}/inline.js`))
        return send(`js/${version}/${file}`, IMMUTABLE, type)(req as Request, res, next);
      throw new ApiError(
        'not_found',
        `This sandbox does not have version ${version} of the script. /js/v1/integrity.json names the version it has.`,
      );
    };
  }

  function send(file: string, cacheControl: string, type: string): RequestHandler {
    return async (req, res) => {
      const found = await readCompressed(join(dist, file), req);
      if (!found) throw await whyMissing();
      res.setHeader('Cache-Control', cacheControl);
      res.setHeader('Vary', 'Accept-Encoding');
      if (found.encoding) res.setHeader('Content-Encoding', found.encoding);
      res.setHeader(
        'ETag',
        `"${createHash('sha256').update(found.bytes).digest('base64url').slice(0, 22)}"`,
      );
      res.setHeader('Content-Type', `${type}; charset=utf-8`);
      res.send(found.bytes);
    };
  }

  async function whyMissing(): Promise<ApiError> {
    return (await isBuilt('js/v1/integrity.json'))
      ? new ApiError('not_found', 'The widget does not have this file.')
      : new ApiError(
          'failed',
          'The widget is not built. Run "npm run build" in the project, then reload.',
        );
  }

  function isBuilt(file: string): Promise<boolean> {
    return access(join(dist, file)).then(
      () => true,
      () => false,
    );
  }
}

/**
 * Returns the origins that may frame the checkout page: those the merchant registered, never the
 * query's (T26, T27). An unknown key may be framed anywhere, because the page then only says so.
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

async function readCompressed(
  path: string,
  req: Request,
): Promise<{ bytes: Buffer; encoding?: string } | undefined> {
  for (const { encoding, ending } of ENCODINGS) {
    if (!req.acceptsEncodings(encoding)) continue;
    const bytes = await readFile(path + ending).catch(() => undefined);
    if (bytes) return { bytes, encoding };
  }
  const bytes = await readFile(path).catch(() => undefined);
  return bytes && { bytes };
}
