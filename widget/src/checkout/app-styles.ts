import { css } from 'lit';

/**
 * The frame: merchant and amount at the head, with room for the page's Close in the corner, then
 * the step, then a last line. It is as high as its content; the document scrolls.
 */
export const appStyles = css`
  :host {
    color: var(--text);
    display: flow-root;
    font: 16px / 1.45 var(--font);
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
  /* Under the page's Close, which draws none, so that it moves with the head. */
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
  .body {
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
    font-size: 13px;
    inline-size: fit-content;
  }
  .merchant {
    font-size: 15px;
    font-weight: 600;
  }
  .label,
  .of {
    color: var(--quiet);
    font-size: 13px;
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
    font-size: 12px;
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
    font-size: 30px;
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
    font-size: max(0.5em, 13px);
    font-weight: 600;
  }
  .wide .total {
    font-size: 24px;
  }
  .widest .total {
    font-size: 19px;
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
    font-size: 14px;
    gap: 8px;
    padding: 12px 20px 0;
  }
  .news .icon {
    color: var(--line);
  }
  .last {
    align-items: center;
    background: var(--surface);
    block-size: var(--last-line);
    border-radius: 0 0 var(--last-corner) var(--last-corner);
    color: var(--quiet);
    display: flex;
    font-size: 13px;
    inset-block-end: 0;
    justify-content: space-between;
    padding-block-end: max(4px, env(safe-area-inset-bottom));
    padding-inline: 20px 16px;
    position: sticky;
  }
  .last p {
    align-items: center;
    display: flex;
    gap: 6px;
    line-height: 1.2;
  }
  .last .late {
    color: var(--waiting);
    font-size: 12px;
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
  @media (max-width: 400px) and (min-height: 633px) {
    .head:not(.wide, .brief) {
      padding-inline: 20px;
    }
    .head:not(.wide, .brief) .who {
      border-block-end: 1px solid var(--hairline);
      flex-basis: 100%;
      margin-inline: -20px;
      padding-inline: 20px 56px;
    }
    .head:not(.wide, .brief) .total {
      border: 0;
      flex: 1 1 auto;
      margin: 0;
      padding: 17px 0 0;
    }
    .head:not(.wide, .brief) .test {
      margin-block: 12px -4px;
      order: 1;
    }
  }
  /* A low sheet shows the amount beside the merchant, unless it is too long. */
  @media (280px < height <= 632px) and (min-width: 320px) and ((height > 400px) or (width > 400px)) {
    .head:not(.wide, .brief) {
      border-block-end: 1px solid var(--hairline);
      display: grid;
      grid-template: 'who total' 1fr 'who test' 1fr / 1fr auto;
    }
    .head:not(.wide, .brief) .who {
      grid-area: who;
      min-block-size: 64px;
    }
    .head:not(.wide, .brief) .total {
      align-self: end;
      border: 0;
      font-size: 18px;
      gap: 0 4px;
      grid-area: total;
      margin: 0;
      padding: 0;
    }
    .head:not(.wide, .brief, :has(.test)) .total {
      align-self: center;
      grid-row: 1 / 3;
    }
    .head:not(.wide, .brief) .test {
      align-self: start;
      grid-area: test;
      justify-self: end;
      margin-block: -8px -16px;
    }
    .head:not(.wide, .brief) .badge {
      padding-block: 2px;
    }
  }
  /* Makes room for the head, one row of fields and Pay. */
  @media (max-height: 480px) {
    .last {
      position: static;
    }
  }
  /*
   * Too low for a sticky head, or what a keyboard leaves of a small phone: everything scrolls except
   * the amount, beside the page's Close.
   */
  @media (max-height: 280px), (max-height: 400px) and (max-width: 400px) {
    .head {
      display: contents;
    }
    .head::after {
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
      font-size: 18px;
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
