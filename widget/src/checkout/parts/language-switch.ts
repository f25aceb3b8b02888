import { LANGUAGES, type Language } from '@service-pay/contract/languages';
import { css, html, LitElement, type TemplateResult } from 'lit';
import { customElement } from 'lit/decorators.js';

import type { Catalogue } from '../language/messages/messages.ts';
import { base } from '../styles/base.ts';
import { chevronIcon, globeIcon } from './later-icons.ts';
import { reactive } from './property.ts';

const NAMES: Record<Language, string> = {
  en: 'English',
  fr: 'Français',
  pt: 'Português',
  sw: 'Kiswahili',
  ar: 'العربية',
};

@customElement('language-switch')
export class LanguageSwitch extends LitElement {
  static override styles = [
    base,
    css`
      div {
        align-items: center;
        display: flex;
        position: relative;
      }
      .icon {
        block-size: 16px;
        inline-size: 16px;
        inset-inline-start: 8px;
        pointer-events: none;
        position: absolute;
      }
      select + .icon {
        inset-inline: auto 8px;
      }
      select {
        appearance: none;
        background: none;
        block-size: 44px;
        /* Visible in forced colours only. */
        border: 1px solid transparent;
        border-radius: var(--field-radius);
        color: inherit;
        cursor: pointer;
        field-sizing: content;
        font: inherit;
        font-size: 13px;
        padding-inline: 30px;
      }
      /* Clear of Pay above and of the edge below. */
      select:focus-visible {
        outline-offset: -4px;
      }
      select:active {
        background: var(--soft);
      }
      option {
        background: var(--surface);
        color: var(--text);
      }
    `,
  ];

  @reactive catalogue!: Catalogue;
  /** Resolves once the language is shown, or cannot be loaded. */
  @reactive choose: (language: string) => Promise<void> = async () => {};

  readonly #change = async ({ target }: { target: HTMLSelectElement }): Promise<void> => {
    await this.choose(target.value);
    target.value = this.catalogue.language;
  };

  protected override render(): TemplateResult {
    const { language, words } = this.catalogue;
    return html`
      <div>
        ${globeIcon}
        <select aria-label=${words.language} autocomplete="off" @change=${this.#change}>
          ${LANGUAGES.map((each) => html`<option value=${each} lang=${each} .selected=${each === language}>${NAMES[each]}</option>`)}
        </select>
        ${chevronIcon}
      </div>
    `;
  }
}
