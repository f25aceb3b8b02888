import { randomBytes } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import type { Request, Response } from 'express';

const A_YEAR_SECONDS = 365 * 24 * 60 * 60;
const ID_BYTES = 16;

export interface BrowserCookie {
  find(req: Request): string | undefined;
  ensure(req: Request, res: Response): string;
}

/**
 * Builds the cookie of a shop: signed, http-only, `SameSite=Lax`, and beyond loopback `Secure`
 * under a `__Host-` name.
 */
export function buildBrowserCookie(publicUrl: string, sessionSecret: string): BrowserCookie {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? '__Host-service-pay-browser' : 'service-pay-browser';
  return { find, ensure };

  function find(req: Request): string | undefined {
    const value = parseCookie(req.headers.cookie ?? '')[name];
    return (value && unsign(value, sessionSecret)) || undefined;
  }

  function ensure(req: Request, res: Response): string {
    const known = find(req);
    if (known) return known;
    const id = randomBytes(ID_BYTES).toString('base64url');
    res.append(
      'Set-Cookie',
      stringifySetCookie({
        name,
        value: sign(id, sessionSecret),
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure,
        maxAge: A_YEAR_SECONDS,
      }),
    );
    return id;
  }
}
