import { findOneTimeCode } from '@service-pay/contract/one-time-code';
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { FieldProblems } from '../flow/call-failure.ts';
import { ENGLISH_WORDS, type Messages } from '../language/messages/all-words.ts';
import { type Action, renderButton } from '../parts/button.ts';
import { renderTimeLeft, timeStyles } from '../parts/countdown.ts';
import { focusFirstProblem, renderField, wordsFor } from '../parts/field.ts';
import { phoneIcon } from '../parts/icons.ts';
import { reactive } from '../parts/reactive.ts';
import { submitListener } from '../parts/submit-listener.ts';
import { showTyped, typedIn } from '../parts/typed.ts';
import { base, screenStyles } from '../styles/base.ts';
import { formStyles } from '../styles/form.ts';

export class CodeForm extends LitElement {
  static override styles = [
    base,
    screenStyles,
    formStyles,
    timeStyles,
    css`
      .screen {
        flex: none;
        padding-block-end: 8px;
      }
      .box > input {
        font-size: 1.75rem;
        font-variant-numeric: tabular-nums;
        font-weight: 600;
        letter-spacing: 0.25em;
        text-align: center;
      }
      .ends {
        background: var(--surface);
        inset-block-end: var(--last-line);
        position: sticky;
      }
      .ends > .foot {
        position: static;
      }
      /* Side by side where the sheet is wide, which is where it is low. */
      .ways {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 8px;
        padding-inline: 20px;
      }
      .ways button {
        flex: 1 1 200px;
      }
      @media (max-height: 42.5em) {
        .sign {
          display: none;
        }
      }
      /* Leaves the room above a keyboard to the words and the field. */
      @media (max-height: 30em) {
        .ends {
          inset-block-end: 0;
        }
        .screen {
          gap: 4px;
          padding-block: 12px 0;
        }
      }
      /* Only Confirm stays in sight. */
      @media (max-height: 25em) {
        .ends {
          display: contents;
        }
        .ends > .foot {
          position: sticky;
        }
      }
      @media (max-height: 17.5em) {
        .ends > .foot {
          position: static;
        }
      }
    `,
  ];

  @reactive words: Messages = ENGLISH_WORDS;
  @reactive problems: FieldProblems = {};
  @reactive codesLeft: number | null = null;
  @reactive secondsLeft: number | undefined;
  @reactive isSending = false;
  /** Another code is being requested. */
  @reactive isRepeating = false;
  @reactive isSentAgain = false;
  /** A code was sent a moment ago. */
  @reactive isEarly = false;
  @reactive phone = '';
  @reactive repeat: (() => void) | undefined;
  /** Another number or a card. */
  @reactive change: Action | undefined;
  @reactive confirm: (code: string) => void = () => {};

  @reactive private found: FieldProblems = {};
  @reactive private code = '';

  focusStart(): void {
    this.renderRoot.querySelector('input')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('problems')) this.found = this.problems;
    if (changed.get('isRepeating')) this.code = '';
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('problems') || !focusFirstProblem(this.renderRoot)) return;
    // Typing replaces a wrong code.
    this.renderRoot.querySelector('input')?.select();
  }

  readonly #submit = submitListener(async () => {
    if (this.isSending || this.isRepeating) return;
    const code = findOneTimeCode(this.code);
    this.found = code ? {} : { code: { code: 'code-invalid' } };
    await this.updateComplete;
    if (code && !focusFirstProblem(this.renderRoot)) this.confirm(code);
  });

  protected override render(): TemplateResult {
    const { words, codesLeft } = this;
    const problem = this.found['code'];
    const isIdle = !this.isSending && !this.isRepeating;
    return html`
      <form novalidate @submit=${this.#submit} @click=${this.#submit}>
        <div class="screen">
          <div class="sign">${phoneIcon}</div>
          <h1>${words.codeTitle}</h1>
          <p class="quiet">${this.phone ? words.codeText(this.phone) : words.codeSent}</p>
          ${renderTimeLeft(words, this.secondsLeft)}
        </div>
        <div class="fields">
          ${renderField({
            name: 'code',
            label: words.code,
            value: this.code,
            autocomplete: 'one-time-code',
            inputMode: 'numeric',
            maxLength: 12,
            isLast: true,
            isReadOnly: this.isSending || this.isRepeating,
            hint: this.isSentAgain ? words.sentAgain : undefined,
            problem:
              problem?.code === 'code-wrong' && codesLeft !== null
                ? words.codeWrong(codesLeft)
                : wordsFor(words, problem),
            onInput: ({ target }) => {
              showTyped(target, typedIn(target));
              this.code = target.value;
              this.found = {};
            },
            onCompose: ({ target }) => {
              this.code = target.value;
            },
          })}
        </div>
        <div class="ends">
          <div class="foot">${renderButton({ name: words.confirm, isBusy: this.isSending })}</div>
          <div class="ways">
            ${
              this.repeat
                ? renderButton({
                    name: words.sendNewCode,
                    act: this.repeat,
                    className: 'second plain',
                    isBusy: this.isRepeating,
                    isIdle: isIdle && !this.isEarly,
                  })
                : nothing
            }
            ${
              this.change
                ? renderButton({ ...this.change, className: 'second plain', isIdle })
                : nothing
            }
          </div>
        </div>
      </form>
    `;
  }
}

customElements.define('code-form', CodeForm);
