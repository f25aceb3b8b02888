import { createHash, timingSafeEqual } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import type { Request, RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

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
 * Returns the names that a sandbox started with `hosts` serves: for all interfaces, the name and
 * every address of the machine.
 */
export function hostsFor(hosts: readonly string[]): ReadonlySet<string> {
  return new Set([...LOOPBACK_HOSTS, ...hosts.flatMap(namesOf)]);
}

/** Returns the names in `hosts` that other machines can use, too. */
export function namesElsewhere(hosts: ReadonlySet<string>): string[] {
  return [...hosts].filter((host) => !LOOPBACK_HOSTS.includes(host));
}

export function isEveryInterface(host: string): boolean {
  return EVERY_INTERFACE.includes(host);
}

function namesOf(host: string): string[] {
  if (!isEveryInterface(host)) return [host.toLowerCase()];
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => address)];
}

/** Rejects requests for another host with 401·13, such as those of a page using DNS rebinding. */
export function checkHost({ hosts }: Access): RequestHandler {
  return (req, _res, next) => {
    const [header, ...others] = req.headersDistinct['host'] ?? [];
    const isPlain = header !== undefined && !others.length && HOST_PATTERN.test(header);
    const name = isPlain && URL.parse(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '');
    if (!name || !hosts.has(name)) {
      throw new ApiError(
        'access_denied',
        'This sandbox does not serve that host name. To allow it, restart with --host <name>.',
      );
    }
    next();
  };
}

/**
 * Rejects a change requested by a page of another origin with 401·13. Programs send neither header
 * and pass. Preflights are never granted.
 */
export const rejectForeignPages: RequestHandler = (req, _res, next) => {
  if (req.method === 'OPTIONS') throw new ApiError('not_found', 'Other origins may not call this.');
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    const origin = req.headers['origin'];
    const site = req.headers['sec-fetch-site'];
    if (
      (origin !== undefined && !isOwnOrigin(origin, req)) ||
      (site !== undefined && site !== 'same-origin' && site !== 'none')
    ) {
      throw new ApiError(
        'access_denied',
        'Pages of other origins may not change anything here. A proxy must forward the Host header.',
      );
    }
  }
  next();
};

/**
 * Requires the token for the controls if other machines can reach the sandbox; otherwise rejects
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
        'This sandbox is open to other machines: send the token that it printed, as X-Sandbox-Token.',
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
