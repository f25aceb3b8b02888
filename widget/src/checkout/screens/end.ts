import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import { SayEvent } from '../parts/field.ts';
import { reactive } from '../parts/property.ts';
import { base, screenStyles } from '../styles/base.ts';

/** One thing a customer can do on a screen. */
export interface Action {
  name: string;
  act: () => void;
  /** Seconds until it is done by itself. */
  secondsLeft?: number | undefined;
}

/** One line of a receipt. `copy` names the button that copies the value. */
export interface Row {
  name: string;
  value: string;
  copy?: { name: string; done: string } | undefined;
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
      .rows {
        background: var(--soft);
        border-radius: 12px;
        font-size: 14px;
        inline-size: 100%;
        margin-block-start: 4px;
        padding: 4px 16px;
        text-align: start;
      }
      .rows > div {
        align-items: center;
        display: flex;
        gap: 16px;
        justify-content: space-between;
        min-block-size: 36px;
      }
      .rows > div + div {
        border-block-start: 1px solid var(--hairline);
      }
      dt {
        color: var(--quiet);
        flex: none;
      }
      dd {
        align-items: center;
        display: flex;
        gap: 4px;
        min-inline-size: 0;
        overflow-wrap: anywhere;
        text-align: end;
      }
      .copy {
        background: none;
        border-color: transparent;
        color: var(--line);
        flex: none;
        inline-size: auto;
        margin-block: -4px;
        margin-inline-end: -12px;
        min-block-size: 44px;
        min-inline-size: 44px;
        padding: 0 12px;
      }
      .copy:hover {
        background: var(--hairline);
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

  @reactive private copied = '';

  /** Puts the focus on what is being said. */
  focusStart(): void {
    this.renderRoot.querySelector('h1')?.focus();
  }

  async #copy({ name, value, copy }: Row): Promise<void> {
    await navigator.clipboard.writeText(value);
    this.copied = name;
    this.dispatchEvent(new SayEvent(copy!.done));
  }

  protected override render(): TemplateResult {
    const { amount, text, rows } = this;
    return html`
      <div class="screen">
        <div class="sign ${this.tone}">${this.sign ?? nothing}</div>
        <h1 tabindex="-1" aria-describedby="amount text">${this.heading}</h1>
        ${amount ? html`<p class="amount" id="amount">${amount}</p>` : nothing}
        ${text ? html`<p id="text"><bdi>${text}</bdi></p>` : nothing}
        ${rows.length ? html`<dl class="rows">${rows.map((row) => this.#renderRow(row))}</dl>` : nothing}
      </div>
      <div class="actions">
        ${this.actions.map(
          ({ name, act, secondsLeft }, index) =>
            html`<button type="button" class=${index ? 'second' : nothing} @click=${act}>${name}${secondsLeft === undefined ? nothing : html`<span class="count" aria-hidden="true">${secondsLeft}</span>`}</button>`,
        )}
      </div>
    `;
  }

  #renderRow(row: Row): TemplateResult {
    const { name, value, copy } = row;
    const canCopy = copy && 'clipboard' in navigator;
    return html`
      <div>
        <dt>${name}</dt>
        <dd>
          <bdi>${value}</bdi>
          ${canCopy ? html`<button type="button" class="copy" aria-label=${this.copied === name ? copy.done : copy.name} @click=${() => this.#copy(row)}>${this.copied === name ? doneIcon : copyIcon}</button>` : nothing}
        </dd>
      </div>
    `;
  }
}

const copyIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><rect x="9" y="9" width="10.5" height="10.5" rx="2" /><path d="M15 9V6.5a2 2 0 0 0-2-2H6.5a2 2 0 0 0-2 2V13a2 2 0 0 0 2 2H9" /></svg>`;
const doneIcon = html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="m5 12.5 4.5 4.5L19 7.5" /></svg>`;
