import { css, html, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import { reactive } from '../parts/property.ts';
import { type Action, type End, EndScreen } from './end.ts';
import type { Row } from './receipt.ts';

export interface Success extends Pick<End, 'sign' | 'title' | 'text'> {
  amount: string;
  rows: readonly Row[];
}

/** Characters of an amount that fit a narrow sheet at full size. */
const AMOUNT_FITS = 14;

@customElement('success-screen')
export class SuccessScreen extends EndScreen {
  static override styles = [
    ...EndScreen.styles,
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
    `,
  ];

  @reactive amount = '';
  @reactive rows: readonly Row[] = [];

  protected override renderReceipt(): TemplateResult {
    const { amount, rows } = this;
    const [before, currency, after] = amount.split(/([A-Z]{3})/);
    return html`
      <p class="amount ${amount.length > AMOUNT_FITS ? 'long' : ''}" id="amount">${before}<small>${currency}</small>${after}</p>
      <payment-receipt .rows=${rows}></payment-receipt>
    `;
  }
}

export function renderSuccess(
  { sign, title, text, amount, rows }: Success,
  done: Action,
): TemplateResult {
  return html`<success-screen
    .sign=${sign}
    .tone=${'done'}
    .heading=${title}
    .amount=${amount}
    .text=${text}
    .rows=${rows}
    .actions=${[done]}
  ></success-screen>`;
}
