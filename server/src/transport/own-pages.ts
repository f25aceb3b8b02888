import { PaymentsError, rejectProblems } from '../errors.ts';

export interface OwnPages {
  /**
   * The shop's address in browsers. Needed to recognise pages of other origins in old browsers, and
   * on plain http, where no browser says which page sent the request.
   */
  publicUrl?: string | undefined;
  /** Other origins whose pages may call, such as `https://app.shop.example`. */
  allowedOrigins?: readonly string[] | undefined;
}

/**
 * Rejects a request of a page of another origin with `foreign_request` (T73). Programs send neither
 * header, so they pass.
 */
export function rejectForeignPage(
  { origin, site }: { origin: string | null | undefined; site: string | null | undefined },
  { publicUrl, allowedOrigins = [] }: OwnPages,
): void {
  const own = publicUrl && new URL(publicUrl).origin;
  if (origin && allowedOrigins.includes(origin)) return;
  const isOwnSite = !site || site === 'same-origin' || site === 'none';
  const isOwnOrigin = !origin || !own || origin === own;
  if (isOwnSite && isOwnOrigin) return;
  const address = own ? ` Its address (publicUrl) is ${own}: open it there.` : '';
  throw new PaymentsError('foreign_request', `Only pages of this shop may call this.${address}`);
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
