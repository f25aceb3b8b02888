import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const BASE = {
  strictTransportSecurity: false,
  xFrameOptions: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
} as const;
const SEALED = { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] };

/** What every answer carries unless it is meant to be kept: errors too. */
export const baseHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
  next();
};

/** What every JSON answer carries: read by nobody's page, kept by nobody. */
export const apiHeaders: RequestHandler = helmet({
  ...BASE,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { ...SEALED, frameAncestors: ["'none'"] },
  },
});

/** What decides about a page: who may frame it, and the Trusted Types policies its script makes. */
export interface PageRules {
  readonly frameAncestors: (req: IncomingMessage) => readonly string[];
  readonly trustedTypes: readonly string[];
}

/**
 * Headers of a page of ours: nothing but our own scripts, styles, calls and frames, Trusted Types,
 * no referrer, no cache (T53). COEP and CORP let a page that isolates itself frame it (D26).
 */
export function pageHeaders({ frameAncestors, trustedTypes }: PageRules): RequestHandler {
  const self = ["'self'"];
  return helmet({
    ...BASE,
    crossOriginOpenerPolicy: false,
    crossOriginEmbedderPolicy: { policy: 'require-corp' },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        ...SEALED,
        scriptSrc: self,
        styleSrc: self,
        imgSrc: [...self, 'data:'],
        connectSrc: self,
        frameSrc: self,
        frameAncestors: [(req) => frameAncestors(req).join(' ')],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: [...trustedTypes],
      },
    },
  });
}

/**
 * Headers of a file that pages load: its kind is not guessed. `crossOrigin` files may be loaded,
 * read and timed by pages of any origin: they are the same for everybody.
 */
export function fileHeaders({ crossOrigin }: { crossOrigin: boolean }): RequestHandler {
  return (_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Cross-Origin-Resource-Policy', crossOrigin ? 'cross-origin' : 'same-origin');
    if (crossOrigin) {
      res.setHeader('Access-Control-Allow-Origin', '*');
      res.setHeader('Timing-Allow-Origin', '*');
    }
    next();
  };
}
