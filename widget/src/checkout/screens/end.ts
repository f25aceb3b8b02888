import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import { reactive } from '../parts/property.ts';
import { base, screenStyles } from '../styles/base.ts';
import type { Row } from './receipt.ts';

/** The text of an end. `again` retries, `done` and `back` close. */
export interface End {
  sign: TemplateResult;
  tone: EndScreen['tone'];
  title: string;
  amount?: string;
  text: string;
  rows?: readonly Row[];
  actions: readonly ('again' | 'done' | 'back')[];
}

export type Acts = Record<End['actions'][number], Action>;

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

export interface Action {
  name: string;
  act: () => void;
  secondsLeft?: number | undefined;
}

/** Characters of an amount that fit a narrow sheet at full size. */
const AMOUNT_FITS = 14;

/** An end, or the question before leaving. The first action is the recommended one. */
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
      .amount small {
        color: var(--quiet);
        font-size: max(0.5em, 13px);
        font-weight: 600;
      }
      .long {
        font-size: 19px;
        overflow-wrap: anywhere;
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
          padding-block: 8px;
        }
      }
      @media (max-height: 480px) {
        .actions {
          inset-block-end: 0;
          padding-block-end: 12px;
        }
      }
      @media (max-height: 280px) {
        .actions {
          position: static;
        }
      }
    `,
  ];

  @reactive sign: TemplateResult | undefined;
  @reactive tone: '' | 'wrong' | 'waiting' | 'done' = '';
  @reactive heading = '';
  @reactive amount = '';
  @reactive text = '';
  @reactive rows: readonly Row[] = [];
  @reactive actions: readonly Action[] = [];

  focusStart(): void {
    this.renderRoot.querySelector('h1')?.focus();
  }

  protected override render(): TemplateResult {
    const { amount, text, rows } = this;
    const [before, currency, after] = amount.split(/([A-Z]{3})/);
    return html`
      <div class="screen">
        <div class="sign ${this.tone}">${this.sign ?? nothing}</div>
        <h1 tabindex="-1" aria-describedby="amount text">${this.heading}</h1>
        ${amount ? html`<p class="amount ${amount.length > AMOUNT_FITS ? 'long' : ''}" id="amount">${before}<small>${currency}</small>${after}</p>` : nothing}
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
