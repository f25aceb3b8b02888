import { css, html, type TemplateResult } from 'lit';
import { clockIcon, warningIcon } from './icons.ts';

export const remarkStyles = css`
  .remark {
    background: var(--waiting-tint);
    /* Seen where the browser forces its colours. */
    border: 1px solid transparent;
    border-radius: var(--field-radius);
    color: var(--text);
    display: flex;
    font-size: 0.875rem;
    gap: 8px;
    padding: 11px;
    text-align: start;
  }
  .remark .icon {
    color: var(--waiting);
  }
`;

/** Renders what a customer should know about a wait. */
export function renderRemark(text: string, isWarning: boolean): TemplateResult {
  return html`<p class="remark">${isWarning ? warningIcon : clockIcon}<span>${text}</span></p>`;
}
