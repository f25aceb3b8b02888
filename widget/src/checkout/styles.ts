import { css } from 'lit';

/** The page itself: nothing but room for the one element in it. */
export const pageStyles = css`
  html,
  body {
    block-size: 100%;
    margin: 0;
  }
`;

/** Every colour, distance and size, for the light and the dark palette. Set once on the outermost element and inherited from there. */
export const tokens = css`
  :host {
    --surface: #fff;
    --soft: #f2f4f5;
    --text: #15191c;
    --quiet: #566168;
    --hairline: #dde2e5;
    --boundary: #848f96;
    --fill: var(--theme-fill, #0b6b4f);
    --on-fill: var(--theme-on-fill, #fff);
    --tint: color-mix(in srgb, var(--fill) 7%, var(--surface));
    --wrong: #b3261e;
    --wrong-tint: #fdf1f0;
    --waiting: #85540a;
    --waiting-tint: #fdf6e7;
    --radius: var(--theme-radius, 12px);
    --field-radius: max(0px, calc(var(--radius) - 2px));
    --font: var(--theme-font, system-ui), -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
    color-scheme: light;
  }

  @media (prefers-color-scheme: dark) {
    :host {
      --surface: #15191c;
      --soft: #20262a;
      --text: #eff2f3;
      --quiet: #a5b0b6;
      --hairline: #2d353a;
      --boundary: #6d7981;
      --fill: var(--theme-fill-dark, #4cc596);
      --on-fill: var(--theme-on-fill-dark, #04150e);
      --tint: color-mix(in srgb, var(--fill) 12%, var(--surface));
      --wrong: #ff9d94;
      --wrong-tint: #2f1d1c;
      --waiting: #f3c56b;
      --waiting-tint: #2b2415;
      color-scheme: dark;
    }
  }
`;

/** What every element of the frame has: text, focus, signs, buttons. */
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
  h1 {
    font-size: 20px;
    font-weight: 600;
    line-height: 1.3;
    text-wrap: balance;
  }
  :focus-visible {
    outline: 2px solid var(--fill);
    outline-offset: 2px;
  }
  h1:focus-visible,
  [role='alert']:focus-visible {
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
  .quiet {
    color: var(--quiet);
  }
  .amount-text {
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
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
    border: 1px solid transparent;
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
    touch-action: manipulation;
  }
  button:hover {
    background: color-mix(in srgb, var(--fill) 90%, var(--text));
  }
  button.second {
    background: transparent;
    border-color: var(--boundary);
    color: var(--text);
  }
  button.second:hover {
    background: var(--soft);
  }
  button[aria-busy='true'] {
    cursor: progress;
  }
  .spinner {
    animation: turn 0.9s linear infinite;
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
    .spinner {
      animation-duration: 4s;
    }
  }
  @media (forced-colors: active) {
    :focus-visible {
      outline-color: Highlight;
    }
  }
`;

/** A screen of its own: what happened, what is known, what to do. Shared by waits and ends. */
export const screenStyles = css`
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
    padding: 24px 24px 32px;
    text-align: center;
  }
  .screen > p {
    max-inline-size: 34ch;
  }
  .actions {
    display: flex;
    flex-direction: column;
    gap: 8px;
    padding: 12px 24px max(24px, env(safe-area-inset-bottom));
  }
  .sign {
    align-items: center;
    background: var(--tint);
    block-size: 64px;
    border-radius: 50%;
    color: var(--fill);
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
  .remark {
    background: var(--waiting-tint);
    border-radius: var(--field-radius);
    color: var(--text);
    display: flex;
    font-size: 14px;
    gap: 8px;
    padding: 12px;
    text-align: start;
  }
  .remark .icon {
    color: var(--waiting);
  }
  @media (forced-colors: active) {
    .remark,
    .sign {
      border: 1px solid;
    }
  }
`;

/** Forms: fields in one column, problems beneath them, the button in sight at the foot. */
export const formStyles = css`
  :host {
    display: flex;
    flex: 1 0 auto;
    flex-direction: column;
  }
  form {
    display: flex;
    flex: 1;
    flex-direction: column;
  }
  .fields {
    display: flex;
    flex: 1;
    flex-direction: column;
    padding: 16px 24px 4px;
  }
  .field label,
  legend {
    display: block;
    font-size: 14px;
    font-weight: 500;
    margin-block-end: 4px;
  }
  .box {
    display: grid;
    position: relative;
  }
  input:not([type='radio']) {
    appearance: none;
    background: var(--surface);
    block-size: 48px;
    border: 1px solid var(--boundary);
    border-radius: var(--field-radius);
    color: var(--text);
    font: inherit;
    font-variant-numeric: tabular-nums;
    inline-size: 100%;
    padding-block: 0;
    padding-inline: 14px;
  }
  input::placeholder {
    color: var(--quiet);
    opacity: 1;
  }
  input[aria-invalid='true']:not([type='radio']) {
    border-color: var(--wrong);
    box-shadow: inset 0 0 0 1px var(--wrong);
  }
  input[readonly] {
    color: var(--quiet);
  }
  .mark {
    align-items: center;
    border: 1px solid var(--hairline);
    border-radius: 6px;
    color: var(--quiet);
    display: flex;
    font-size: 12px;
    font-weight: 600;
    gap: 4px;
    inset-block: 10px;
    inset-inline-end: 10px;
    padding-inline: 8px;
    pointer-events: none;
    position: absolute;
  }
  .note {
    color: var(--quiet);
    display: flex;
    font-size: 13px;
    gap: 6px;
    line-height: 1.35;
    margin-block-end: 4px;
    min-block-size: 24px;
    padding-block-start: 4px;
  }
  .note.wrong {
    color: var(--wrong);
  }
  .note .icon {
    block-size: 16px;
    inline-size: 16px;
    margin-block-start: 1px;
  }
  .introduction {
    border-block-start: 1px solid var(--hairline);
    font-size: 14px;
    margin-block: 8px 12px;
    padding-block-start: 16px;
  }
  .foot {
    background: var(--surface);
    border-block-start: 1px solid var(--hairline);
    inset-block-end: 0;
    padding: 12px 24px max(12px, env(safe-area-inset-bottom));
    position: sticky;
  }
  .foot p {
    align-items: center;
    color: var(--quiet);
    display: flex;
    font-size: 13px;
    gap: 6px;
    justify-content: center;
    margin-block-start: 8px;
    text-align: center;
  }
  .foot p .icon {
    block-size: 16px;
    inline-size: 16px;
  }
  @media (max-height: 400px) {
    .foot {
      position: static;
    }
  }
`;

/** Radios that look like buttons side by side; the native input covers its button, so that every press reaches it. */
export const choiceStyles = css`
  .choices {
    display: grid;
    gap: 8px;
    grid-auto-columns: 1fr;
    grid-auto-flow: column;
  }
  .choice {
    align-items: center;
    border: 1px solid var(--boundary);
    border-radius: var(--field-radius);
    cursor: pointer;
    display: flex;
    gap: 8px;
    justify-content: center;
    min-block-size: 48px;
    padding-inline: 8px;
    position: relative;
  }
  .choice input {
    appearance: none;
    border-radius: inherit;
    cursor: inherit;
    inset: 0;
    margin: 0;
    position: absolute;
  }
  .choice .icon {
    pointer-events: none;
  }
  .choice:has(:checked) {
    background: var(--tint);
    border-color: var(--fill);
    box-shadow: inset 0 0 0 1px var(--fill);
    font-weight: 600;
  }
  [aria-invalid='true'] .choice {
    border-color: var(--wrong);
  }
  .choices.segmented {
    display: flex;
    background: var(--soft);
    border-radius: var(--field-radius);
    gap: 0;
    padding: 4px;
  }
  .segmented .choice {
    flex: 1 1 auto;
    white-space: nowrap;
    border-color: transparent;
    border-radius: max(0px, calc(var(--field-radius) - 3px));
    color: var(--quiet);
  }
  .segmented .choice:has(:checked) {
    background: var(--surface);
    border-color: var(--boundary);
    box-shadow: none;
    color: var(--text);
  }
  @media (forced-colors: active) {
    .choice:has(:checked) {
      outline: 2px solid Highlight;
    }
  }
`;
