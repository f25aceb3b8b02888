import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import { reactive } from '../parts/property.ts';
import { base, screenStyles } from '../styles/base.ts';
import type { Row } from './receipt.ts';

/**
 * How things stand at an end, and what may be done: `again` tries again, `done` and `back` close.
 */
export interface End {
  sign: TemplateResult;
  tone: EndScreen['tone'];
  title: string;
  /** The amount that was paid, as text. */
  amount?: string;
  text: string;
  /** The receipt. */
  rows?: readonly Row[];
  actions: readonly ('again' | 'done' | 'back')[];
}

/** Everything that an end may offer. */
export type Acts = Record<End['actions'][number], Action>;

/** Renders an end. */
export function renderEnd(
  { sign, tone, title, amount = '', text, rows = [], actions }: End,
  acts: Acts,
): TemplateResult {
  return html`<end-screen
    .sign=${sign}
    .tone=${tone}
    .heading=${title}
    .amount=${amount}
    .text=${text}
    .rows=${rows}
    .actions=${actions.map((name) => acts[name])}
  ></end-screen>`;
}

/** One thing a customer can do on a screen. */
export interface Action {
  name: string;
  act: () => void;
  /** Seconds until it is done by itself. */
  secondsLeft?: number | undefined;
}

/**
 * Says how things stand and what can be done: an end, or the question before leaving. The first
 * action is the one we advise.
 */
@customElement('end-screen')
export class EndScreen extends LitElement {
  static override styles = [
    base,
    screenStyles,
    css`
      .amount {
        font-size: 30px;
        font-variant-numeric: tabular-nums;
        font-weight: 700;
        letter-spacing: -0.01em;
        line-height: 1.2;
      }
      .count {
        font-variant-numeric: tabular-nums;
        opacity: 0.85;
      }
      .done {
        background: var(--fill);
        color: var(--on-fill);
      }
      .done path {
        animation: draw 350ms 80ms ease-out backwards;
        stroke-dasharray: 24;
        stroke-width: 2.5;
      }
      @keyframes draw {
        from {
          stroke-dashoffset: 24;
        }
      }
      @media (prefers-reduced-motion: reduce) {
        .done path {
          animation: none;
        }
      }
      @media (max-height: 680px) {
        .screen {
          gap: 8px;
          padding-block: 12px;
        }
      }
    `,
  ];

  @reactive sign: TemplateResult | undefined;
  /** How the sign is meant; the words say the same. */
  @reactive tone: '' | 'wrong' | 'waiting' | 'done' = '';
  @reactive heading = '';
  /** What was paid, as text. */
  @reactive amount = '';
  @reactive text = '';
  /** The receipt. */
  @reactive rows: readonly Row[] = [];
  @reactive actions: readonly Action[] = [];

  /** Puts the focus on what is being said. */
  focusStart(): void {
    this.renderRoot.querySelector('h1')?.focus();
  }

  protected override render(): TemplateResult {
    const { amount, text, rows } = this;
    return html`
      <div class="screen">
        <div class="sign ${this.tone}">${this.sign ?? nothing}</div>
        <h1 tabindex="-1" aria-describedby="amount text">${this.heading}</h1>
        ${amount ? html`<p class="amount" id="amount">${amount}</p>` : nothing}
        ${text ? html`<p id="text"><bdi>${text}</bdi></p>` : nothing}
        ${rows.length ? html`<payment-receipt .rows=${rows}></payment-receipt>` : nothing}
      </div>
      <div class="actions">
        ${this.actions.map(
          ({ name, act, secondsLeft }, index) =>
            html`<button type="button" class=${index ? 'second' : nothing} @click=${act}>${name}${secondsLeft === undefined ? nothing : html`<span class="count" aria-hidden="true">${secondsLeft}</span>`}</button>`,
        )}
      </div>
    `;
  }
}
