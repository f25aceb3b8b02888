import { html, nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/messages.ts';

export function renderFormFoot(
  words: Messages,
  amount: string,
  isSending: boolean,
  isOffline: boolean,
): TemplateResult {
  return html`
    <div class="foot">
      <button type="submit" aria-busy=${isSending ? 'true' : 'false'} aria-disabled=${isOffline ? 'true' : nothing}>
        ${isSending ? html`<span class="spinner" aria-hidden="true"></span>` : ''}<span class="amount-text">${isSending ? words.paying(amount) : words.pay(amount)}</span>
      </button>
    </div>
  `;
}
