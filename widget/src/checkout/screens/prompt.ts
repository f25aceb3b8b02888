import type { Attempt } from '@service-pay/contract/checkout-api';
import { css, html, nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/all-words.ts';
import { showPhone } from '../mobile-money/shown-phone.ts';
import { type Action, renderButton } from '../parts/button.ts';
import { renderTimeRing } from '../parts/countdown.ts';
import { checkIcon } from '../parts/later-icons.ts';

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

export const NO_WAYS: PromptWays = { busy: false, stuck: false };

/**
 * A code without text, long digits or many parts: none that holds a PIN or another number, such as
 * that of a call to forward.
 */
const LINKED_CODE = /^[*#]?[0-9]{2,5}(?:\*[0-9]{1,3}){0,3}#?$/;

export interface PromptView {
  words: Messages;
  attempt: Attempt | undefined;
  amount: string;
  secondsLeft: number | undefined;
  partLeft: number | undefined;
  dialCode: string;
  testPhone: string;
  ways: PromptWays;
  /** The service does not respond. */
  isCut: boolean;
}

export const promptStyles = css`
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
    /* Seen where the browser forces its colours. */
    border: 1px solid transparent;
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
  .tight {
    gap: 8px;
    padding-block: 8px 4px;
  }
  .tight ol {
    gap: 6px;
  }
  /* Leaves the step that waits, and its hint, in sight. */
  @media (max-height: 42.5em) {
    .tight .ring {
      --ring: 4.5em;
    }
    .tight li:not(:nth-child(2)),
    .tight .place {
      display: none;
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
    :host(.prompt) .actions > * {
      flex: 1 1 240px;
      padding-block: 2px;
    }
    :host(.prompt) .actions > .remark {
      flex-basis: 100%;
      padding-block: 7px;
    }
  }
`;

/** Renders a prompt on a phone. `check` is shown where only the phone can go on. */
export function renderPrompt(
  view: PromptView,
  remark: TemplateResult | typeof nothing,
  check: () => TemplateResult,
): TemplateResult {
  const { words, attempt, amount, ways } = view;
  const prompt = attempt?.prompt;
  const text = prompt
    ? words.promptText(prompt.networkName, showPhone(prompt), amount)
    : words.promptSomewhere(amount);
  const title = ways.stuck ? words.stuckTitle : words.promptTitle;
  return html`
    <div class=${remark === nothing ? 'screen' : 'screen tight'}>
      ${renderTimeRing(words, view.secondsLeft, view.partLeft)}
      <h1 tabindex="-1" aria-describedby="text">${title}</h1>
      <p id="text">${ways.stuck ? words.stuckText : text}</p>
      ${prompt && !ways.stuck ? renderSteps(view) : nothing}
    </div>
    <div class="actions">${remark}${ways.stuck ? check() : renderWays(view)}</div>
  `;
}

function renderSteps({ words, dialCode, testPhone, ways }: PromptView): TemplateResult {
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

function renderWays({ words, ways, isCut }: PromptView): TemplateResult {
  const { change, repeat, busy, isRepeating = false } = ways;
  const isIdle = !busy && !isCut;
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
