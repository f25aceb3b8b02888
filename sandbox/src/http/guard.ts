import { createHash, timingSafeEqual } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import type { Request, RequestHandler } from 'express';

import { ApiError } from './answers.ts';

export interface Access {
  readonly hosts: ReadonlySet<string>;
  readonly token: string | null;
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '::1'];
const HOST_PATTERN = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?$/i;
const EVERY_INTERFACE = ['0.0.0.0', '::'];

export function isHostName(text: string): boolean {
  return /^(?:[A-Za-z0-9.-]{1,253}|[0-9a-fA-F:.]{2,45})$/.test(text);
}

/**
 * The names a sandbox started with `host` answers to; for all interfaces, every address of the
 * machine.
 */
export function hostsFor(host: string | undefined): ReadonlySet<string> {
  if (host === undefined) return new Set(LOOPBACK_HOSTS);
  const named = EVERY_INTERFACE.includes(host)
    ? [
        hostname().toLowerCase(),
        ...Object.values(networkInterfaces()).flatMap(
          (all) => all?.map(({ address }) => address) ?? [],
        ),
      ]
    : [host.toLowerCase()];
  return new Set([...LOOPBACK_HOSTS, ...named]);
}

/** Refuses requests for another host with 401·13, such as those of a page using DNS rebinding. */
export function checkHost({ hosts }: Access): RequestHandler {
  return (req, _res, next) => {
    const [header, ...others] = req.headersDistinct['host'] ?? [];
    const isPlain = header !== undefined && !others.length && HOST_PATTERN.test(header);
    const name = isPlain && URL.parse(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '');
    if (!name || !hosts.has(name)) {
      throw new ApiError(
        'access_denied',
        'This sandbox does not answer to that host name. Start it with --host to allow one.',
      );
    }
    next();
  };
}

/**
 * Refuses a change requested by a page of another origin with 401·13. Programs send neither header
 * and pass. Preflights are never granted.
 */
export const refuseForeignPages: RequestHandler = (req, _res, next) => {
  if (req.method === 'OPTIONS') throw new ApiError('not_found', 'Other origins may not call this.');
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    const origin = req.headers['origin'];
    const site = req.headers['sec-fetch-site'];
    if (
      (origin !== undefined && !isOwnOrigin(origin, req)) ||
      (site !== undefined && site !== 'same-origin' && site !== 'none')
    ) {
      throw new ApiError('access_denied', 'Pages of other origins may not change anything here.');
    }
  }
  next();
};

/**
 * Requires the token for the controls if other machines can reach the sandbox; otherwise refuses
 * with 401·13 (T54).
 */
export function guardControls({ token }: Access): RequestHandler {
  return (req, _res, next) => {
    if (token === null) {
      const isProxied = Object.keys(req.headers).some(
        (name) => name === 'forwarded' || name === 'via' || name.startsWith('x-forwarded-'),
      );
      if (isProxied)
        throw new ApiError(
          'access_denied',
          'The controls do not work through a proxy. Start the sandbox with --host to allow that.',
        );
    } else if (!holdsToken(req, token)) {
      throw new ApiError(
        'access_denied',
        'This sandbox is open to other machines: send the token it printed as X-Sandbox-Token.',
      );
    }
    next();
  };
}

function isOwnOrigin(origin: string, req: Request): boolean {
  return origin === `http://${req.headers.host}` || origin === `https://${req.headers.host}`;
}

function holdsToken(req: Request, token: string): boolean {
  const given = req.headersDistinct['x-sandbox-token'];
  return given?.length === 1 && timingSafeEqual(digest(given[0]!), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
