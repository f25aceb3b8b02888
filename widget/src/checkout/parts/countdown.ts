import { css, html, nothing, svg, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/messages.ts';
import { clockIcon, phoneIcon } from './icons.ts';

const RADIUS = 46;
const ROUND = 2 * Math.PI * RADIUS;

export const timeStyles = css`
  .time {
    align-items: center;
    color: var(--waiting);
    display: flex;
    font-variant-numeric: tabular-nums;
    font-weight: 600;
    gap: 6px;
  }
  .ring {
    --ring: min(7em, 144px);
    block-size: var(--ring);
    display: grid;
    flex: none;
    inline-size: var(--ring);
    place-items: center;
  }
  .ring > * {
    grid-area: 1 / 1;
  }
  .ring svg:not(.icon) {
    block-size: 100%;
    fill: none;
    inline-size: 100%;
    rotate: -90deg;
    stroke: var(--line);
    stroke-width: 5;
  }
  .ring .track {
    stroke: var(--hairline);
  }
  .ring .left {
    stroke-linecap: round;
    transition: stroke-dashoffset 1s linear;
  }
  .ring .icon {
    block-size: calc(var(--ring) * 0.38);
    inline-size: calc(var(--ring) * 0.38);
    margin-block-end: calc(var(--ring) * 0.2);
  }
  .ring .icon,
  .ring .time {
    color: var(--line);
  }
  .ring .time {
    align-self: end;
    color: var(--text);
    font-size: max(0.8125rem, var(--ring) * 0.134);
    margin-block-end: calc(var(--ring) * 0.155);
  }
  .tight .ring {
    --ring: 5.5em;
  }
  @media (max-height: 42.5em) {
    .ring {
      --ring: 5.5em;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .ring .left {
      transition: none;
    }
  }
  @media (forced-colors: active) {
    .ring svg:not(.icon) {
      stroke: CanvasText;
    }
    .ring .track {
      stroke: Canvas;
    }
  }
`;

/** Renders the remaining time, if known: visible, but only announced on request. */
export function renderTimeLeft(
  words: Messages,
  secondsLeft: number | undefined,
): TemplateResult | typeof nothing {
  return secondsLeft === undefined
    ? nothing
    : html`<p class="time" role="timer">${clockIcon}${textOf(words, secondsLeft)}</p>`;
}

export function renderTimeRing(
  words: Messages,
  secondsLeft: number | undefined,
  partLeft: number | undefined,
): TemplateResult {
  return html`
    <div class="ring">
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle class="track" cx="50" cy="50" r=${RADIUS} />
        ${
          partLeft === undefined
            ? nothing
            : svg`<circle class="left" cx="50" cy="50" r=${RADIUS} stroke-dasharray=${ROUND}
                stroke-dashoffset=${ROUND * (1 - partLeft)} />`
        }
      </svg>
      ${phoneIcon}
      ${
        secondsLeft === undefined
          ? nothing
          : html`<p class="time" role="timer" aria-label=${textOf(words, secondsLeft)}>
              ${clockTime(secondsLeft)}
            </p>`
      }
    </div>
  `;
}

function textOf(words: Messages, secondsLeft: number): string {
  const [minutes, seconds] = clockTime(secondsLeft).split(':');
  return words.timeLeft(Number(minutes), seconds!);
}

function clockTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
