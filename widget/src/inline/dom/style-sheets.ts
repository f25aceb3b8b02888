/**
 * Lit's `css-tag.js` in `inline.js`, without the part for browsers that have no adopted style
 * sheets: the popup does not open there, and an own button is drawn without its styles.
 */
export const supportsAdoptingStyleSheets: boolean =
  globalThis.document && 'adoptedStyleSheets' in document;

class CSSResult {
  readonly cssText: string;
  #sheet: CSSStyleSheet | undefined;

  constructor(cssText: string) {
    this.cssText = cssText;
  }

  get styleSheet(): CSSStyleSheet {
    if (!this.#sheet) {
      this.#sheet = new CSSStyleSheet();
      this.#sheet.replaceSync(this.cssText);
    }
    return this.#sheet;
  }

  toString(): string {
    return this.cssText;
  }
}

export function unsafeCSS(cssText: string): CSSResult {
  return new CSSResult(cssText);
}

export function adoptStyles(root: ShadowRoot, styles: readonly CSSResult[]): void {
  if (supportsAdoptingStyleSheets)
    root.adoptedStyleSheets = styles.map(({ styleSheet }) => styleSheet);
}

export function getCompatibleStyle(style: CSSResult): CSSResult {
  return style;
}

// Exported by Lit, too, and used by nobody here.
export { CSSResult, unsafeCSS as css };
