import { css } from 'lit';

/** The frame as a whole: the amount at the head, a body that scrolls, and room in the corner for the page's Close. */
export const appStyles = css`
  :host {
    background: var(--surface);
    block-size: 100dvb;
    color: var(--text);
    display: flex;
    flex-direction: column;
    font: 16px / 1.45 var(--font);
    overflow: hidden;
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
    overflow-wrap: anywhere;
  }
  .label bdi {
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
    overflow: hidden;
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
    scroll-padding-block: 32px 140px;
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
  .alert {
    background: var(--wrong-tint);
    border: 1px solid color-mix(in srgb, var(--wrong) 35%, transparent);
    border-radius: var(--field-radius);
    display: flex;
    font-size: 14px;
    gap: 10px;
    margin: 16px 24px 0;
    padding: 12px;
  }
  .alert .icon {
    color: var(--wrong);
  }
  .alert strong {
    display: block;
    font-weight: 600;
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
    .head {
      padding-block: 10px 8px;
    }
    .total {
      font-size: 22px;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .step,
    .bone {
      animation: none;
    }
  }
`;
