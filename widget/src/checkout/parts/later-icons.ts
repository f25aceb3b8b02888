import { svg, type TemplateResult } from 'lit';
import { icon } from './icons.ts';

/** The icons of later screens; the others are in `icons.ts`, which every first form loads. */
export const checkIcon: TemplateResult = icon(svg`<path d="m5 12.5 4.5 4.5L19 7.5" />`);
export const globeIcon: TemplateResult = icon(
  svg`<circle cx="12" cy="12" r="8.5" /><path d="M3.5 12h17M12 3.5c-5 5-5 12 0 17 5-5 5-12 0-17" />`,
);
export const chevronIcon: TemplateResult = icon(svg`<path d="m8 10 4 4 4-4" />`);
export const crossIcon: TemplateResult = icon(svg`<path d="m7 7 10 10M17 7 7 17" />`);
