import { FULL_SIZE_FITS } from '@service-pay/contract/money-format';
import { css, html, nothing, type TemplateResult } from 'lit';

import { SayEvent } from '../parts/field.ts';
import { checkIcon } from '../parts/later-icons.ts';
import { reactive } from '../parts/reactive.ts';
import { type Content, EndScreen } from './end.ts';

/** A row of the receipt. */
export interface Row {
  name: string;
  value: string;
  copy?: { name: string; done: string } | undefined;
}

export interface Success extends Content {
  amount: string;
  rows: readonly Row[];
}

export class SuccessScreen extends EndScreen {
  static override styles = [
    ...EndScreen.styles,
    css`
      .amount {
        font-size: 1.875rem;
        font-variant-numeric: tabular-nums;
        font-weight: 700;
        letter-spacing: -0.01em;
        line-height: 1.2;
      }
      .amount small {
        color: var(--quiet);
        font-size: max(0.5em, 0.8125rem);
        font-weight: 600;
      }
      .long {
        font-size: 1.1875rem;
        overflow-wrap: anywhere;
      }
      .note {
        font-size: 0.8125rem;
        font-variant-numeric: tabular-nums;
        text-align: center;
        text-wrap: balance;
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
      .rows {
        background: var(--soft);
        border-radius: var(--radius);
        font-size: 0.875rem;
        inline-size: 100%;
        margin-block-start: 4px;
        padding: 4px 12px;
        text-align: start;
      }
      .rows > div {
        align-items: center;
        display: flex;
        flex-wrap: wrap;
        gap: 0 16px;
        min-block-size: 36px;
        padding-block: 6px;
      }
      .rows > div + div {
        border-block-start: 1px solid var(--hairline);
      }
      dt {
        color: var(--quiet);
      }
      dd {
        align-items: center;
        display: flex;
        gap: 4px;
        margin-inline-start: auto;
        min-inline-size: 0;
        overflow-wrap: anywhere;
        text-align: end;
      }
      /* A reference fits the narrowest sheet in one line. */
      bdi:has(+ .copy) {
        font-size: 0.8125rem;
      }
      .copy {
        flex: none;
        inline-size: auto;
        margin-block: -4px;
        margin-inline-end: -12px;
        min-block-size: 44px;
        min-inline-size: 44px;
        padding: 0 12px;
      }
      @media (hover: hover) {
        button.copy:hover:not(:active) {
          background: var(--hairline);
        }
      }
      @keyframes draw {
        from {
          stroke-dashoffset: 24;
        }
      }
      /* In landscape the receipt is beside what it is for. */
      @media (max-height: 30em) and (min-width: 35em) {
        :host {
          display: grid;
          gap: 4px 20px;
          grid-template: repeat(4, auto) 1fr / 1fr 1.2fr;
          justify-items: center;
          padding: 8px 20px 0;
          text-align: center;
        }
        .screen {
          display: contents;
        }
        .screen > *,
        .actions {
          grid-column: 1;
        }
        .sign {
          block-size: 48px;
          inline-size: 48px;
          margin: 0;
        }
        .rows {
          align-self: start;
          grid-area: 1 / 2 / -1;
          margin: 0;
        }
        .actions {
          inline-size: 100%;
          padding: 8px 0 0;
          position: static;
        }
      }
      @media print {
        .sign {
          print-color-adjust: exact;
        }
        .actions,
        .copy {
          display: none;
        }
      }
      @media (prefers-reduced-motion: reduce) {
        .done path {
          animation: none;
        }
      }
    `,
  ];

  declare content: Success;

  @reactive private copied = '';

  /** Vibrates once on a phone. Browsers block that, with a warning, if nobody touched the frame. */
  override connectedCallback(): void {
    super.connectedCallback();
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.(10);
  }

  async #copy({ name, value, copy }: Row): Promise<void> {
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      return; // The browser or the page blocked it: the reference can still be selected.
    }
    this.copied = name;
    this.dispatchEvent(new SayEvent(copy!.done));
  }

  protected override renderReceipt(): TemplateResult {
    const { amount, rows } = this.content;
    const [before, currency, after] = amount.split(/([A-Z]{3})/);
    return html`
      <p class="amount ${amount.length > FULL_SIZE_FITS ? 'long' : ''}" id="amount">
        ${before}<small>${currency}</small>${after}
      </p>
      <dl class="rows">${rows.map((row) => this.#renderRow(row))}</dl>
    `;
  }

  #renderRow(row: Row): TemplateResult {
    const { name, value, copy } = row;
    const isCopied = this.copied === name;
    return html`
      <div>
        <dt>${name}</dt>
        <dd>
          <bdi>${value}</bdi>
          ${
            copy && 'clipboard' in navigator
              ? html`<button
                  type="button"
                  class="second plain copy"
                  aria-label=${isCopied ? copy.done : copy.name}
                  @click=${() => this.#copy(row)}
                >${isCopied ? checkIcon : copyIcon}</button>`
              : nothing
          }
        </dd>
      </div>
    `;
  }
}

customElements.define('success-screen', SuccessScreen);

const copyIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><rect x="9" y="9" width="10.5" height="10.5" rx="2" /><path d="M15 9V6.5a2 2 0 0 0-2-2H6.5a2 2 0 0 0-2 2V13a2 2 0 0 0 2 2H9" /></svg>`;
