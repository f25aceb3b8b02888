import { html, type TemplateResult } from 'lit';
import type { FirstWords } from '../language/messages/messages.ts';
import { renderButton } from './button.ts';

export function renderFormFoot(
  words: FirstWords,
  amount: string,
  isSending: boolean,
  isOffline: boolean,
): TemplateResult {
  const text = isSending ? words.paying(amount) : words.pay(amount);
  const name = html`<span class="amount-text">${text}</span>`;
  return html`
    <div class="foot">${renderButton({ name, isBusy: isSending, isIdle: !isOffline })}</div>
  `;
}
