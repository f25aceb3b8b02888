import type { FrameTheme } from '@service-pay/contract/frame-messages';

const NAMES = ['accent', 'radius', 'font', 'place'] as const;

/** Words and numbers, or one short function: the frame parses each of them (T22). */
const PLAIN = /^(?:[-#\p{L}\d\s.,"']{1,200}|(?!var)[a-z]{3,5}\([-\w\s.,%/+]{1,80}\))$/iu;

/** Reads the page's custom properties for the frame. Drops values that are not plain (T22). */
export function readTheme(style: Pick<CSSStyleDeclaration, 'getPropertyValue'>): FrameTheme {
  const theme: FrameTheme = {};
  for (const name of NAMES) {
    const value = style.getPropertyValue(`--service-pay-${name}`).trim();
    if (PLAIN.test(value)) theme[name] = value;
  }
  return theme;
}
