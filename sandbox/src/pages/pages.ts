import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, sep } from 'node:path';
import { type Request, type RequestHandler, Router } from 'express';
import { ApiError } from '../http/answers.ts';
import type { Access } from '../http/guard.ts';
import { guardControls } from '../http/guard.ts';
import { fileHeaders, pageHeaders } from '../http/headers.ts';
import { CHALLENGES_PATH, DASHBOARD_PATH, PHONES_PATH } from '../paths.ts';
import type { Merchants } from '../payments/merchants.ts';
import type { PaymentFlow } from '../payments/payment-flow.ts';
import { MODULES_PATH, readModules } from './lit-modules.ts';

const FOLDER = new URL('../../pages/', import.meta.url);
/** The module that loads Lit; Lit creates the policy `lit-html` for its templates. */
const LIT = 'parts/lit.js';
const LIT_POLICY = 'lit-html';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

const FILES = new Set(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) in TYPES)
    .map((name) => name.replaceAll(sep, '/')),
);

/**
 * Serves the dashboard, the handset and the bank's challenge: static files that fetch their data
 * and set it as text (T56).
 */
export function buildPages({
  flow,
  merchants,
  access,
}: {
  flow: PaymentFlow;
  merchants: Merchants;
  access: Access;
}): Router {
  const router = Router({ caseSensitive: true, strict: true });

  const alone = [
    refuseWithoutToken(access),
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
      const { session } = flow.findChallenge(req.params.secret);
      // The rule applies to every ancestor: the checkout page, and the merchant's page around it.
      const frameAncestors = () => [
        "'self'",
        ...(merchants.find(session.merchant)?.allowedOrigins ?? []),
      ];
      pageHeaders({ frameAncestors, trustedTypes: [LIT_POLICY] })(req, res, next);
    },
    sendPage('challenge.html'),
  );

  let modules: ReturnType<typeof readModules> | undefined;
  router.get(
    [`/assets/${LIT}`, `${MODULES_PATH}*module`],
    fileHeaders({ crossOrigin: false }),
    async (req, res) => {
      modules ??= readModules(new URL(LIT, FOLDER), `/assets/${LIT}`);
      const source = (await modules).get(req.path);
      if (source === undefined) throw new ApiError('not_found', 'This file does not exist.');
      res.setHeader('Cache-Control', 'no-cache');
      res.type('text/javascript').send(source);
    },
  );

  router.get(
    '/assets/*path',
    fileHeaders({ crossOrigin: false }),
    async (req: Request<{ path: string[] }>, res) => {
      const name = req.params.path.join('/');
      if (!FILES.has(name)) throw new ApiError('not_found', 'This file does not exist.');
      res.setHeader('Cache-Control', 'no-cache');
      res.type(TYPES[extname(name)]!).send(await readPage(name));
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
function refuseWithoutToken(access: Access): RequestHandler {
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

function readPage(name: string): Promise<Buffer> {
  return readFile(new URL(name, FOLDER));
}
