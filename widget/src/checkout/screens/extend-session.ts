import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { ENGLISH, type Messages } from '../language/messages/messages.ts';
import { clockIcon } from '../parts/icons.ts';
import { reactive } from '../parts/property.ts';
import { base } from '../styles/base.ts';

@customElement('more-time')
export class MoreTime extends LitElement {
  static override styles = [
    base,
    css`
      .opening > div {
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

  @reactive words: Messages = ENGLISH.words;
  @reactive ask: (() => void) | undefined;

  protected override render(): TemplateResult {
    const { words, ask } = this;
    return html`
      <div class="opening">
        <div>
          <div class="callout">
            ${clockIcon}
            <p>${words.timeShort}</p>
            ${ask ? html`<button type="button" class="second" @click=${ask}>${words.getMoreTime}</button>` : nothing}
          </div>
        </div>
      </div>
    `;
  }
}
