import { css, html, type nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/all-words.ts';
import { renderTimeLeft } from '../parts/countdown.ts';
import { canSubmit } from './can-submit.ts';

/** Everything except navigating the windows around the bank's page (T34). */
const CHALLENGE_SANDBOX = 'allow-forms allow-scripts allow-same-origin allow-popups';

export const challengeStyles = css`
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
`;

/**
 * Checks if the sandbox of the merchant's page blocks the bank's page, which is a frame in this one,
 * and tells the developer.
 */
export function isChallengeBlocked(): boolean {
  if (canSubmit(document)) return false;
  console.error(
    "ServicePay: the sandbox of this page blocks the bank's form: add allow-forms, allow-popups and allow-popups-to-escape-sandbox",
  );
  return true;
}

/** Renders the bank's page, in a frame and behind a link. */
export function renderChallenge(
  words: Messages,
  url: string,
  secondsLeft: number | undefined,
  remark: TemplateResult | typeof nothing,
): TemplateResult {
  return html`
    <div class="challenge">
      <h1 tabindex="-1" aria-describedby="text">${words.challengeTitle}</h1>
      <p class="quiet" id="text">${words.challengeText}</p>
      ${renderTimeLeft(words, secondsLeft)}
      <iframe
        title=${words.challengeFrame}
        src=${url}
        sandbox=${CHALLENGE_SANDBOX}
        allow="publickey-credentials-get; payment"
        referrerpolicy="no-referrer"
      ></iframe>
      ${remark}
      <a href=${url} target="_blank" rel="noopener noreferrer">${words.challengeWindow}</a>
    </div>
  `;
}
