import { css } from '../dom/css.ts';

/**
 * Buttons drawn by the page's side: black or white text, whichever reads better on the accent, and
 * a focus ring that is visible on light and dark pages.
 */
export const buttonStyles = css`
  button {
    min-block-size: 48px;
    border: 0;
    outline-offset: 2px;
    background: var(--service-pay-fill);
    color: #fff;
    font: inherit;
    font-weight: 600;
    cursor: pointer;
  }
  button:active {
    opacity: 0.85;
  }
  button:focus-visible {
    outline: 2px solid var(--service-pay-fill);
  }
  @supports (color: color(from red xyz y y y)) {
    button {
      color: color(from var(--service-pay-fill) xyz clamp(0, (0.179 - y) * 1e9, 1.1) clamp(0, (0.179 - y) * 1e9, 1.1) clamp(0, (0.179 - y) * 1e9, 1.1));
    }
    button:focus-visible {
      outline-color: oklch(from var(--service-pay-fill) 0.6 c h);
    }
  }
  @media (forced-colors: active) {
    button {
      background: ButtonText;
      border: 1px solid;
      color: ButtonFace;
      forced-color-adjust: none;
    }
  }
`;

export const popupStyles = css`
  ${buttonStyles}
  /* The page's styles cannot hide the popup (T21), and it moves no neighbour in a grid. */
  :host {
    all: initial !important;
    position: fixed !important;
  }
  dialog {
    all: initial;
    --service-pay-surface: #fff;
    --service-pay-text: #15191c;
    --service-pay-quiet: #566168;
    --service-pay-bar: rgb(128 140 150 / 0.18);
    --service-pay-warning: #85540a;
    --service-pay-fill: var(--service-pay-accent, #0b6b4f);
    --service-pay-corner: var(--service-pay-radius, 16px);
    --service-pay-keyboard: 0px;
    --service-pay-sight: 100dvh;
    --service-pay-content: 570px;
    /* A strip of the shop stays visible, unless the screen is too low. */
    --service-pay-room: max(var(--service-pay-sight) - 48px, min(var(--service-pay-sight), 440px));
    color-scheme: light dark;
    display: block;
    position: fixed;
    inset: 0;
    margin: auto;
    inline-size: 420px;
    block-size: fit-content;
    max-block-size: 100%;
    color: var(--service-pay-text);
    font: 16px/1.45 var(--service-pay-font, system-ui, sans-serif);
  }
  dialog::backdrop {
    background: none;
  }
  .backdrop {
    inset: 0;
    z-index: -1;
    background: rgb(10 14 18 / 0.55);
    position: fixed;
    touch-action: pinch-zoom;
    animation: fade-in 160ms ease-out;
  }
  .card {
    position: relative;
    block-size: min(var(--service-pay-content), var(--service-pay-room));
    overflow: clip;
    /* Seen on a page as dark as the sheet, and in forced colours. */
    outline: 1px solid var(--service-pay-bar);
    border-radius: var(--service-pay-corner);
    background: var(--service-pay-surface);
    box-shadow: 0 12px 48px rgb(0 0 0 / 0.28);
    animation: grow 160ms ease-out;
    transition: block-size 200ms cubic-bezier(0.32, 0.72, 0, 1);
  }
  dialog[inert] > * {
    opacity: 0;
    transition: 200ms ease-in;
  }
  .told {
    block-size: auto;
  }
  /* As high as the room, and clipped below its content, so that its own height never changes. */
  ::slotted(iframe) {
    all: initial !important;
    block-size: var(--service-pay-room) !important;
    position: absolute !important;
    color-scheme: light dark !important;
    inline-size: 100% !important;
  }
  .over {
    position: absolute;
    inset: 0;
    display: flex;
    flex-direction: column;
    padding: 0 20px;
    background: var(--service-pay-surface);
  }
  /* Fades, then takes its boxes and animations with it. */
  .skeleton {
    transition: 120ms allow-discrete;
  }
  .skeleton[hidden] {
    display: none;
    opacity: 0;
  }
  i {
    display: block;
    block-size: 40px;
    border-radius: min(var(--service-pay-corner), 10px);
    background: var(--service-pay-bar);
    animation: breathe 1.2s ease-in-out infinite alternate;
  }
  .head {
    display: grid;
    grid-template: 68px auto / 40px 1fr;
    align-items: center;
    gap: 0 12px;
    margin-inline: -20px;
    padding-inline: 20px 56px;
  }
  .names {
    min-inline-size: 0;
  }
  .names i,
  .amount i {
    block-size: 12px;
    margin-block: 4px;
    inline-size: 50%;
  }
  /* As high as the amount that comes a moment later. */
  .amount i {
    margin-block: 12px;
  }
  .names bdi {
    display: block;
    inline-size: fit-content;
    max-inline-size: 100%;
    overflow: hidden;
    color: var(--service-pay-quiet);
    font-size: 13px;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .amount {
    grid-column: 1 / -1;
    margin-inline: -20px -56px;
    border-block-start: 1px solid var(--service-pay-bar);
    padding: 16px 20px 0;
    font-size: 30px;
    font-weight: 700;
    font-variant-numeric: tabular-nums;
    letter-spacing: -0.02em;
    line-height: 1.2;
  }
  .long {
    font-size: 24px;
  }
  small {
    color: var(--service-pay-quiet);
    font-size: 15px;
    font-weight: 600;
    letter-spacing: 0;
  }
  /* In the places of channels, fields and Pay. */
  .bars {
    display: grid;
    flex: 1;
    grid-template-columns: 1fr 1fr;
    align-content: start;
    gap: 40px 12px;
    min-block-size: 0;
    margin-block-start: 16px;
    overflow: clip;
  }
  .bars i {
    block-size: 48px;
  }
  .bars i:nth-child(3n),
  .bars i:last-child {
    grid-column: 1 / -1;
  }
  .bars i:last-child {
    block-size: 52px;
    margin-block-start: -24px;
  }
  .skeleton p {
    align-content: center;
    min-block-size: 52px;
    color: var(--service-pay-quiet);
    font-size: 14px;
    text-align: center;
  }
  .notice {
    position: relative;
    align-items: center;
    gap: 16px;
    justify-content: safe center;
    box-sizing: border-box;
    min-block-size: min(320px, var(--service-pay-room));
    max-block-size: var(--service-pay-room);
    overflow: auto;
    padding-block: 64px 24px;
    text-align: center;
  }
  .notice::before {
    content: '!';
    content: '!' / '';
    inline-size: 64px;
    border-radius: 50%;
    background: color-mix(in srgb, currentColor 10%, transparent);
    color: var(--service-pay-warning);
    font-size: 30px;
    font-weight: 600;
    line-height: 64px;
  }
  p {
    max-inline-size: 34ch;
    margin: 0 auto;
    text-wrap: balance;
    /* English words in a right-to-left popup keep their full stop at the end. */
    unicode-bidi: plaintext;
  }
  .notice button {
    inline-size: 100%;
    margin-block-start: 8px;
    border-radius: min(var(--service-pay-corner), 10px);
  }
  .close {
    position: absolute;
    inset-block-start: 10px;
    inset-inline-end: 8px;
    inline-size: 48px;
    border-radius: min(var(--service-pay-corner), 10px);
    outline-offset: -6px;
    background: none;
    color: inherit;
  }
  .close::before {
    content: '\\d7';
    font: 30px/1 system-ui;
  }
  @media (width < 640px), (height < 480px) {
    dialog {
      inset: auto 0 var(--service-pay-keyboard);
      inline-size: min(100%, 640px);
    }
    .card {
      border-radius: var(--service-pay-corner) var(--service-pay-corner) 0 0;
      padding-block-end: max(0px, env(safe-area-inset-bottom) - var(--service-pay-keyboard));
      /* One frame ahead, so that the first frame already shows some of it. */
      animation: slide-in 320ms cubic-bezier(0.32, 0.72, 0, 1) -20ms;
    }
    dialog[inert] .card {
      translate: 0 100%;
      opacity: 1;
    }
  }
  /* Amount and label share one row, as in the frame. */
  @media (height <= 680px) {
    dialog {
      --service-pay-content: 514px;
    }
    .head {
      grid-template: 64px / 40px 1fr auto;
      border-block-end: 1px solid var(--service-pay-bar);
    }
    .amount {
      grid-column: auto;
      margin: 0;
      border: 0;
      padding: 0;
      font-size: 18px;
    }
  }
  @media (height <= 320px) {
    .close {
      background: var(--service-pay-surface);
    }
  }
  @media print {
    .backdrop,
    .close {
      display: none;
    }
    .card {
      box-shadow: none;
    }
  }
  @media (prefers-color-scheme: dark) {
    dialog {
      --service-pay-surface: #15191c;
      --service-pay-text: #eff2f3;
      --service-pay-quiet: #a5b0b6;
      --service-pay-warning: #f3c56b;
      --service-pay-fill: var(--service-pay-accent, #4cc596);
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .backdrop,
    .card,
    .skeleton,
    i {
      animation: none;
      transition: none;
    }
  }
  @keyframes fade-in {
    from {
      opacity: 0;
    }
  }
  @keyframes grow {
    from {
      scale: 0.98;
      opacity: 0;
    }
  }
  @keyframes slide-in {
    from {
      translate: 0 100%;
    }
  }
  @keyframes breathe {
    to {
      opacity: 0.5;
    }
  }
`;
