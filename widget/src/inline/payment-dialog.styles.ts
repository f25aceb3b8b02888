import { css } from './style-sheet.ts';

/**
 * Keeps the page's own styles from hiding the node the popup stands in (T21), and that node from
 * moving its neighbours in a grid.
 */
export const hostStyles = css`
  :host {
    all: initial !important;
    position: fixed !important;
  }
`;

/** Stops the page behind from scrolling and from being pulled to reload. */
export const scrollLockStyles =
  'html{overflow:hidden!important;overscroll-behavior:none!important}';
/**
 * Where a scroll bar was, its room stays, so that nothing moves; a page that keeps such room itself
 * knows better.
 */
export const scrollbarRoomStyles = ':where(html){scrollbar-gutter:stable}';

/**
 * The popup: a card in the middle, or on phones a sheet from the bottom. Nothing of it can be
 * reached by the page but its parts.
 */
export const dialogStyles = css`
  dialog {
    all: initial;
    --service-pay-surface: #fff;
    --service-pay-text: #1b1f24;
    --service-pay-bar: #eceef1;
    --service-pay-warning: #85540a;
    --service-pay-soft: #fdf6e7;
    --service-pay-fill: var(--service-pay-accent, #0b6b4f);
    --service-pay-keyboard: 0px;
    --service-pay-sight: 100dvh;
    --service-pay-corner: var(--service-pay-radius, 12px);
    color-scheme: light dark;
    display: block;
    position: fixed;
    inset: 0;
    margin: auto;
    inline-size: 420px;
    block-size: min(90dvh, 740px);
    max-inline-size: 100%;
    max-block-size: 100%;
    color: var(--service-pay-text);
    font: 16px/1.45 var(--service-pay-font, system-ui, sans-serif);
  }
  dialog::backdrop {
    background: none;
  }
  .backdrop {
    position: fixed;
    inset: 0;
    z-index: -1;
    background: rgb(10 14 18 / 0.55);
    touch-action: pinch-zoom;
    animation: appear 160ms ease-out;
  }
  .card {
    position: relative;
    box-sizing: border-box;
    block-size: 100%;
    overflow: hidden;
    border-radius: var(--service-pay-corner);
    background: var(--service-pay-surface);
    box-shadow: 0 12px 48px rgb(0 0 0 / 0.28);
    animation: appear 180ms ease-out, rise 180ms ease-out;
  }
  iframe {
    display: block;
    inline-size: 100%;
    block-size: 100%;
    border: 0;
    color-scheme: light dark;
  }
  .over {
    position: absolute;
    inset: 0;
    display: flex;
    flex-direction: column;
    padding: 20px 24px 87px;
    gap: 8px;
    background: var(--service-pay-surface);
  }
  .over[hidden] {
    display: none;
  }
  i,
  button {
    border: 0;
    border-radius: min(var(--service-pay-corner), 10px);
    background: var(--service-pay-bar);
  }
  i {
    flex: none;
    block-size: 48px;
    margin-block-end: 48px;
    animation: breathe 1.2s ease-in-out infinite alternate;
  }
  i:first-child {
    block-size: 14px;
    inline-size: 40%;
    margin: 0;
  }
  i:nth-child(2) {
    block-size: 28px;
    inline-size: 60%;
    margin-block-end: 25px;
  }
  i:nth-child(3) {
    block-size: 56px;
    margin-block-end: 32px;
  }
  i:last-of-type {
    position: absolute;
    inset: auto 24px 87px;
    margin: 0;
    box-shadow: 0 13px 0 26px var(--service-pay-surface);
    animation: none;
  }
  /* Said, and shown where the frame says who takes the payment, once a wait is no longer short. */
  i + p {
    position: absolute;
    inset: auto 24px 52px;
    margin: auto;
    text-align: center;
    animation: wait 0s 4s backwards;
  }
  .notice {
    align-items: center;
    overflow: auto;
    padding-block-end: 24px;
    gap: 16px;
    text-align: center;
    text-wrap: balance;
  }
  .notice::before {
    content: '!';
    content: '!' / '';
    inline-size: 64px;
    margin-block-start: auto;
    border-radius: 50%;
    background: var(--service-pay-soft);
    color: var(--service-pay-warning);
    font-size: 30px;
    font-weight: 600;
    line-height: 64px;
  }
  p {
    max-inline-size: 34ch;
    margin: 0 0 auto;
    /* English words in a window that runs from right to left keep their full stop. */
    unicode-bidi: plaintext;
  }
  button {
    min-block-size: 48px;
    outline-offset: 2px;
    color: inherit;
    font: inherit;
    font-weight: 600;
    cursor: pointer;
  }
  .notice button,
  slot button {
    background: var(--service-pay-fill);
    color: #fff;
  }
  .notice button {
    inline-size: 100%;
  }
  .close {
    position: absolute;
    inset-block-start: 0;
    inset-inline-end: 0;
    inline-size: 48px;
    background: none;
  }
  .close::before {
    content: '\d7';
    font: 30px/1 system-ui;
  }
  button:focus-visible {
    outline: 2px solid var(--service-pay-fill);
  }
  /* On the accent black or white, whichever reads better; a ring that is seen on light and dark pages. */
  @supports (color: color(from red xyz y y y)) {
    .notice button,
    slot button {
      color: color(from var(--service-pay-fill) xyz clamp(0, (0.179 - y) * 1e9, 1.1) clamp(0, (0.179 - y) * 1e9, 1.1) clamp(0, (0.179 - y) * 1e9, 1.1));
    }
    button:focus-visible {
      outline-color: oklch(from var(--service-pay-fill) 0.6 c h);
    }
  }
  .close:focus-visible {
    outline-offset: -6px;
  }
  @media (width < 640px), (height < 480px) {
    dialog {
      inset: auto 0 var(--service-pay-keyboard);
      inline-size: min(100%, 640px);
      block-size: min(var(--service-pay-sight) - env(safe-area-inset-top), 740px);
    }
    .card {
      border-end-start-radius: 0;
      border-end-end-radius: 0;
      padding: 0 env(safe-area-inset-right) max(0px, env(safe-area-inset-bottom) - var(--service-pay-keyboard)) env(safe-area-inset-left);
    }
  }
  @media (height <= 320px) {
    .close {
      background: var(--service-pay-surface);
    }
  }
  @media (prefers-color-scheme: dark) {
    dialog {
      --service-pay-surface: #15191c;
      --service-pay-text: #eef0f2;
      --service-pay-bar: #262b31;
      --service-pay-warning: #f3c56b;
      --service-pay-soft: #2b2415;
      --service-pay-fill: var(--service-pay-accent, #4cc79c);
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .backdrop,
    .card,
    i {
      animation: none;
    }
  }
  @media (forced-colors: active) {
    .card,
    i,
    button {
      border: 1px solid;
    }
  }
  @keyframes appear {
    from {
      opacity: 0;
    }
  }
  @keyframes rise {
    from {
      transform: translateY(16px);
    }
  }
  @keyframes wait {
    from {
      visibility: hidden;
    }
  }
  @keyframes breathe {
    to {
      opacity: 0.5;
    }
  }
`;
