import type { Attempt } from '@service-pay/contract/checkout-api';
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { Screen } from '../flow/payment-state.ts';
import { ENGLISH, type Messages } from '../language/messages/messages.ts';
import { cardIcon, clockIcon, phoneIcon, warningIcon } from '../parts/icons.ts';
import { reactive } from '../parts/property.ts';
import { base, screenStyles } from '../styles/base.ts';
import { renderTimeLeft, timeStyles } from './countdown.ts';

/**
 * The screens on which somebody else has to act: the customer's phone, the bank, another window.
 */
export type WaitingKind = Extract<
  Screen,
  'prompt' | 'challenge' | 'confirming' | 'elsewhere' | 'unsure'
>;

/** What a bank's page may do: everything but steer the windows around it (T34). */
const CHALLENGE_SANDBOX = 'allow-forms allow-scripts allow-same-origin allow-popups';

/** Says what is being waited for, how long yet, and what the customer can do meanwhile. */
@customElement('waiting-screen')
export class WaitingScreen extends LitElement {
  static override styles = [
    base,
    screenStyles,
    timeStyles,
    css`
      .challenge {
        display: flex;
        flex: 1;
        flex-direction: column;
        gap: 4px;
        padding: 16px 24px 8px;
      }
      .challenge p {
        font-size: 14px;
      }
      iframe {
        background: #fff;
        border: 1px solid var(--hairline);
        border-radius: var(--field-radius);
        color-scheme: normal;
        flex: 1;
        inline-size: 100%;
        margin-block-start: 8px;
        min-block-size: 300px;
      }
      .challenge a {
        align-items: center;
        align-self: center;
        color: var(--quiet);
        display: flex;
        font-size: 14px;
        min-block-size: 44px;
      }
    `,
  ];

  @reactive words: Messages = ENGLISH.words;
  @reactive kind: WaitingKind = 'confirming';
  @reactive attempt: Attempt | undefined;
  /** The total, as text. */
  @reactive amount = '';
  /** Until the prompt or challenge gives up by itself. */
  @reactive secondsLeft: number | undefined;
  @reactive isLong = false;
  /** The service does not answer just now. */
  @reactive isCut = false;
  /**
   * Called when the bank's page says anything at all: only the service knows what is true of it
   * (T34).
   */
  @reactive look: () => void = () => {};

  /** Puts the focus on what is being said. */
  focusStart(): void {
    this.renderRoot.querySelector('h1')?.focus();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('message', this.#hear);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('message', this.#hear);
  }

  readonly #hear = ({ source }: MessageEvent): void => {
    if (source && source === this.renderRoot.querySelector('iframe')?.contentWindow) this.look();
  };

  protected override render(): TemplateResult {
    const { words, attempt } = this;
    switch (this.kind) {
      case 'challenge':
        return this.#renderChallenge(attempt?.challengeUrl ?? '');
      case 'prompt':
        return this.#renderScreen(
          phoneIcon,
          words.promptTitle,
          attempt?.prompt
            ? [
                words.promptSteps(attempt.prompt.lastDigits, this.amount),
                words.promptNetwork(attempt.prompt.networkName),
              ]
            : [words.promptSomewhere(this.amount)],
        );
      case 'elsewhere':
        return this.#renderScreen(clockIcon, words.elsewhereTitle, [words.elsewhereText]);
      case 'unsure':
        return this.#renderScreen(warningIcon, words.unsureTitle, [words.unsureText]);
      case 'confirming':
        return this.#renderScreen(
          attempt?.channel === 'card' ? cardIcon : clockIcon,
          words.confirmingTitle,
          [words.confirmingText],
        );
    }
  }

  #renderScreen(sign: TemplateResult, title: string, [text = '', more]: string[]): TemplateResult {
    const { words } = this;
    const isUnsure = this.kind === 'unsure';
    return html`
      <div class="screen">
        <div class=${isUnsure ? 'sign waiting' : 'sign'}>${sign}</div>
        <h1 tabindex="-1" aria-describedby="text">${title}</h1>
        <p id="text">${text}</p>
        ${more ? html`<p class="quiet">${more}</p>` : nothing}
        ${this.kind === 'prompt' ? renderTimeLeft(words, this.secondsLeft) : nothing}
        ${isUnsure || this.kind === 'confirming' ? html`<span class="spinner" aria-hidden="true"></span>` : nothing}
        ${this.#renderRemark()}
      </div>
    `;
  }

  #renderChallenge(url: string): TemplateResult {
    const { words } = this;
    return html`
      <div class="challenge">
        <h1 tabindex="-1" aria-describedby="text">${words.challengeTitle}</h1>
        <p class="quiet" id="text">${words.challengeText}</p>
        ${renderTimeLeft(words, this.secondsLeft)}
        <iframe title=${words.challengeFrame} src=${url} sandbox=${CHALLENGE_SANDBOX} referrerpolicy="no-referrer"></iframe>
        ${this.#renderRemark()}
        <a href=${url} target="_blank" rel="noopener noreferrer">${words.challengeWindow}</a>
      </div>
    `;
  }

  #renderRemark(): TemplateResult | typeof nothing {
    const { words, kind } = this;
    if (kind === 'unsure') return nothing;
    const long = kind === 'prompt' ? words.stillWaiting : words.stillConfirming;
    const text = this.isCut ? words.unsureText : this.isLong && kind !== 'challenge' ? long : '';
    return text
      ? html`<p class="remark">${this.isCut ? warningIcon : clockIcon}<span>${text}</span></p>`
      : nothing;
  }
}
