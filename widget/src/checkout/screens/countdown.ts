import { css, html, nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/messages.ts';
import { clockIcon } from '../parts/icons.ts';

export const timeStyles = css`
  .time {
    align-items: center;
    color: var(--waiting);
    display: flex;
    font-variant-numeric: tabular-nums;
    font-weight: 600;
    gap: 6px;
  }
`;

/**
 * How long a wait still lasts, where somebody knows: counted in sight, and read only when asked
 * for.
 */
export function renderTimeLeft(
  words: Messages,
  secondsLeft: number | undefined,
): TemplateResult | typeof nothing {
  if (secondsLeft === undefined) return nothing;
  const seconds = String(secondsLeft % 60).padStart(2, '0');
  return html`<p class="time" role="timer">${clockIcon}${words.timeLeft(Math.floor(secondsLeft / 60), seconds)}</p>`;
}
