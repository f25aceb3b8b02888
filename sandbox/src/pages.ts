import { readFile } from 'node:fs/promises';
import { type Request, type RequestHandler, Router } from 'express';

import { ApiError } from './api-answers.ts';
import type { Access } from './guard.ts';
import { guardControls } from './guard.ts';
import type { Merchants } from './merchants.ts';
import { CHALLENGES_PATH, PHONES_PATH } from './paths.ts';
import type { PaymentFlow } from './payment-flow.ts';
import { fileHeaders, pageHeaders } from './response-headers.ts';

const FILES = new Map([
  ['pages.css', 'text/css'],
  ['challenge.js', 'text/javascript'],
  ['handset.js', 'text/javascript'],
  ['icon.svg', 'image/svg+xml'],
]);

/** The sandbox's own pages, the pretend handset and the bank's challenge: fixed files that fetch what they show and set it as text (T56). */
export function buildPages({ flow, merchants, access }: { flow: PaymentFlow; merchants: Merchants; access: Access }): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get(
    `${PHONES_PATH}/:number`,
    refuseClosedHandset(access),
    pageHeaders({ frameAncestors: () => ["'none'"], trustedTypes: ["'none'"] }),
    sendPage('handset.html'),
  );

  router.get(
    `${CHALLENGES_PATH}/:secret`,
    (req: Request<{ secret: string }>, res, next) => {
      const { session } = flow.findChallenge(req.params.secret);
      // The rule is asked of every ancestor: the checkout page, and the merchant's page around it.
      const frameAncestors = () => ["'self'", ...(merchants.find(session.merchant)?.allowedOrigins ?? [])];
      pageHeaders({ frameAncestors, trustedTypes: ["'none'"] })(req, res, next);
    },
    sendPage('challenge.html'),
  );

  router.get('/assets/:name', fileHeaders({ crossOrigin: false }), async (req: Request<{ name: string }>, res) => {
    const type = FILES.get(req.params.name);
    if (!type) throw new ApiError('not_found', 'There is no such file.');
    res.setHeader('Cache-Control', 'no-cache');
    res.type(type).send(await readPage(req.params.name));
  });

  router.get('/favicon.ico', fileHeaders({ crossOrigin: false }), async (_req, res) => {
    res.setHeader('Cache-Control', 'public, max-age=86400');
    res.type('image/svg+xml').send(await readPage('icon.svg'));
  });

  return router;
}

/** A browser cannot send the token with a visit: its person gets the page, which shows nothing before it has asked for the token. */
function refuseClosedHandset(access: Access): RequestHandler {
  const guard = guardControls(access);
  return (req, res, next) => (access.token !== null && req.accepts(['json', 'html']) === 'html' ? next() : guard(req, res, next));
}

function sendPage(name: string): RequestHandler {
  return async (_req, res) => {
    res.type('html').send(await readPage(name));
  };
}

function readPage(name: string): Promise<Buffer> {
  return readFile(new URL(`../pages/${name}`, import.meta.url));
}
