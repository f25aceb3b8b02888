import { css, html, LitElement, type TemplateResult } from 'lit';
import type { FieldProblems } from '../flow/call-failure.ts';
import type { Messages } from '../language/messages/messages.ts';
import { base } from '../styles/base.ts';
import { wordsFor } from './field.ts';
import { warningIcon } from './icons.ts';
import { checkIcon } from './later-icons.ts';
import { reactive } from './reactive.ts';

interface Listed {
  name: string;
  label: string;
  problem: string | undefined;
}

export function renderList(
  words: Messages,
  names: readonly string[],
  labelOf: (name: string) => string,
  found: FieldProblems,
): TemplateResult {
  const listed = names.map(
    (name): Listed => ({ name, label: labelOf(name), problem: wordsFor(words, found[name]) }),
  );
  return html`<problem-list .heading=${words.checkFields} .listed=${listed}></problem-list>`;
}

/**
 * The problems of a submitted form, each a link to its field. A corrected one stays, ticked off, so
 * that nothing moves while the customer types.
 */
export class ProblemList extends LitElement {
  static override styles = [
    base,
    css`
      .callout {
        margin-block-end: 16px;
      }
      h2 {
        font-size: 0.875rem;
        font-weight: 600;
        margin: 0;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      a {
        color: inherit;
        display: inline-block;
        padding-block: 3px;
      }
      bdi {
        font-weight: 500;
        margin-inline-end: 6px;
      }
      li .icon {
        block-size: 16px;
        inline-size: 16px;
        vertical-align: -3px;
      }
    `,
  ];

  @reactive heading = '';
  @reactive listed: readonly Listed[] = [];

  /** The form focuses its first problem after this, and then scrolls no further than it must. */
  protected override firstUpdated(): void {
    this.scrollIntoView({ block: 'nearest' });
  }

  protected override render(): TemplateResult {
    return html`
      <div class="opening">
        <div class="callout">
          ${warningIcon}
          <div>
            <h2>${this.heading}</h2>
            <ul>
              ${this.listed.map(
                (item) => html`
                  <li>
                    <bdi>${item.label}</bdi>
                    ${
                      item.problem
                        ? html`<a
                            href="#${item.name}"
                            @click=${(event: Event) => this.#goTo(event, item.name)}
                          >${item.problem}</a>`
                        : checkIcon
                    }
                  </li>
                `,
              )}
            </ul>
          </div>
        </div>
      </div>
    `;
  }

  /** Focuses the field, since an address finds nothing inside a shadow tree. */
  #goTo(event: Event, name: string): void {
    event.preventDefault();
    (this.getRootNode() as ShadowRoot).querySelector<HTMLElement>(`#${name}`)?.focus();
  }
}

customElements.define('problem-list', ProblemList);
