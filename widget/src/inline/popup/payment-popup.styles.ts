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
    background: var(--_fill);
    color: #fff;
    font: inherit;
    font-weight: 600;
    cursor: pointer;
  }
  button:active {
    opacity: 0.85;
  }
  button:focus-visible {
    outline: 2px solid var(--_fill);
  }
  @supports (color: color(from red xyz x y z)) {
    /* White up to the luminance at which black has the same contrast. */
    button {
      color: color(
        from var(--_fill) xyz calc((0.179 - y) * 1e9) calc((0.179 - y) * 1e9) calc((0.179 - y) * 1e9)
      );
    }
    button:focus-visible {
      outline-color: oklch(from var(--_fill) 0.6 c h);
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
    /* A page may register or set any plain name for something else (T21). */
    --_surface: #fff;
    --_text: #15191c;
    --_quiet: #566168;
    --_bar: #808c962e;
    --_warning: #85540a;
    --_fill: var(--service-pay-accent, #0b6b4f);
    --_corner: var(--service-pay-radius, 16px);
    --_keyboard: 0px;
    --_sight: 100dvh;
    --_content: 570px;
    --service-pay-place: initial;
    --_corners: var(--_corner);
    --_safe: 0px;
    --_top: max(24px, 50dvh - 320px);
    --_beside: calc(var(--_top) + 24px);
    /* A strip of the shop stays visible, unless the screen is too low. */
    --_room: max(var(--_sight) - var(--_beside), min(var(--_sight), 440px));
    --_height: min(var(--_stopped, var(--_content)), var(--_room));
    color-scheme: light dark;
    display: block;
    position: fixed;
    inset: 0;
    /* One edge keeps its place at every height: here the upper one. */
    margin: var(--_top) auto auto;
    inline-size: 26.25em;
    block-size: var(--_height);
    transition: block-size 200ms ease;
    color: var(--_text);
    font: medium/1.45 var(--service-pay-font, system-ui, sans-serif);
  }
  dialog::backdrop {
    background: none;
  }
  .backdrop,
  .card::after {
    touch-action: pinch-zoom;
  }
  .backdrop {
    inset: 0;
    z-index: -1;
    background: #0a0e128c;
    position: fixed;
    animation: fade-in 160ms ease-out;
  }
  /* Draws no surface: skeleton and frame do, so that each moves with its own edge. */
  .card {
    position: relative;
    block-size: 100%;
    /* Seen on a page as dark as the sheet, and in forced colours. */
    outline: 1px solid var(--_bar);
    border-radius: var(--_corners);
    border-block-end: var(--_safe) solid var(--_surface);
    box-shadow: 0 12px 48px #0004;
    animation: grow 160ms ease-out;
  }
  /* The part of the frame beyond its sheet, where a press is beside it. */
  .card::after {
    position: absolute;
    inset: 100% 0 -100vh;
    content: '';
  }
  dialog[inert] > * {
    opacity: 0;
    transition: 200ms ease-in;
  }
  /* Always as high as the room. The frame draws the sheet in it, and moves that by itself. */
  ::slotted(iframe) {
    all: initial !important;
    inset: var(--_inset, 0 0 auto) !important;
    block-size: var(--_room) !important;
    position: absolute !important;
    color-scheme: light dark !important;
    inline-size: 100% !important;
    border-radius: var(--_corners) !important;
  }
  ::slotted(iframe[inert]) {
    opacity: 0 !important;
  }
  /* Fades, then takes its boxes and animations with it. */
  .skeleton {
    position: absolute;
    inset: 0;
    display: flex;
    flex-direction: column;
    overflow: clip;
    border-radius: inherit;
    padding: 0 20px;
    background: var(--_surface);
    transition: 120ms allow-discrete;
  }
  .skeleton[hidden] {
    display: none;
    opacity: 0;
  }
  i {
    display: block;
    block-size: 40px;
    border-radius: min(var(--_corner), 10px);
    background: var(--_bar);
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
    color: var(--_quiet);
    font-size: 0.8125em;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .amount {
    grid-column: 1 / -1;
    margin-inline: -20px -56px;
    border-block-start: 1px solid var(--_bar);
    padding: 16px 20px 0;
    font-size: 1.875em;
    font-weight: 700;
    font-variant-numeric: tabular-nums;
    line-height: 1.2;
  }
  .long {
    font-size: 1.5em;
  }
  small {
    color: var(--_quiet);
    font-size: 0.5em;
    font-weight: 600;
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
  [role='status'] {
    align-content: center;
    min-block-size: 52px;
    color: var(--_quiet);
    font-size: 0.875em;
    text-align: center;
  }
  /* As the frame's ends: the shop's name is not known here. At its height at once, to measure it. */
  .stopped {
    transition: none;
    inset-block-end: auto;
    max-block-size: var(--_room);
  }
  .stopped .head {
    grid-template-columns: 1fr auto;
  }
  .stopped :is(i, .bars, [role='status']),
  .skeleton:not(.stopped) .notice,
  button[hidden] {
    display: none;
  }
  .notice {
    flex: 1;
    align-content: safe center;
    overflow: auto;
    padding-block: 24px;
    text-align: center;
    text-wrap: balance;
  }
  .notice::before {
    content: '!' / '';
    display: block;
    inline-size: 64px;
    margin: 0 auto 8px;
    border-radius: 50%;
    background: color-mix(in srgb, var(--_warning) 10%, #0000);
    color: var(--_warning);
    font-size: 30px;
    font-weight: 600;
    line-height: 64px;
  }
  strong {
    display: block;
    margin-block-end: 8px;
    font-size: 1.25em;
    line-height: 1.3;
    overflow-wrap: anywhere;
  }
  p {
    max-inline-size: 34ch;
    margin: 0 auto;
    /* English words in a right-to-left popup keep their full stop at the end. */
    unicode-bidi: plaintext;
  }
  .notice button {
    inline-size: 100%;
    margin-block-start: 24px;
    border-radius: min(var(--_corner), 10px);
  }
  button:not([hidden]) + button {
    margin-block-start: 8px;
    border: 1px solid #7f8a91;
    background: none;
    color: inherit;
  }
  .close {
    position: absolute;
    inset-block-start: 10px;
    inset-inline-end: 8px;
    inline-size: 48px;
    border-radius: min(var(--_corner), 10px);
    outline-offset: -6px;
    background: var(--_surface);
    color: inherit;
    transition: 120ms;
  }
  /* The frame draws its sign, which moves with the head. */
  [hidden] + .close {
    background: none;
    color: #0000;
  }
  [hidden] + .close:active {
    background: #8883;
  }
  .close::before {
    content: '\\d7';
    font: 30px/1 system-ui;
  }
  @media (width < 40em), (height < 30em) {
    dialog {
      --service-pay-place: foot;
      --_beside: 48px;
      --_corners: var(--_corner) var(--_corner) 0 0;
      --_inset: auto 0 0;
      --_safe: max(0px, env(safe-area-inset-bottom) - var(--_keyboard));
      inset: auto 0 var(--_keyboard);
      inline-size: min(100%, 40em);
      margin: 0 auto;
      padding-block-end: var(--_safe);
    }
    .card {
      /* One frame ahead, so that the first frame already shows some of it. */
      animation: slide-in 320ms cubic-bezier(0.32, 0.72, 0, 1) -20ms;
    }
    .card::after {
      inset: -100vh 0 100%;
    }
    dialog[inert] .card {
      translate: 0 100%;
      opacity: 1;
    }
  }
  /* Amount and label share one row, as in the frame. */
  @media (height <= 42.5em) {
    dialog {
      --_content: 514px;
    }
    .head {
      grid-template: 64px / 40px 1fr auto;
      border-block-end: 1px solid var(--_bar);
    }
    .amount {
      grid-column: auto;
      margin: 0;
      border: 0;
      padding: 0;
      font-size: 1.125em;
    }
    small {
      font-size: 0.75em;
    }
  }
  @media print {
    .backdrop,
    .close {
      display: none;
    }
  }
  @media (prefers-color-scheme: dark) {
    dialog {
      --_surface: #15191c;
      --_text: #eff2f3;
      --_quiet: #a5b0b6;
      --_warning: #f3c56b;
      --_fill: var(--service-pay-accent, #4cc596);
    }
  }
  @media (prefers-reduced-motion: reduce) {
    * {
      animation: none !important;
      transition: none !important;
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
