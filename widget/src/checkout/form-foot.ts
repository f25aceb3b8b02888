import { html, type TemplateResult } from 'lit';

import { lockIcon } from './icons.ts';
import type { Messages } from './messages/messages.ts';

/** The foot of a form: the one button that pays, and who takes the payment. */
export function renderFormFoot(words: Messages, amount: string, merchant: string, isSending: boolean): TemplateResult {
  return html`
    <div class="foot">
      <button type="submit" aria-busy=${isSending ? 'true' : 'false'}>
        ${isSending ? html`<span class="spinner" aria-hidden="true"></span>` : ''}<span class="amount-text">${words.pay(amount)}</span>
      </button>
      <p>${lockIcon}<bdi>${isSending ? words.sending : words.takenBy(merchant)}</bdi></p>
    </div>
  `;
}
