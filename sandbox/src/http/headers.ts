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

/** Defaults of every response, errors included; a cacheable one overwrites `Cache-Control`. */
export const baseHeaders: RequestHandler = (_req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
  next();
};

export const apiHeaders: RequestHandler = helmet({
  ...BASE,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { ...SEALED, frameAncestors: ["'none'"] },
  },
});

export interface PageRules {
  readonly frameAncestors: (req: IncomingMessage) => readonly string[];
  readonly trustedTypes: readonly string[];
}

/**
 * Headers of our pages. They allow only our own scripts, styles, calls and frames, and Trusted
 * Types, no referrer, no cache (T53). COEP and CORP let a cross-origin isolated page frame them
 * (D26).
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
 * Headers of a file that pages load. `crossOrigin` files may be read and timed by pages of any
 * origin, since they are the same for everybody.
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
