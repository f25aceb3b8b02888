import { html, type TemplateResult } from 'lit';

/** The icons of later screens; the others are in `icons.ts`, which every first form loads. */
export const checkIcon: TemplateResult = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="m5 12.5 4.5 4.5L19 7.5" /></svg>`;
export const globeIcon: TemplateResult = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8.5" /><path d="M3.5 12h17M12 3.5c-5 5-5 12 0 17 5-5 5-12 0-17" /></svg>`;
export const chevronIcon: TemplateResult = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="m8 10 4 4 4-4" /></svg>`;
export const crossIcon: TemplateResult = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="m7 7 10 10M17 7 7 17" /></svg>`;
