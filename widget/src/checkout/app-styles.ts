import { css } from 'lit';

/**
 * The frame as a whole: the amount at the head, a body that scrolls, and room in the corner for the
 * page's Close.
 */
export const appStyles = css`
  :host {
    background: var(--surface);
    max-block-size: 100dvb;
    color: var(--text);
    display: flex;
    flex-direction: column;
    font: 16px / 1.45 var(--font);
    overflow: hidden;
    /* What is only heard stands in no box of its own: without this it would make the document scroll, too. */
    position: relative;
    -webkit-text-size-adjust: 100%;
  }
  .head {
    border-block-end: 1px solid var(--hairline);
    padding-block: 16px 12px;
    padding-inline: 24px 60px;
  }
  .label {
    align-items: center;
    color: var(--quiet);
    display: flex;
    flex-wrap: wrap;
    font-size: 14px;
    gap: 4px 8px;
    min-block-size: 22px;
    overflow-wrap: anywhere;
  }
  .label bdi {
    text-align: -webkit-match-parent;
    text-align: match-parent;
  }
  .reason {
    color: var(--quiet);
    display: block;
    font-size: 13px;
  }
  .badge {
    background: var(--waiting-tint);
    border: 1px solid currentColor;
    border-radius: 99px;
    color: var(--waiting);
    font-size: 12px;
    font-weight: 600;
    line-height: 1;
    padding: 4px 8px;
  }
  .total {
    font-size: clamp(24px, 8vi, 30px);
    font-variant-numeric: tabular-nums;
    font-weight: 600;
    letter-spacing: -0.01em;
    line-height: 1.25;
    overflow-wrap: anywhere;
  }
  .body {
    display: flex;
    flex: 1;
    flex-direction: column;
    min-block-size: 0;
    overflow-y: auto;
    overscroll-behavior: contain;
    scroll-padding-block: 32px;
  }
  /* Clear of the foot that stays in sight. */
  .body:has(pay-form, code-form) {
    scroll-padding-block-end: 208px;
  }
  .step {
    animation: appear 180ms ease-out;
    display: flex;
    flex: 1 0 auto;
    flex-direction: column;
  }
  @keyframes appear {
    from {
      translate: 0 8px;
    }
  }
  .step > .opening > div {
    padding: 0 24px;
  }
  .step > .opening .callout {
    margin-block-start: 16px;
  }
  language-switch {
    background: var(--surface);
    block-size: var(--languages);
    display: block;
    flex: none;
    inset-block-end: 0;
    position: sticky;
    text-align: center;
  }
  .bone {
    animation: breathe 1.4s ease-in-out infinite alternate;
    background: var(--soft);
    block-size: 48px;
    border-radius: var(--field-radius);
    margin: 12px 24px;
  }
  .bone.line {
    block-size: 20px;
    inline-size: 40%;
    margin: 2px 0;
  }
  @keyframes breathe {
    to {
      opacity: 0.5;
    }
  }
  @media (max-height: 560px) {
    .body:has(pay-form, code-form) {
      scroll-padding-block-end: 152px;
    }
    language-switch {
      position: static;
    }
    .head {
      padding-block: 10px 8px;
    }
    .total {
      font-size: 22px;
    }
  }
  /* Too low for a head and a foot that stay: all of it scrolls but the amount, in a bar beside the page's Close. */
  @media (max-height: 320px) {
    :host {
      display: block;
      overflow-y: auto;
      scroll-padding-block: 56px 16px;
    }
    .head {
      display: contents;
    }
    .label {
      padding-block-start: 10px;
      padding-inline: 24px 60px;
    }
    .total {
      background: var(--surface);
      border-block-end: 1px solid var(--hairline);
      inset-block-start: 0;
      min-block-size: 48px;
      padding-block: 10px;
      padding-inline: 24px 60px;
      position: sticky;
      z-index: 1;
    }
    .body {
      overflow: visible;
    }
  }
  @media (forced-colors: active) {
    .bone {
      border: 1px solid;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .step,
    .bone {
      animation: none;
    }
  }
`;
