import { html, nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/messages.ts';
import { lockIcon } from './icons.ts';

/**
 * The foot of a form: the one button that pays, and who takes the payment or, in the same room,
 * that it is being sent.
 */
export function renderFormFoot(
  words: Messages,
  amount: string,
  merchant: string,
  isSending: boolean,
): TemplateResult {
  return html`
    <div class="foot">
      <button type="submit" aria-busy=${isSending ? 'true' : 'false'}>
        ${isSending ? html`<span class="spinner" aria-hidden="true"></span>` : ''}<span class="amount-text">${words.pay(amount)}</span>
      </button>
      <div class="lines">
        <p class=${isSending ? 'room' : nothing}>${lockIcon}<bdi>${words.takenBy(merchant)}</bdi></p>
        <p class=${isSending ? nothing : 'room'}>${lockIcon}<bdi>${words.sending}</bdi></p>
      </div>
    </div>
  `;
}
