import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Extension } from '../flow/checkout-flow.ts';
import { ENGLISH_WORDS, type Messages } from '../language/messages/all-words.ts';
import { renderButton } from '../parts/button.ts';
import { SayEvent } from '../parts/field.ts';
import { clockIcon } from '../parts/icons.ts';
import { reactive } from '../parts/reactive.ts';
import { base } from '../styles/base.ts';

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
  @reactive more: (() => Promise<Extension>) | undefined;
  #isRequesting = false;
  #extension: Extension | undefined;

  readonly #more = async (): Promise<void> => {
    if (this.#isRequesting) return;
    this.#isRequesting = true;
    this.requestUpdate();
    this.#extension = await this.more!();
    this.#isRequesting = false;
    this.requestUpdate();
    if (this.#failure) this.dispatchEvent(new SayEvent(this.#failure));
  };

  get #failure(): string | undefined {
    const { noMoreTime, unreachableTitle } = this.words;
    const failures: Record<string, string> = { rejected: noMoreTime, not_known: unreachableTitle };
    return failures[this.#extension ?? ''];
  }

  protected override render(): TemplateResult {
    const { words, more } = this;
    return html`
      <div class="opening">
        <div class="callout">
          ${clockIcon}
          <p>${this.#failure ?? words.timeShort}</p>
          ${
            more
              ? renderButton({
                  name: words.getMoreTime,
                  act: this.#more,
                  className: 'second',
                  isBusy: this.#isRequesting,
                })
              : nothing
          }
        </div>
      </div>
    `;
  }
}

customElements.define('more-time', MoreTime);
