import { css } from 'lit';

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
    text-align: -webkit-match-parent;
    text-align: match-parent;
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
    margin-block-end: 8px;
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
    inset-block-end: var(--languages);
    padding: 12px 24px;
    position: sticky;
  }
  .lines {
    display: grid;
  }
  .room {
    visibility: hidden;
  }
  .foot p {
    color: var(--quiet);
    font-size: 13px;
    grid-area: 1 / 1;
    margin-block-start: 8px;
    overflow-wrap: anywhere;
    text-align: center;
    text-wrap: balance;
  }
  .foot p .icon {
    block-size: 16px;
    inline-size: 16px;
    margin-inline-end: 6px;
    vertical-align: -3px;
  }
  @media (max-height: 560px) {
    .foot {
      inset-block-end: 0;
    }
  }
  @media (max-height: 320px) {
    .foot {
      position: static;
    }
  }
`;

/**
 * Radios that look like buttons side by side; the native input covers its button, so that every
 * press reaches it.
 */
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
  .chosen {
    background: var(--tint);
    border-color: var(--line);
    box-shadow: inset 0 0 0 1px var(--line);
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
  .segmented .chosen {
    background: var(--surface);
    border-color: var(--boundary);
    box-shadow: none;
    color: var(--text);
  }
  @media (forced-colors: active) {
    .chosen {
      outline: 2px solid Highlight;
    }
  }
`;
