import type { FrameTheme } from '@service-pay/contract/frame-messages';

const NAMES = ['accent', 'radius', 'font', 'place'] as const;

/** Reads the page's custom properties for the frame, which parses each of them (T22). */
export function readTheme(style: Pick<CSSStyleDeclaration, 'getPropertyValue'>): FrameTheme {
  const theme: FrameTheme = {};
  for (const name of NAMES) {
    const value = style.getPropertyValue(`--service-pay-${name}`).trim();
    if (value) theme[name] = value;
  }
  return theme;
}
