import { css } from 'lit';

/**
 * The document, as high as its only element. Focused fields scroll clear of the sticky head and
 * foot. In a sheet at the foot of the screen, the content keeps to the lower edge.
 */
export const pageStyles = css`
  /* Change with every height: not inherited, so that nothing else is styled again. */
  @property --high {
    syntax: '*';
    inherits: false;
  }
  @property --edge {
    syntax: '*';
    inherits: false;
  }
  html {
    scroll-padding-block: 8.25rem 8rem;
  }
  body {
    margin: 0;
  }
  .at-foot checkout-app {
    --edge: max(0px, 100vh - var(--high, 100vh));
    --last-corner: 0;
    --leaving: auto 0;
  }
  .at-foot body {
    display: grid;
    align-content: end;
    grid-template-columns: minmax(0, 1fr);
    min-block-size: 100vh;
  }
  @media (max-height: 39.5em) {
    html {
      scroll-padding-block: 5.25rem 8rem;
    }
  }
  @media (max-height: 30em) {
    html {
      scroll-padding-block: 4.75rem 5rem;
    }
  }
  @media (max-height: 25em) and (max-width: 25em) {
    html {
      scroll-padding-block: 3.25rem 4.25rem;
    }
  }
  @media (max-height: 17.5em) {
    html {
      scroll-padding-block: 3.5rem 1rem;
    }
  }
`;

/**
 * Every colour, distance and size inside the frame, for both palettes. Set once on the outermost
 * element and inherited. The dialog around the frame has its own few in `payment-popup.styles.ts`.
 */
export const tokens = css`
  :host {
    --surface: #fff;
    --soft: #f2f4f5;
    --text: #15191c;
    --quiet: #566168;
    --faint: #6b757b;
    --hairline: #e2e6e9;
    --boundary: #7f8a91;
    --fill: var(--theme-fill, #0b6b4f);
    --on-fill: var(--theme-on-fill, #fff);
    --shade: var(--theme-shade, #000);
    --line: var(--theme-line, #0b6b4f);
    --tint: color-mix(in srgb, var(--line) 7%, var(--surface));
    --wrong: #b3261e;
    --wrong-tint: #fdf1f0;
    --waiting: #85540a;
    --waiting-tint: #fdf6e7;
    --radius: var(--theme-radius, 12px);
    --corner: var(--theme-radius, 16px);
    --last-corner: var(--corner);
    /* From an edge of the document to that of the sheet. --high is the content's height. */
    --edge: min(0px, var(--high, 100vh) - 100vh);
    --field-radius: max(0px, calc(var(--radius) - 2px));
    /* The height of the last line, which is sticky if there is height for it. Measured later. */
    --last-line: 48px;
    --font: var(--theme-font, system-ui), sans-serif;
    color-scheme: light;
  }

  @media (prefers-color-scheme: dark) {
    :host {
      --surface: #15191c;
      --soft: #20262a;
      --text: #eff2f3;
      --quiet: #a5b0b6;
      --faint: #8d989e;
      --hairline: #2d353a;
      --boundary: #6d7981;
      --fill: var(--theme-fill, #4cc596);
      --on-fill: var(--theme-on-fill, #04150e);
      --shade: var(--theme-shade, #fff);
      --line: var(--theme-line-dark, #4cc596);
      --tint: color-mix(in srgb, var(--line) 12%, var(--surface));
      --wrong: #ff9d94;
      --wrong-tint: #2f1d1c;
      --waiting: #f3c56b;
      --waiting-tint: #2b2415;
      color-scheme: dark;
    }
  }

  @media (prefers-contrast: more) {
    :host {
      --quiet: var(--text);
      --faint: var(--text);
      --hairline: var(--boundary);
      --boundary: var(--text);
    }
  }
`;

export const base = css`
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  [hidden] {
    display: none !important;
  }
  h1,
  p,
  dl,
  dd,
  fieldset,
  legend {
    border: 0;
    margin: 0;
    min-inline-size: 0;
    padding: 0;
  }
  p {
    text-wrap: pretty;
  }
  h1 {
    font-size: 1.25rem;
    font-weight: 600;
    line-height: 1.3;
    overflow-wrap: anywhere;
    text-wrap: balance;
  }
  :focus-visible {
    outline: 2px solid var(--line);
    outline-offset: 2px;
  }
  h1:focus-visible {
    outline: none;
  }
  .unseen {
    block-size: 1px;
    clip-path: inset(50%);
    inline-size: 1px;
    overflow: hidden;
    position: absolute;
    white-space: nowrap;
  }
  .opening {
    animation: appear 200ms ease-out;
    display: flow-root;
  }
  @keyframes appear {
    from {
      opacity: 0;
    }
  }
  .callout {
    background: var(--wrong-tint);
    border: 1px solid color-mix(in srgb, var(--wrong) 35%, transparent);
    border-radius: var(--field-radius);
    display: flex;
    font-size: 0.875rem;
    gap: 10px;
    padding: 12px;
  }
  .callout > .icon {
    color: var(--wrong);
  }
  .callout strong {
    display: block;
    font-weight: 600;
  }
  .amount-text {
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }
  .icon {
    block-size: 20px;
    fill: none;
    flex: none;
    inline-size: 20px;
    stroke: currentColor;
    stroke-linecap: round;
    stroke-linejoin: round;
    stroke-width: 1.75;
  }
  button {
    align-items: center;
    background: var(--fill);
    border: 1px solid var(--line);
    border-radius: var(--field-radius);
    color: var(--on-fill);
    cursor: pointer;
    display: flex;
    font: inherit;
    font-weight: 600;
    gap: 8px;
    inline-size: 100%;
    justify-content: center;
    min-block-size: 48px;
    padding: 8px 16px;
    text-wrap: balance;
    touch-action: manipulation;
  }
  button:active {
    background: color-mix(in srgb, var(--fill) 82%, var(--shade));
  }
  button.second {
    background: transparent;
    border-color: var(--boundary);
    color: var(--text);
  }
  button.plain {
    border-color: transparent;
    color: var(--line);
    font-size: 0.9375rem;
    padding-inline: 8px;
  }
  button.second:active {
    background: var(--hairline);
  }
  @media (hover: hover) {
    button:hover:not(:active) {
      background: color-mix(in srgb, var(--fill) 90%, var(--shade));
    }
    button.second:hover:not(:active) {
      background: var(--soft);
    }
  }
  button[aria-disabled='true'] {
    cursor: default;
    opacity: 0.55;
  }
  button[aria-busy='true'] {
    cursor: progress;
  }
  .spinner {
    animation: turn 0.9s linear infinite;
    forced-color-adjust: preserve-parent-color;
    block-size: 18px;
    border: 2px solid currentColor;
    border-block-start-color: transparent;
    border-radius: 50%;
    flex: none;
    inline-size: 18px;
  }
  @keyframes turn {
    to {
      rotate: 1turn;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .opening {
      animation: none;
    }
    .spinner {
      animation-duration: 4s;
    }
  }
  @media (forced-colors: active) {
    :focus-visible {
      outline-color: Highlight;
    }
    button:not(.second, .test) {
      background: ButtonText;
      border-color: ButtonText;
      color: ButtonFace;
      forced-color-adjust: none;
    }
  }
`;

export const screenStyles = css`
  .quiet {
    color: var(--quiet);
  }
  :host {
    display: flex;
    flex: 1 0 auto;
    flex-direction: column;
  }
  .screen {
    align-items: center;
    display: flex;
    flex: 1;
    flex-direction: column;
    gap: 12px;
    justify-content: center;
    padding: 24px 20px 16px;
    text-align: center;
  }
  .screen > p:not(.remark) {
    max-inline-size: 34ch;
    text-wrap: balance;
  }
  .actions {
    background: var(--surface);
    display: flex;
    flex-direction: column;
    gap: 8px;
    inset-block-end: var(--last-line);
    padding: 8px 20px 4px;
    position: sticky;
  }
  .sign {
    align-items: center;
    background: var(--tint);
    block-size: 64px;
    border-radius: 50%;
    color: var(--line);
    display: flex;
    inline-size: 64px;
    justify-content: center;
    margin-block-end: 4px;
  }
  .sign .icon {
    block-size: 32px;
    inline-size: 32px;
  }
  .sign.wrong {
    background: var(--wrong-tint);
    color: var(--wrong);
  }
  .sign.waiting {
    background: var(--waiting-tint);
    color: var(--waiting);
  }
  @media (forced-colors: active) {
    .sign {
      border: 1px solid;
    }
  }
`;
