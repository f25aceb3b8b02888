import { css } from 'lit';

/**
 * The frame: merchant and amount at the head, with room for the page's Close in the corner, then
 * the step, then a last line. It is as high as its content; the document scrolls.
 */
export const appStyles = css`
  :host {
    color: var(--text);
    display: flow-root;
    font: 1rem / 1.45 var(--font);
    overflow-x: clip;
    /* Contains the announcements, for which the document would otherwise scroll. */
    position: relative;
    -webkit-text-size-adjust: 100%;
  }
  /* The sheet, which ends at its edge. The page draws nothing behind it. */
  :host::before {
    background: var(--surface);
    border-radius: var(--corner) var(--corner) var(--last-corner) var(--last-corner);
    content: '';
    inset: 0;
    position: fixed;
    --edge: inherit;
    translate: 0 var(--edge);
    z-index: -1;
  }
  .head {
    align-items: center;
    background: var(--surface);
    border-radius: var(--corner) var(--corner) 0 0;
    column-gap: 8px;
    display: flex;
    flex-wrap: wrap;
    inset-block-start: 0;
    padding-inline: 20px 56px;
    position: sticky;
    z-index: 2;
  }
  /* The × under the page's transparent Close, so that it moves with the head. */
  .head::after {
    content: '\\d7';
    content: '\\d7' / '';
    font: 30px/48px system-ui;
    inline-size: 48px;
    inset-block-start: 10px;
    inset-inline-end: 8px;
    position: absolute;
    text-align: center;
  }
  .last + .unseen {
    inset-block-start: 0;
  }
  /* Has a surface of its own, which a test of contrast can see. */
  .body {
    background: var(--surface);
    isolation: isolate;
    position: relative;
  }
  .step {
    transition:
      opacity 120ms ease-out,
      display 120ms allow-discrete;
  }
  /* Fades out over what follows. The foot stays in place on a phone, the head on a larger screen. */
  .step[hidden] {
    background: var(--surface);
    inset-block: var(--leaving, 0 auto);
    inset-inline: 0;
    opacity: 0;
    position: absolute;
    z-index: 1;
  }
  .who {
    align-items: center;
    display: flex;
    flex: 1 0 8em;
    gap: 10px;
    min-block-size: 68px;
    min-inline-size: 0;
    padding-block: 4px;
  }
  .tile {
    background: var(--fill);
    block-size: 40px;
    border-radius: var(--radius);
    color: var(--on-fill);
    display: grid;
    flex: none;
    font-weight: 700;
    inline-size: 40px;
    object-fit: contain;
    place-items: center;
  }
  img.tile {
    background: none;
  }
  .names {
    min-inline-size: 0;
  }
  .names p {
    -webkit-box-orient: vertical;
    display: -webkit-box;
    -webkit-line-clamp: 2;
    line-height: 1.35;
    overflow: hidden;
    overflow-wrap: anywhere;
  }
  .names bdi {
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
  .reason {
    color: var(--quiet);
    display: block;
    font-size: 0.8125rem;
    inline-size: fit-content;
  }
  .merchant {
    font-size: 0.9375rem;
    font-weight: 600;
  }
  .label,
  .of {
    color: var(--quiet);
    font-size: 0.8125rem;
    font-weight: 400;
  }
  .test {
    align-items: center;
    align-self: center;
    /* Visible in forced colours only, in place of the badge's. */
    border: 1px solid transparent;
    display: flex;
    inline-size: auto;
    min-block-size: 44px;
    padding: 0;
  }
  .head .test,
  .head .test:hover {
    background: none;
  }
  span.test {
    border: 0;
  }
  .badge {
    background: var(--waiting-tint);
    border: 1px solid color-mix(in srgb, var(--waiting) 45%, transparent);
    border-radius: 99px;
    color: var(--waiting);
    font-size: 0.75rem;
    font-weight: 600;
    line-height: 1.2;
    padding: 4px 7px;
  }
  .test:active .badge,
  [aria-expanded='true'] .badge {
    background: var(--waiting);
    color: var(--surface);
  }
  .total {
    align-items: baseline;
    border-block-start: 1px solid var(--hairline);
    display: flex;
    flex: 1 0 100%;
    flex-wrap: wrap;
    font-size: 1.875rem;
    font-variant-numeric: tabular-nums;
    font-weight: 700;
    gap: 0 8px;
    line-height: 1.2;
    margin-inline: -20px -56px;
    overflow-wrap: anywhere;
    padding: 16px 20px 0;
  }
  .total small {
    color: var(--quiet);
    font-size: max(0.5em, 0.8125rem);
    font-weight: 600;
  }
  .wide .total {
    font-size: 1.5rem;
  }
  .widest .total {
    font-size: 1.1875rem;
  }
  .step > .opening {
    padding: 0 20px;
  }
  .step > .opening .callout {
    line-height: 1.35;
    margin-block-start: 8px;
    padding-block: 8px;
  }
  .news {
    align-items: center;
    color: var(--quiet);
    display: flex;
    font-size: 0.875rem;
    gap: 8px;
    padding: 12px 20px 0;
  }
  .news .icon {
    color: var(--line);
  }
  .last {
    align-items: center;
    background: var(--surface);
    border-radius: 0 0 var(--last-corner) var(--last-corner);
    color: var(--quiet);
    display: flex;
    flex-wrap: wrap;
    font-size: 0.8125rem;
    inset-block-end: 0;
    padding-block-end: max(4px, env(safe-area-inset-bottom));
    padding-inline: 20px 16px;
    position: sticky;
  }
  /* The languages load later, and move nothing then. */
  .last language-switch {
    min-block-size: 44px;
  }
  .last p {
    align-items: center;
    display: flex;
    flex: 1 0 min-content;
    gap: 6px;
    line-height: 1.2;
  }
  /* In one line: the name alone where there is no room for more. */
  .last p:not(.late) span {
    align-content: end;
    block-size: 1.2em;
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.3em;
    overflow: hidden;
  }
  .last .late {
    color: var(--waiting);
    font-size: 0.75rem;
    line-height: 1.15;
  }
  .past {
    opacity: 0.5;
  }
  .last b {
    font-weight: 600;
  }
  .last .icon {
    block-size: 16px;
    inline-size: 16px;
  }
  .bone {
    animation: breathe 1.4s ease-in-out infinite alternate;
    background: var(--hairline);
    block-size: 48px;
    border-radius: var(--field-radius);
    margin: 16px 20px 40px;
  }
  /* In the place of Pay, as the page's bar was. */
  div.bone:last-child {
    block-size: 52px;
    margin-block-start: -24px;
  }
  .bone.line {
    block-size: 36px;
    inline-size: 40%;
    margin: 0;
  }
  @keyframes breathe {
    to {
      opacity: 0.5;
    }
  }
  .brief {
    border-block-end: 1px solid var(--hairline);
  }
  /* A narrow sheet leaves the merchant's line to the merchant. */
  @media (max-width: 25em) and (min-height: 39.5625em) {
    .usual {
      padding-inline: 20px;
    }
    .usual .who {
      border-block-end: 1px solid var(--hairline);
      flex-basis: 100%;
      margin-inline: -20px;
      padding-inline: 20px 56px;
    }
    .usual .total {
      border: 0;
      flex: 1 1 auto;
      margin: 0;
      padding: 17px 0 0;
    }
    .usual .test {
      margin-block: 12px -4px;
      order: 1;
    }
  }
  /* A low sheet shows the amount beside the merchant, unless it is too long. */
  @media (17.5em < height <= 39.5em) and (min-width: 20em) and ((height > 25em) or (width > 25em)) {
    .usual {
      border-block-end: 1px solid var(--hairline);
      display: grid;
      grid-template: 'who total' 1fr 'who test' 1fr / minmax(7rem, 1fr) auto;
    }
    .usual .who {
      grid-area: who;
      min-block-size: 64px;
    }
    .usual .total {
      align-self: end;
      border: 0;
      font-size: 1.125rem;
      gap: 0 4px;
      grid-area: total;
      margin: 0;
      padding: 0;
    }
    .usual:not(:has(.test)) .total {
      align-self: center;
      grid-row: 1 / 3;
    }
    .usual .test {
      align-self: start;
      grid-area: test;
      justify-self: end;
      margin-block: -8px -16px;
    }
    .usual .badge {
      padding-block: 2px;
    }
  }
  /* Makes room for the head, one row of fields and Pay. */
  @media (max-height: 30em) {
    .last {
      position: static;
    }
  }
  /*
   * Too low for a sticky head, or what a keyboard leaves of a small phone: everything scrolls except
   * the amount, beside the page's Close.
   */
  @media (max-height: 17.5em), (max-height: 25em) and (max-width: 25em) {
    .head {
      --edge: inherit;
      display: contents;
    }
    .head::after {
      --edge: inherit;
      inset-block-start: calc(10px + max(0px, var(--edge)));
      position: fixed;
      z-index: 3;
    }
    .who {
      padding-inline: 20px 56px;
    }
    .test {
      margin: 0 20px;
    }
    .head .total {
      background: var(--surface);
      border-block-end: 1px solid var(--hairline);
      font-size: 1.125rem;
      inset-block-start: 0;
      letter-spacing: -0.02em;
      margin: 0;
      min-block-size: 48px;
      padding-block: 12px 8px;
      padding-inline: 20px 56px;
      position: sticky;
      z-index: 2;
    }
  }
  @media print {
    .head::after,
    .last {
      display: none;
    }
  }
  @media (forced-colors: active) {
    .bone,
    .tile {
      border: 1px solid;
    }
    button > .badge {
      border: 0;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .bone,
    .step {
      animation: none;
      transition: none;
    }
  }
`;
