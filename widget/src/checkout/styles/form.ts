import { css } from 'lit';

export const formStyles = css`
  :host {
    display: block;
  }
  .fields {
    display: flex;
    flex-direction: column;
    gap: 16px;
    padding: 16px 20px 4px;
  }
  .pair {
    display: grid;
    gap: 16px 12px;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, max(7.75em, 10ch)), 1fr));
    /* On one line, however many the labels have, which have no line of their own for it. */
    align-items: baseline;
  }
  .pair label {
    contain: layout;
  }
  .field {
    min-inline-size: 0;
  }
  .field label,
  legend {
    display: block;
    font-size: 0.875rem;
    font-weight: 500;
    margin-block-end: 4px;
  }
  .box {
    display: grid;
    position: relative;
  }
  .box > input,
  select {
    appearance: none;
    background: var(--surface);
    border: 1px solid var(--boundary);
    border-radius: var(--field-radius);
    color: var(--text);
    font: inherit;
    font-variant-numeric: tabular-nums;
    inline-size: 100%;
    min-block-size: 48px;
    padding-block: 0;
    padding-inline: 12px;
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
  /* Digits run from left to right in every language, and never under a mark. */
  .box:dir(ltr) > input:has(+ .mark) {
    padding-right: 56px;
  }
  .box:dir(rtl) > input:first-child:has(+ .mark) {
    padding-left: 56px;
  }
  .box > :focus-visible {
    border-color: var(--line);
    outline-offset: 0;
  }
  input::placeholder {
    color: var(--faint);
    opacity: 1;
  }
  /* Tinted, for an accent that is as red as an error. */
  .box > [aria-invalid='true'] {
    background: var(--wrong-tint);
    border-color: var(--wrong);
    box-shadow: inset 0 0 0 1px var(--wrong);
    outline-color: var(--wrong);
  }
  input[readonly] {
    color: var(--quiet);
  }
  .mark,
  .prefix {
    align-items: center;
    color: var(--quiet);
    display: flex;
    inset-block: 0;
    inset-inline-end: 12px;
    margin-block: auto;
    pointer-events: none;
    position: absolute;
  }
  .code {
    fill: none;
    stroke: currentColor;
    stroke-linecap: round;
    stroke-width: 1.5;
  }
  .note {
    color: var(--quiet);
    font-size: 0.8125rem;
    line-height: 1.4;
    overflow-wrap: anywhere;
  }
  .note span {
    animation: appear 200ms ease-out;
    display: block;
    padding-block-start: 6px;
  }
  .note .wrong {
    color: var(--wrong);
    display: flex;
    gap: 6px;
  }
  .note .icon {
    block-size: 16px;
    inline-size: 16px;
    margin-block-start: 1px;
  }
  .introduction {
    border-block-start: 1px solid var(--hairline);
    font-size: 0.875rem;
    padding-block-start: 16px;
  }
  .foot {
    background: var(--surface);
    inset-block-end: var(--last-line);
    padding: 12px 20px 4px;
    position: sticky;
  }
  .foot button {
    min-block-size: 52px;
  }
  @media (max-height: 30em) {
    .foot button {
      min-block-size: 48px;
    }
    .foot {
      inset-block-end: 0;
      padding-block-end: 12px;
    }
  }
  @media (max-height: 25em) {
    .foot {
      padding-block: 8px;
    }
    /* Two lines are as high as one. */
    .foot button {
      line-height: 1.15;
      padding-block: 4px;
    }
  }
  @media (max-height: 17.5em) {
    .foot {
      position: static;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .note span {
      animation: none;
    }
  }
`;

/**
 * Radios that look like tiles. The native input covers its tile, so that every press reaches it.
 */
export const choiceStyles = css`
  .choices {
    display: grid;
    gap: 8px;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, max(7em, 9ch)), 1fr));
  }
  .choice {
    align-items: center;
    border: 1px solid var(--boundary);
    border-radius: var(--field-radius);
    color: var(--quiet);
    cursor: pointer;
    display: flex;
    font-size: 0.875rem;
    font-weight: 500;
    gap: 6px;
    line-height: 1.25;
    min-block-size: 48px;
    padding: 4px 8px;
    position: relative;
  }
  .choice:active {
    background: var(--soft);
  }
  @media (hover: hover) {
    .choice:hover:not(.chosen) {
      background: var(--soft);
    }
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
  .chosen {
    background: var(--tint);
    border-color: var(--line);
    box-shadow: inset 0 0 0 1px var(--line);
    color: var(--text);
  }
  .chosen .icon {
    color: var(--line);
  }
  /* A tick: an error of another form may have the accent's colour. */
  .chosen::after {
    block-size: 12px;
    border: solid var(--line);
    border-width: 0 2px 2px 0;
    content: '';
    flex: none;
    inline-size: 6px;
    margin-block-end: 4px;
    margin-inline-start: auto;
    rotate: 45deg;
  }
  @media (forced-colors: active) {
    .chosen {
      outline: 2px solid Highlight;
    }
  }
`;
