import type { Language } from '@service-pay/contract/languages';
import { SERVICE_NAME } from '@service-pay/contract/service-name';
import { html, type TemplateResult } from 'lit';

import { type Known, sentOf } from '../flow/payment-state.ts';
import type { Catalogue, FirstWords } from '../language/messages/messages.ts';
import { clockIcon, lockIcon } from '../parts/icons.ts';

/** Renders who secures the payment, or that sending takes long, and the languages. */
export function renderLastLine(
  known: Known,
  catalogue: Catalogue,
  offered: Language | undefined,
  choose: (locale: string) => Promise<void>,
): TemplateResult {
  const { sending, action, isSlow } = known;
  const isLate = isSlow && (sending || action?.repeats) && !sentOf(known)?.isUnsure;
  return html`
    <div class="last">
      ${isLate ? renderLate(catalogue.words) : renderSecured(catalogue.words)}
      <language-switch
        .catalogue=${catalogue}
        .offered=${offered}
        .choose=${choose}
      ></language-switch>
    </div>
  `;
}

/** Takes the place of other words, so that nothing moves for it. */
function renderLate({ stillSending }: FirstWords): TemplateResult {
  return html`<p class="late">${clockIcon}<span>${stillSending}</span></p>`;
}

function renderSecured({ securedBy }: FirstWords): TemplateResult {
  const [before, after] = securedBy.split(SERVICE_NAME);
  return html`<p>${lockIcon}<span>${before}<b>${SERVICE_NAME}</b>${after}</span></p>`;
}
