import type { Attempt } from '@service-pay/contract/checkout-api';
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';
import type { Screen } from '../flow/payment-state.ts';
import { ENGLISH_WORDS, type Messages } from '../language/messages/all-words.ts';
import { showPhone } from '../mobile-money/shown-phone.ts';
import { type Action, renderButton, spinner } from '../parts/button.ts';
import { renderTimeLeft, renderTimeRing, timeStyles } from '../parts/countdown.ts';
import { SayEvent } from '../parts/field.ts';
import { cardIcon, clockIcon, warningIcon } from '../parts/icons.ts';
import { checkIcon } from '../parts/later-icons.ts';
import { reactive } from '../parts/property.ts';
import { base, screenStyles } from '../styles/base.ts';
import { canSubmit } from './can-submit.ts';

export type WaitingKind = Extract<
  Screen,
  'prompt' | 'challenge' | 'confirming' | 'elsewhere' | 'unsure'
>;

export interface PromptWays {
  /** Another number or a card. */
  change?: Action | undefined;
  repeat?: (() => void) | undefined;
  /** The prompt is being withdrawn, or sent again. */
  busy: boolean;
  isRepeating?: boolean;
  /** It was sent a moment ago. */
  isEarly?: boolean;
  isSentAgain?: boolean;
  /** The network cannot withdraw it. */
  stuck: boolean;
}

const NO_WAYS: PromptWays = { busy: false, stuck: false };

/**
 * A code without text, long digits or many parts: none that holds a PIN or another number, such as
 * that of a call to forward.
 */
const LINKED_CODE = /^[*#]?[0-9]{2,5}(?:\*[0-9]{1,3}){0,3}#?$/;

/**
 * Links the code where a press opens the dialler: in browsers on Android, but not in the browsers
 * inside other apps, which show an error page. The link names a new tab, because in this frame the
 * page's `frame-src` would block it.
 */
function renderDial({ promptDial }: Messages, code: string): TemplateResult | string {
  const apart = `\u2066${code}\u2069`;
  if (!LINKED_CODE.test(code) || !/Android(?!.*; wv\))/.test(navigator.userAgent))
    return promptDial(apart);
  const [before, after] = promptDial(apart).split(apart);
  const link = html`<a
    href="tel:${encodeURIComponent(code)}"
    target="_blank"
    rel="noopener noreferrer"
  >${apart}</a>`;
  return html`${before}${link}${after}`;
}

/** Everything except navigating the windows around the bank's page (T34). */
const CHALLENGE_SANDBOX = 'allow-forms allow-scripts allow-same-origin allow-popups';

@customElement('waiting-screen')
export class WaitingScreen extends LitElement {
  static override styles = [
    base,
    screenStyles,
    timeStyles,
    css`
      .remark {
        background: var(--waiting-tint);
        border-radius: var(--field-radius);
        color: var(--text);
        display: flex;
        font-size: 0.875rem;
        gap: 8px;
        padding: 12px;
        text-align: start;
      }
      .remark .icon {
        color: var(--waiting);
      }
      .challenge {
        display: flex;
        flex: 1;
        flex-direction: column;
        gap: 4px;
        /* The sheet's full height, without its head and its last line. */
        min-block-size: calc(100vh - 69px - var(--last-line));
      }
      .challenge > :not(iframe) {
        margin-inline: 20px;
      }
      .challenge h1 {
        padding-block-start: 12px;
      }
      .challenge p {
        font-size: 0.875rem;
      }
      .challenge a {
        align-items: center;
        align-self: center;
        color: var(--quiet);
        display: flex;
        font-size: 0.875rem;
        min-block-size: 44px;
        text-align: center;
      }
      iframe {
        background: #fff;
        border: solid var(--hairline);
        border-width: 1px 0;
        color-scheme: normal;
        flex: 1;
        inline-size: 100%;
        margin-block-start: 8px;
        min-block-size: 300px;
      }
      ol {
        display: grid;
        font-size: 0.9375rem;
        gap: 10px;
        inline-size: 100%;
        list-style: none;
        margin: 4px 0 0;
        max-inline-size: 20rem;
        padding: 0;
        text-align: start;
      }
      li {
        align-items: start;
        display: flex;
        gap: 12px;
      }
      .place {
        background: var(--tint);
        block-size: 24px;
        border-radius: 50%;
        color: var(--line);
        display: grid;
        flex: none;
        font-size: 0.8125rem;
        font-weight: 600;
        inline-size: 24px;
        place-items: center;
      }
      .ticked .place {
        background: var(--fill);
        color: var(--on-fill);
      }
      .place .icon {
        block-size: 16px;
        inline-size: 16px;
        stroke-width: 2.5;
      }
      li .quiet {
        display: block;
        font-size: 0.8125rem;
      }
      li a {
        color: inherit;
        font-size: 0.8125rem;
        padding-block: 6px;
      }
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
      .tight {
        gap: 8px;
        padding-block: 8px 4px;
      }
      .tight ol {
        gap: 6px;
      }
      @media (max-height: 42.5em) {
        .screen {
          gap: 8px;
          padding-block: 12px;
        }
        /* Leaves the step that waits, and its hint, in sight. */
        .tight .ring {
          --ring: 4.5em;
        }
        .tight li:not(:nth-child(2)),
        .tight .place {
          display: none;
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
      /* In landscape the steps are beside the ring. */
      @media (max-height: 30em) and (min-width: 35em) {
        :host(.prompt) .screen {
          display: grid;
          gap: 6px 32px;
          grid-template-columns: auto 1fr;
          justify-items: start;
          padding-block: 8px 0;
          text-align: start;
        }
        :host(.prompt) .screen > * {
          grid-column: 2;
          max-inline-size: none;
        }
        :host(.prompt) ol {
          gap: 6px;
          margin: 0;
        }
        :host(.prompt) li:last-child {
          display: none;
        }
        :host(.prompt) .ring {
          --ring: 7em;
          grid-area: 1 / 1 / span 3;
        }
        :host(.prompt) .actions {
          flex-flow: row wrap;
          padding-block: 4px 0;
        }
        .actions > * {
          flex: 1 1 240px;
          padding-block: 2px;
        }
        .actions > .remark {
          flex-basis: 100%;
          padding-block: 8px;
        }
      }
      @media (forced-colors: active) {
        .place,
        .remark {
          border: 1px solid;
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

  @reactive private isChecking = false;
  @reactive private hasChecked = false;

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
    if (changed.has('kind')) this.#checkSandbox();
    this.#isCheckOffered ||= this.isCut || this.isLong;
  }

  readonly #receive = ({ source }: MessageEvent): void => {
    if (source && source === this.renderRoot.querySelector('iframe')?.contentWindow) this.look();
  };

  protected override render(): TemplateResult {
    const { words, attempt } = this;
    switch (this.kind) {
      case 'challenge':
        return this.#renderChallenge(attempt?.challengeUrl ?? '');
      case 'prompt':
        return this.#renderPrompt(attempt?.prompt ?? undefined);
      case 'elsewhere':
        return html`
          ${this.#renderScreen(clockIcon, words.elsewhereTitle, words.elsewhereText)}
          <div class="actions">${this.#renderCheck()}</div>
        `;
      case 'unsure':
        return html`
          ${this.#renderScreen(warningIcon, words.unsureTitle, this.#cutText)}
          <div class="actions">${this.#renderCheck()}</div>
        `;
      case 'confirming':
        return html`
          ${this.#renderScreen(
            attempt?.channel === 'card' ? cardIcon : clockIcon,
            words.confirmingTitle,
            words.confirmingText,
          )}
          <div class="actions">${this.#isCheckOffered ? this.#renderCheck() : nothing}</div>
        `;
    }
  }

  #renderPrompt(prompt: Attempt['prompt'] | undefined): TemplateResult {
    const { words, amount, ways } = this;
    const text = prompt
      ? words.promptText(prompt.networkName, showPhone(prompt), amount)
      : words.promptSomewhere(amount);
    const title = ways.stuck ? words.stuckTitle : words.promptTitle;
    const remark = this.#renderRemark();
    return html`
      <div class=${remark === nothing ? 'screen' : 'screen tight'}>
        ${renderTimeRing(words, this.secondsLeft, this.partLeft)}
        <h1 tabindex="-1" aria-describedby="text">${title}</h1>
        <p id="text">${ways.stuck ? words.stuckText : text}</p>
        ${prompt && !ways.stuck ? this.#renderSteps() : nothing}
      </div>
      <div class="actions">${remark}${this.#renderWays()}</div>
    `;
  }

  #renderSteps(): TemplateResult {
    const { words, dialCode, testPhone, ways } = this;
    const hint = dialCode ? renderDial(words, dialCode) : words.promptNothing;
    const link = testPhone
      ? html`<a
          href=${testPhone}
          target="_blank"
          rel="noopener noreferrer"
        >${words.openTestPhone}</a>`
      : nothing;
    return html`
      <ol role="list">
        <li class="ticked">
          <span class="place">${checkIcon}</span>
          <span>${ways.isSentAgain ? words.sentAgain : words.stepSent}</span>
        </li>
        <li>
          <span class="place" aria-hidden="true">2</span>
          <span>${words.stepApprove}<span class="quiet">${hint}</span>${link}</span>
        </li>
        <li>
          <span class="place" aria-hidden="true">3</span>
          <span class="quiet">${words.stepDone}</span>
        </li>
      </ol>
    `;
  }

  #renderWays(): TemplateResult | typeof nothing {
    const { words, ways } = this;
    if (ways.stuck) return this.#renderCheck();
    const { change, repeat, busy, isRepeating = false } = ways;
    const isIdle = !busy && !this.isCut;
    const isWithdrawing = busy && !isRepeating;
    return html`
      ${
        repeat
          ? renderButton({
              name: words.sendAgain,
              act: repeat,
              className: 'second',
              isBusy: isRepeating,
              isIdle: isIdle && !ways.isEarly,
            })
          : nothing
      }
      ${
        change
          ? renderButton({
              name: isWithdrawing ? words.withdrawing : change.name,
              act: change.act,
              className: 'second plain',
              isBusy: isWithdrawing,
              isIdle,
            })
          : nothing
      }
    `;
  }

  #renderCheck(): TemplateResult {
    const { words, isChecking } = this;
    return html`
      ${this.hasChecked ? html`<p class="quiet news">${words.noNews}</p>` : nothing}
      ${renderButton({
        name: words.checkAgain,
        act: this.#check,
        className: 'second',
        isBusy: isChecking,
      })}
    `;
  }

  readonly #check = async (): Promise<void> => {
    if (this.isChecking) return;
    this.isChecking = true;
    await this.look();
    this.isChecking = false;
    this.hasChecked = true;
    this.dispatchEvent(new SayEvent(this.words.noNews));
  };

  #renderScreen(sign: TemplateResult, title: string, text: string): TemplateResult {
    const isUnsure = this.kind === 'unsure';
    const isWorking = isUnsure || this.kind === 'confirming';
    return html`
      <div class="screen">
        <div class=${isUnsure ? 'sign waiting' : 'sign'}>
          ${sign}${isWorking ? spinner : nothing}
        </div>
        <h1 tabindex="-1" aria-describedby="text">${title}</h1>
        <p id="text">${text}</p>
        ${this.kind === 'confirming' ? nothing : renderTimeLeft(this.words, this.secondsLeft)}
        ${this.#renderRemark()}
      </div>
    `;
  }

  /**
   * The bank's page is a frame in this one, where the sandbox of the merchant's page applies too.
   */
  #checkSandbox(): void {
    if (this.kind !== 'challenge' || canSubmit(document)) return;
    this.#isBlocked = true;
    console.error(
      "ServicePay: the sandbox of this page blocks the bank's form: add allow-forms, and allow-popups with allow-popups-to-escape-sandbox for a window of its own",
    );
  }

  #renderChallenge(url: string): TemplateResult {
    const { words } = this;
    return html`
      <div class="challenge">
        <h1 tabindex="-1" aria-describedby="text">${words.challengeTitle}</h1>
        <p class="quiet" id="text">${words.challengeText}</p>
        ${renderTimeLeft(words, this.secondsLeft)}
        <iframe
          title=${words.challengeFrame}
          src=${url}
          sandbox=${CHALLENGE_SANDBOX}
          allow="publickey-credentials-get; payment"
          referrerpolicy="no-referrer"
        ></iframe>
        ${this.#renderRemark()}
        <a href=${url} target="_blank" rel="noopener noreferrer">${words.challengeWindow}</a>
      </div>
    `;
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
    return text
      ? html`<p class="remark">${this.isCut ? warningIcon : clockIcon}<span>${text}</span></p>`
      : nothing;
  }
}
