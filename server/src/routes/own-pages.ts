import { PaymentsError, rejectProblems } from '../errors.ts';
import { type RequestHeaders, readHeader } from '../support/headers.ts';

export interface OwnPages {
  /**
   * The shop's address in browsers. Needed to recognise pages of other origins in old browsers, and
   * on plain http, where no browser says which page sent the request.
   */
  publicUrl?: string | undefined;
  /** Other origins whose pages may call and read, such as `https://app.shop.example`. */
  allowedOrigins?: readonly string[] | undefined;
}

/** Names of headers that a page of another origin may send, as its preflight lists them. */
const REQUESTED_HEADERS = /^[\w, -]{1,500}$/;

/**
 * Rejects a request of a page of another origin with `foreign_request` (T73). Programs send neither
 * header, so they pass.
 */
export function rejectForeignPage(
  headers: RequestHeaders,
  { publicUrl, allowedOrigins = [] }: OwnPages,
): void {
  const [[origin], [site]] = [readHeader(headers, 'origin'), readHeader(headers, 'sec-fetch-site')];
  const own = publicUrl && new URL(publicUrl).origin;
  if (origin && allowedOrigins.includes(origin)) return;
  const isOwnSite = !site || site === 'same-origin' || site === 'none';
  const isOwnOrigin = !origin || !own || origin === own;
  if (isOwnSite && isOwnOrigin) return;
  const address = own ? ` Its address (publicUrl) is ${own}: open it there.` : '';
  throw new PaymentsError('foreign_request', `Only pages of this shop may call this.${address}`);
}

/**
 * Returns the headers by which pages of allowed origins may read a response, and preflight a
 * request, with their cookie. Without allowed origins, there are none.
 */
export function corsHeaders(
  headers: RequestHeaders,
  { allowedOrigins = [] }: OwnPages,
): Record<string, string> {
  if (!allowedOrigins.length) return {};
  const [origin = ''] = readHeader(headers, 'origin');
  if (!allowedOrigins.includes(origin)) return { Vary: 'Origin' };
  const [requested = ''] = readHeader(headers, 'access-control-request-headers');
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Allow-Methods': 'GET, POST',
    ...(REQUESTED_HEADERS.test(requested) && { 'Access-Control-Allow-Headers': requested }),
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    'Access-Control-Max-Age': '600',
  };
}

/** Fails with `invalid_request` for options that would reject every page or fail every request. */
export function assertOwnPages({ publicUrl, allowedOrigins = [] }: OwnPages): void {
  const areOrigins = allowedOrigins.every((one) => URL.parse(one)?.origin === one);
  rejectProblems({
    publicUrl:
      publicUrl !== undefined &&
      !/^https?:$/.test(URL.parse(publicUrl)?.protocol ?? '') &&
      'must be an address such as "https://shop.example".',
    allowedOrigins:
      !areOrigins &&
      'must be origins such as "https://app.shop.example", without a path or a final slash.',
  });
}
