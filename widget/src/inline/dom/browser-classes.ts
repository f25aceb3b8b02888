/** The browser's classes; on a server, empty ones that can be named. Injected into the npm package. */
export const HTMLElement = globalThis.HTMLElement ?? class {};
export const CSSStyleSheet = globalThis.CSSStyleSheet ?? class {};
