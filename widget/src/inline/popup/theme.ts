import type { FrameTheme } from '@service-pay/contract/frame-messages';

/** Plain values only: a colour function, one length, a list of font names (T22). */
const PLAIN: Record<keyof FrameTheme, RegExp> = {
  accent:
    /^(?:#[0-9a-f]{3,8}|[a-z-]{3,20}|(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\([-\w\s.,%/+]{1,80}\))$/i,
  radius: /^[0-9]{1,3}(?:\.[0-9]{1,3})?(?:px|r?em)?$/,
  font: /^[-\p{L}\p{N}\s,"']{1,200}$/u,
};

/** Reads the page's custom properties for the frame. Drops values that are not plain (T22). */
export function readTheme(style: Pick<CSSStyleDeclaration, 'getPropertyValue'>): FrameTheme {
  const theme: FrameTheme = {};
  for (const name of Object.keys(PLAIN) as (keyof FrameTheme)[]) {
    const value = style.getPropertyValue(`--service-pay-${name}`).trim();
    if (PLAIN[name].test(value)) theme[name] = value;
  }
  return theme;
}
