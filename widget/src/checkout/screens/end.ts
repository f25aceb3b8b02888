import { type CSSResult, css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Action } from '../parts/button.ts';
import { reactive } from '../parts/reactive.ts';
import { base, screenStyles } from '../styles/base.ts';

/** The sign and the words of an end, or of the question before leaving. */
export interface Content {
  sign: TemplateResult;
  tone: '' | 'wrong' | 'waiting' | 'done';
  title: string;
  text: string;
}

/** An end. `again` retries, `back` closes. */
export interface End extends Content {
  actions: readonly ('again' | 'back')[];
}

export type Acts = Record<End['actions'][number], Action>;

export function renderEnd(end: End, acts: Acts): TemplateResult {
  const actions = end.actions.map((name) => acts[name]);
  return html`<end-screen .content=${end} .actions=${actions}></end-screen>`;
}

/** An end, or the question before leaving. The first action is the recommended one. */
export class EndScreen extends LitElement {
  static override styles: CSSResult[] = [
    base,
    screenStyles,
    css`
      @media (max-height: 42.5em) {
        .screen {
          gap: 8px;
          padding-block: 8px;
        }
      }
      @media (max-height: 30em) {
        .actions {
          inset-block-end: 0;
          padding-block-end: 12px;
        }
      }
      @media (max-height: 17.5em) {
        .actions {
          position: static;
        }
      }
    `,
  ];

  @reactive content!: Content;
  @reactive actions: readonly Action[] = [];

  focusStart(): void {
    this.renderRoot.querySelector('h1')?.focus();
  }

  protected override render(): TemplateResult {
    const { sign, tone, title, text } = this.content;
    return html`
      <div class="screen">
        <div class="sign ${tone}">${sign}</div>
        <h1 tabindex="-1" aria-describedby="text amount">${title}</h1>
        ${text ? html`<p id="text"><bdi>${text}</bdi></p>` : nothing}
        ${this.renderReceipt()}
      </div>
      <div class="actions">
        ${this.actions.map(
          ({ name, act, note }, index) => html`
            <button
              type="button"
              class=${index ? 'second' : nothing}
              aria-describedby=${note ? 'note' : nothing}
              @click=${act}
            >${name}</button>
            ${note ? html`<p class="note quiet" id="note" aria-hidden="true">${note}</p>` : nothing}
          `,
        )}
      </div>
    `;
  }

  /** For an end with money. */
  protected renderReceipt(): TemplateResult | typeof nothing {
    return nothing;
  }
}

customElements.define('end-screen', EndScreen);
