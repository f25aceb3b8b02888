import type { Attempt } from '@service-pay/contract/checkout-api';
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Screen } from '../flow/payment-state.ts';
import { ENGLISH_WORDS, type Messages } from '../language/messages/all-words.ts';
import { spinner } from '../parts/button.ts';
import { CheckAgain } from '../parts/check-again.ts';
import { renderTimeLeft, timeStyles } from '../parts/countdown.ts';
import { cardIcon, clockIcon, warningIcon } from '../parts/icons.ts';
import { reactive } from '../parts/reactive.ts';
import { remarkStyles, renderRemark } from '../parts/remark.ts';
import { base, screenStyles } from '../styles/base.ts';
import { challengeStyles, isChallengeBlocked, renderChallenge } from './challenge.ts';
import { NO_WAYS, type PromptWays, promptStyles, renderPrompt } from './prompt.ts';

export type WaitingKind = Extract<
  Screen,
  'prompt' | 'challenge' | 'confirming' | 'elsewhere' | 'unsure'
>;

export class WaitingScreen extends LitElement {
  static override styles = [
    base,
    screenStyles,
    timeStyles,
    remarkStyles,
    promptStyles,
    challengeStyles,
    css`
      .sign {
        position: relative;
      }
      .sign .spinner {
        block-size: auto;
        border-width: 3px;
        inline-size: auto;
        inset: 0;
        position: absolute;
      }
      .actions:empty {
        display: none;
      }
      .news {
        font-size: 0.875rem;
        text-align: center;
      }
      @media (max-height: 42.5em) {
        .screen {
          gap: 8px;
          padding-block: 12px;
        }
      }
      /* The link to the bank's page is in sight, too. */
      @media (max-height: 35em) {
        .challenge {
          min-block-size: 0;
        }
        #text {
          display: none;
        }
        iframe {
          min-block-size: 276px;
        }
        .challenge a {
          font-size: 0.75rem;
          min-block-size: 32px;
        }
      }
      @media (max-height: 30em) {
        .actions {
          position: static;
        }
      }
    `,
  ];

  @reactive words: Messages = ENGLISH_WORDS;
  @reactive kind: WaitingKind = 'confirming';
  @reactive attempt: Attempt | undefined;
  @reactive amount = '';
  @reactive secondsLeft: number | undefined;
  @reactive partLeft: number | undefined;
  @reactive dialCode = '';
  @reactive testPhone = '';
  @reactive ways: PromptWays = NO_WAYS;
  @reactive isLong = false;
  /** The service does not respond; `isOffline` if the browser has no network. */
  @reactive isCut = false;
  @reactive isOffline: boolean | undefined;
  /** Called when the bank's page sends any message: only the service knows its result (T34). */
  @reactive look: () => unknown = () => {};

  readonly #check = new CheckAgain(this);
  /** Stays once it was offered, since it may have the focus. */
  #isCheckOffered = false;
  #isBlocked = false;

  focusStart(): void {
    this.renderRoot.querySelector('h1')?.focus();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('message', this.#receive);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('message', this.#receive);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('kind')) this.#isBlocked = this.kind === 'challenge' && isChallengeBlocked();
    this.#isCheckOffered ||= this.isCut || this.isLong;
  }

  readonly #receive = ({ source }: MessageEvent): void => {
    if (source && source === this.renderRoot.querySelector('iframe')?.contentWindow) this.look();
  };

  protected override render(): TemplateResult {
    const { words, kind, attempt } = this;
    const remark = this.#renderRemark();
    if (kind === 'challenge')
      return renderChallenge(words, attempt?.challengeUrl ?? '', this.secondsLeft, remark);
    if (kind === 'prompt') return renderPrompt(this, remark, () => this.#check.render());
    const [sign, title, text] = this.#content;
    const isConfirming = kind === 'confirming';
    const hasCheck = !isConfirming || this.#isCheckOffered;
    return html`
      <div class="screen">
        <div class=${kind === 'unsure' ? 'sign waiting' : 'sign'}>
          ${sign}${kind === 'elsewhere' ? nothing : spinner}
        </div>
        <h1 tabindex="-1" aria-describedby="text">${title}</h1>
        <p id="text">${text}</p>
        ${isConfirming ? nothing : renderTimeLeft(words, this.secondsLeft)}
        ${remark}
      </div>
      <div class="actions">${hasCheck ? this.#check.render() : nothing}</div>
    `;
  }

  get #content(): [sign: TemplateResult, title: string, text: string] {
    const { words, kind, attempt } = this;
    if (kind === 'unsure') return [warningIcon, words.unsureTitle, this.#cutText];
    if (kind === 'elsewhere') return [clockIcon, words.elsewhereTitle, words.elsewhereText];
    const sign = attempt?.channel === 'card' ? cardIcon : clockIcon;
    return [sign, words.confirmingTitle, words.confirmingText];
  }

  get #cutText(): string {
    return this.isOffline ? this.words.unsureText : this.words.silentText;
  }

  #renderRemark(): TemplateResult | typeof nothing {
    const { words, kind } = this;
    if (kind === 'unsure') return nothing;
    const long = kind === 'prompt' ? words.stillWaiting : words.stillConfirming;
    const ofKind =
      kind === 'challenge' ? this.#isBlocked && words.challengeBlocked : this.isLong && long;
    const text = this.isCut ? this.#cutText : ofKind;
    return text ? renderRemark(text, this.isCut) : nothing;
  }
}

customElements.define('waiting-screen', WaitingScreen);
