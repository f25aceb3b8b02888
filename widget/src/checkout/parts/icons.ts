import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit';

/**
 * The icons of the first form, in the colour of the text around them. Each is beside words that say
 * the same.
 */
export const cardIcon: TemplateResult = icon(
  svg`<rect x="3" y="5.5" width="18" height="13" rx="2.5" /><path d="M3 10h18M7 14.5h3" />`,
);
export const phoneIcon: TemplateResult = icon(
  svg`<rect x="7" y="3" width="10" height="18" rx="2.5" /><path d="M11 17.5h2" />`,
);
export const lockIcon: TemplateResult = icon(
  svg`<rect x="5" y="11" width="14" height="9" rx="2" /><path d="M8 11V8a4 4 0 0 1 8 0v3" />`,
);
export const warningIcon: TemplateResult = icon(
  svg`<path d="M12 4.5 21 19.5H3ZM12 10.5v4M12 16.8v.2" />`,
);
export const clockIcon: TemplateResult = icon(
  svg`<circle cx="12" cy="12" r="8.5" /><path d="M12 7.5V12l3 2" />`,
);

/** Checks a logo of a record: a frame draws no other address than an image inside the record. */
export function isLogo(url: string | undefined): url is string {
  return /^data:image\/(?:png|svg\+xml)[;,]/.test(url ?? '');
}

/** Draws a shape of 24 by 24 in the colour of the text around it. */
export function icon(shape: SVGTemplateResult): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${shape}</svg>`;
}
