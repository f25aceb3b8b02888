import { LANGUAGES, type Language } from '@service-pay/contract/languages';
import { html, type TemplateResult } from 'lit';

import type { Catalogue } from './messages/messages.ts';

/** Each language by its own name, for those who can read no other. */
const NAMES: Record<Language, string> = { en: 'English', fr: 'Français', pt: 'Português', sw: 'Kiswahili', ar: 'العربية' };

/** The choice of language at the foot of every screen. */
export function renderLanguageSwitch(
  { language, words }: Catalogue,
  choose: (event: Event & { target: HTMLSelectElement }) => void,
): TemplateResult {
  return html`
    <p class="languages">
      <select aria-label=${words.language} autocomplete="off" @change=${choose}>
        ${LANGUAGES.map((each) => html`<option value=${each} lang=${each} .selected=${each === language}>${NAMES[each]}</option>`)}
      </select>
    </p>
  `;
}
