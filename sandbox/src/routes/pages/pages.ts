import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Request, type RequestHandler, Router } from 'express';
import { ApiError } from '../../http/api-error.ts';
import type { Access } from '../../http/guard.ts';
import { guardControls } from '../../http/guard.ts';
import { fileHeaders, pageHeaders } from '../../http/headers.ts';
import { CHALLENGES_PATH, DASHBOARD_PATH, PHONES_PATH } from '../../http/paths.ts';
import type { Merchants } from '../../payments/merchants.ts';
import type { Payments } from '../../payments/payments.ts';

/** What Vite makes of `sandbox/pages`. */
const FOLDER = new URL('../../../pages/dist/', import.meta.url);
/** The policy that Lit creates for its templates. */
const LIT_POLICY = 'lit-html';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/**
 * Serves the dashboard, the handset and the bank's challenge: static files that fetch their data
 * and set it as text (T56).
 */
export function buildPages({
  payments,
  merchants,
  access,
}: {
  payments: Payments;
  merchants: Merchants;
  access: Access;
}): Router {
  const router = Router({ caseSensitive: true, strict: true });

  const alone = [
    guardUnlessBrowser(access),
    pageHeaders({ frameAncestors: () => ["'none'"], trustedTypes: [LIT_POLICY] }),
  ];
  router.get('/', (req, res, next) => {
    if (req.accepts(['html', 'json']) === 'html') res.redirect(DASHBOARD_PATH);
    else next();
  });
  router.get(DASHBOARD_PATH, ...alone, sendPage('dashboard.html'));
  router.get(`${PHONES_PATH}/:number`, ...alone, sendPage('handset.html'));

  router.get(
    `${CHALLENGES_PATH}/:secret`,
    (req: Request<{ secret: string }>, res, next) => {
      const { session } = payments.findChallenge(req.params.secret);
      // The rule applies to every ancestor: the checkout page, and the merchant's page around it.
      const { allowedOrigins } = merchants.get(session.merchant);
      const frameAncestors = () => ["'self'", ...allowedOrigins];
      pageHeaders({ frameAncestors, trustedTypes: [LIT_POLICY] })(req, res, next);
    },
    sendPage('challenge.html'),
  );

  router.get(
    '/assets/*path',
    fileHeaders({ crossOrigin: false }),
    async (req: Request<{ path: string[] }>, res) => {
      const [name, ending = ''] =
        /^[\w-]+(\.(?:css|js|svg))$/.exec(req.params.path.join('/')) ?? [];
      if (name === undefined) throw new ApiError('not_found', 'This file does not exist.');
      const bytes = await readPage(name);
      res.setHeader('Cache-Control', 'no-cache');
      res.type(TYPES[ending]!).send(bytes);
    },
  );

  router.get('/favicon.ico', fileHeaders({ crossOrigin: false }), async (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=86400');
    res.type('image/svg+xml').send(await readPage('icon.svg'));
  });

  return router;
}

/**
 * Browsers cannot send the token when they navigate, so the page is served and asks for the token
 * before it shows anything.
 */
function guardUnlessBrowser(access: Access): RequestHandler {
  const guard = guardControls(access);
  return (req, res, next) =>
    access.token !== null && req.accepts(['json', 'html']) === 'html'
      ? next()
      : guard(req, res, next);
}

function sendPage(name: string): RequestHandler {
  return async (_req, res) => {
    res.type('html').send(await readPage(name));
  };
}

async function readPage(name: string): Promise<Buffer> {
  try {
    return await readFile(new URL(name, FOLDER));
  } catch {
    throw existsSync(FOLDER)
      ? new ApiError('not_found', 'This file does not exist.')
      : new ApiError(
          'failed',
          'The pages are not built. Run "npm run build" in the project, then reload.',
        );
  }
}
