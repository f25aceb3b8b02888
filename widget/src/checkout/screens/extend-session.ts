import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { ENGLISH_WORDS, type Messages } from '../language/messages/all-words.ts';
import { SayEvent } from '../parts/field.ts';
import { clockIcon } from '../parts/icons.ts';
import { reactive } from '../parts/property.ts';
import { base } from '../styles/base.ts';

@customElement('more-time')
export class MoreTime extends LitElement {
  static override styles = [
    base,
    css`
      .opening {
        padding: 0 20px;
      }
      .callout {
        align-items: center;
        background: var(--waiting-tint);
        border-color: color-mix(in srgb, var(--waiting) 35%, transparent);
        flex-wrap: wrap;
        margin-block-start: 16px;
      }
      .callout > .icon {
        color: var(--waiting);
      }
      p {
        flex: 1;
        min-inline-size: 60%;
      }
    `,
  ];

  @reactive words: Messages = ENGLISH_WORDS;
  /** Resolves to whether there is more time now. */
  @reactive more: (() => Promise<boolean>) | undefined;
  @reactive private hasFailed = false;

  readonly #more = async (): Promise<void> => {
    this.hasFailed = !(await this.more!());
    if (this.hasFailed) this.dispatchEvent(new SayEvent(this.words.unreachableTitle));
  };

  protected override render(): TemplateResult {
    const { words, more } = this;
    return html`
      <div class="opening">
        <div class="callout">
          ${clockIcon}
          <p>${this.hasFailed ? words.unreachableTitle : words.timeShort}</p>
          ${
            more
              ? html`<button
                  type="button"
                  class="second"
                  @click=${this.#more}
                >${words.getMoreTime}</button>`
              : nothing
          }
        </div>
      </div>
    `;
  }
}
