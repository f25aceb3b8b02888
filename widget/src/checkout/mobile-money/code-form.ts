import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import { ENGLISH, type Messages } from '../language/messages/messages.ts';
import { type FieldProblems, focusFirstProblem, renderField, wordsFor } from '../parts/field.ts';
import { phoneIcon } from '../parts/icons.ts';
import { reactive } from '../parts/property.ts';
import { renderTimeLeft, timeStyles } from '../screens/countdown.ts';
import { base, screenStyles } from '../styles/base.ts';
import { formStyles } from '../styles/form.ts';

/** Takes the one-time code that the customer's network has sent. */
@customElement('code-form')
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
      input {
        font-size: 28px;
        font-variant-numeric: tabular-nums;
        font-weight: 600;
        letter-spacing: 0.25em;
        text-align: center;
      }
      .second.plain {
        background: none;
        border-color: transparent;
        color: var(--line);
        margin-block-start: 4px;
      }
      .plain:hover {
        background: var(--soft);
      }
    `,
  ];

  @reactive words: Messages = ENGLISH.words;
  /** What the service could not take. */
  @reactive problems: FieldProblems = {};
  /** How many more codes may be tried, where the service says so. */
  @reactive codesLeft: number | null = null;
  /** Until the code is of no use any more. */
  @reactive secondsLeft: number | undefined;
  @reactive isSending = false;
  /** The phone the code went to, as it is shown. */
  @reactive phone = '';
  /** Sends another code; undefined where there is none to be had yet. */
  @reactive repeat: (() => void) | undefined;
  /** Given the code, each time the customer submits one that can be sent. */
  @reactive confirm: (code: string) => void = () => {};

  @reactive private found: FieldProblems = {};
  @reactive private code = '';

  /** Puts the focus where typing begins. */
  focusStart(): void {
    this.renderRoot.querySelector('input')?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('problems')) this.found = this.problems;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('problems') || !focusFirstProblem(this.renderRoot)) return;
    // The next code is typed over a wrong one.
    this.renderRoot.querySelector('input')?.select();
  }

  readonly #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (this.isSending) return;
    const code = this.code.replace(/[\s-]/g, '');
    this.found = /^[0-9]{4,8}$/.test(code) ? {} : { code: { code: 'code-invalid' } };
    await this.updateComplete;
    if (!focusFirstProblem(this.renderRoot)) this.confirm(code);
  };

  protected override render(): TemplateResult {
    const { words, codesLeft } = this;
    const problem = this.found['code'];
    return html`
      <form novalidate @submit=${this.#submit}>
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
            isReadOnly: this.isSending,
            problem:
              problem?.code === 'code-wrong' && codesLeft !== null
                ? words.codeWrong(codesLeft)
                : wordsFor(words, problem),
            onInput: ({ target }) => {
              this.code = target.value;
              this.found = {};
            },
          })}
        </div>
        <div class="foot">
          <button type="submit" aria-busy=${this.isSending ? 'true' : 'false'}>
            ${this.isSending ? html`<span class="spinner" aria-hidden="true"></span>` : ''}${words.confirm}
          </button>
          ${this.repeat ? html`<button type="button" class="second plain" @click=${this.repeat}>${words.sendNewCode}</button>` : nothing}
        </div>
      </form>
    `;
  }
}
